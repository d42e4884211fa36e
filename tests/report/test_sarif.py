"""SARIF against the part of the standard that it uses, and what becomes of every kind of finding."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from shimgen.model.accepts import Accept
from shimgen.model.carried import CarriedPatch, CarriedState, HunkConflict
from shimgen.model.domain import ClassRef
from shimgen.model.results import Analysis, Stale
from shimgen.model.source import Skipped
from shimgen.report.sarif import render
from shimgen.scope import judge
from tests.builders import ANALYSIS, FORWARDED, REFUSED
from tests.sarif import LOG

STALE = Stale(ClassRef("models/old.py", "Old", 1), "gone", 8, "the engine no longer demands it")
CONFLICT = CarriedPatch(
    "q.patch", "", False, CarriedState.CONFLICTS, ("a.cu",), (), (HunkConflict("a.cu", 7, 1, "gone"),)
)
MISSING = CarriedPatch("p.patch", "ours", True, CarriedState.APPLIES, ("b c.py",), hunks=2)


def run(analysis: Analysis, accepts: tuple[Accept, ...] = (), strict: bool = False) -> dict[str, Any]:
    """The only run of the log, which is as the standard says."""
    log = json.loads(render(analysis, judge(analysis, accepts, date(2026, 1, 1)), strict))
    jsonschema.validate(log, LOG)
    found: dict[str, Any] = log["runs"][0]
    for result in found["results"]:
        rule = found["tool"]["driver"]["rules"][result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
    return found


def told(found: dict[str, Any]) -> list[tuple[str, str, str, int]]:
    """Rule, level, file and line of each result."""
    rows = []
    for result in found["results"]:
        place = result["locations"][0]["physicalLocation"]
        line = place.get("region", {}).get("startLine", 0)
        rows.append((result["ruleId"], result["level"], place["artifactLocation"]["uri"], line))
    return rows


@pytest.mark.parametrize("strict", [False, True])
def test_each_kind_of_finding(strict: bool) -> None:
    stands = replace(MISSING, name="r.patch", stands=True)
    found = run(replace(ANALYSIS, stale=(STALE,), carried=(MISSING, CONFLICT, stands)), strict=strict)
    assert told(found) == [
        ("crash", "error", "models/wrapper.py", 3),
        ("silent", "warning" if strict else "note", "models/wrapper.py", 3),
        ("stale", "error", "models/old.py", 8),
        ("carried", "error", "b%20c.py", 0),
        ("carried", "error", "a.cu", 7),
    ]


def test_a_gap_that_could_be_closed() -> None:
    result = run(ANALYSIS)["results"][0]
    assert result["message"]["text"] == (
        "Wrapper.get_embed_and_head: crash, could be closed: Base models/delegate.py:20"
    )
    assert result["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "Wrapper.get_embed_and_head"}]
    assert result["partialFingerprints"] == {"shimgen/1": "crash models/wrapper.py Wrapper.get_embed_and_head"}
    assert [site["message"]["text"] for site in result["relatedLocations"]] == [
        "call self.runner.model.get_embed_and_head"
    ]
    assert "suppressions" not in result


def test_what_is_accepted_is_suppressed_with_the_reason() -> None:
    found = run(ANALYSIS, (Accept(FORWARDED.wrapper.cls.name, FORWARDED.member, "not served"),))
    refused, accepted = found["results"]
    assert refused["message"]["text"] == f"Wrapper.{REFUSED.member}: refused: {REFUSED.sentence}"
    assert accepted["suppressions"] == [{"kind": "external", "justification": "not served"}]


def test_a_file_that_was_left_out_is_told_of() -> None:
    skipped = (Skipped("models/bröken.py", "does not parse: invalid syntax", 4), Skipped("big.py", "too deep", 0))
    found = run(replace(ANALYSIS, gaps=(), stats=replace(ANALYSIS.stats, skipped=skipped)))
    assert found["results"] == []
    notes = found["invocations"][0]["toolExecutionNotifications"]
    assert [note["message"]["text"] for note in notes] == [
        "left out: does not parse: invalid syntax",
        "left out: too deep",
    ]
    assert [note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for note in notes] == [
        "models/br%C3%B6ken.py",
        "big.py",
    ]


def test_a_name_that_is_no_text_is_an_address() -> None:
    odd = replace(FORWARDED, wrapper=replace(FORWARDED.wrapper, cls=ClassRef("a\udcff.py", "Odd", 2)))
    assert told(run(replace(ANALYSIS, gaps=(odd,)))) == [("crash", "error", "a%FF.py", 2)]


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ('"version": "2.1.0"', '"version": "2.0.0"'),
        ('"level": "error"', '"level": "crash"'),
        ('"executionSuccessful": true', '"executionSuccessful": "yes"'),
        ('"startLine": 3', '"startLine": 0'),
        ('"kind": "external"', '"kind": "elsewhere"'),
        ('"justification": "not served"', '"reason": "not served"'),
        ('"uri": "models/wrapper.py"', '"uri": "models/wr\u00e4pper.py"'),
        ('"ruleIndex": 0', '"ruleIndex": "crash"'),
        ('"fullyQualifiedName": "Wrapper', '"qualifiedName": "Wrapper'),
    ],
)
def test_what_the_standard_does_not_allow_is_told_apart(written: str, wrong: str) -> None:
    accepts = (Accept(FORWARDED.wrapper.cls.name, FORWARDED.member, "not served"),)
    text = render(ANALYSIS, judge(ANALYSIS, accepts, date(2026, 1, 1)))
    jsonschema.validate(json.loads(text), LOG)
    assert written in text
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(text.replace(written, wrong, 1)), LOG)
