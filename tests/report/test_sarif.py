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


def closed(required: str, optional: str = "", **properties: Any) -> dict[str, Any]:
    """The schema of an object that has the required properties, and no others but the optional ones."""
    names = [*required.split(), *optional.split()]
    assert set(properties) <= set(names)
    said = {name: properties.get(name, True) for name in names}
    return {"type": "object", "properties": said, "required": required.split(), "additionalProperties": False}


def many(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


# Names and types as SARIF 2.1.0 has them (sections 3.13 log, 3.14 run, 3.19 component, 3.20 invocation, 3.27 result,
# 3.28 location, 3.29 physical location, 3.35 suppression, 3.49 rule, 3.58 notification).
TEXT = closed("text", text={"type": "string", "minLength": 1})
LEVEL = {"enum": ["none", "note", "warning", "error"]}
PHYSICAL = closed(
    "artifactLocation",
    "region",
    artifactLocation=closed("uri uriBaseId", uri={"type": "string", "pattern": "^[!-~]+$"}),
    region=closed("startLine", startLine={"type": "integer", "minimum": 1}),
)
RULE = closed(
    "id shortDescription defaultConfiguration",
    shortDescription=TEXT,
    defaultConfiguration=closed("level", level=LEVEL),
)
RESULT = closed(
    "ruleId ruleIndex level message locations partialFingerprints",
    "relatedLocations suppressions properties",
    level=LEVEL,
    message=TEXT,
    locations=many(
        closed(
            "physicalLocation logicalLocations",
            physicalLocation=PHYSICAL,
            logicalLocations=many(closed("fullyQualifiedName")),
        )
    ),
    relatedLocations=many(
        closed(
            "id message physicalLocation",
            id={"type": "integer", "minimum": 0},
            message=TEXT,
            physicalLocation=PHYSICAL,
        )
    ),
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
    suppressions=many(closed("kind justification", kind={"enum": ["inSource", "external"]})),
)
NOTIFICATION = closed(
    "message level locations",
    level=LEVEL,
    message=TEXT,
    locations=many(closed("physicalLocation", physicalLocation=PHYSICAL)),
)
RUN = closed(
    "tool invocations results properties",
    tool=closed("driver", driver=closed("name semanticVersion rules", rules=many(RULE))),
    invocations=many(
        closed("executionSuccessful toolExecutionNotifications", toolExecutionNotifications=many(NOTIFICATION))
    ),
    results=many(RESULT),
)
LOG = closed("$schema version runs", version={"const": "2.1.0"}, runs=many(RUN))
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
