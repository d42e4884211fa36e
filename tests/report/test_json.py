"""JSON against its published schema and its description."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from shimgen.model.carried import CarriedPatch, CarriedState, HunkConflict
from shimgen.model.domain import ClassRef, Decision, MemberKind, Severity, SiteKind
from shimgen.model.results import Analysis, Stale
from shimgen.model.source import Baseline
from shimgen.report.json import render
from tests.builders import ANALYSIS, CHANGE, COMPLETE

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "shimgen-1.schema.json").read_text(encoding="utf-8"))
FULL = replace(
    ANALYSIS,
    wrappers=(*ANALYSIS.wrappers, COMPLETE),
    carried=(
        CarriedPatch("p.patch", "ours", True, CarriedState.APPLIES, ("a.py",), hunks=2, stands=True),
        CarriedPatch(
            "q.patch", "", False, CarriedState.CONFLICTS, ("a.cu",), (), (HunkConflict("a.cu", 0, 1, "gone"),)
        ),
    ),
    stale=(Stale(ClassRef("models/old.py", "Old", 1), "gone", 8, "the engine no longer demands it"),),
)


def properties(node: Any) -> Iterator[tuple[str, Any]]:
    """Every property that the schema names, and its description."""
    if isinstance(node, dict):
        yield from node.get("properties", {}).items()
        for value in node.values():
            yield from properties(value)
    if isinstance(node, list):
        for value in node:
            yield from properties(value)


def enum(name: str) -> set[str]:
    return {value for key, node in properties(SCHEMA) if key == name for value in node.get("enum", ())}


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("analysis", [FULL, ANALYSIS, Analysis(Baseline("package", "d" * 40), "generic")])
def test_documents_are_valid(analysis: Analysis) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(render(analysis, (CHANGE,))))


def test_the_schema_refuses_what_is_not_described() -> None:
    document = json.loads(render(FULL))
    document["gaps"][0]["surprise"] = 1
    with pytest.raises(jsonschema.ValidationError, match="surprise"):
        jsonschema.Draft202012Validator(SCHEMA).validate(document)


def test_the_page_names_every_field() -> None:
    page = set(re.findall(r"`([a-z_]+)`", (DOCS / "json.md").read_text(encoding="utf-8")))
    assert {name for name, _ in properties(SCHEMA)} <= page
    upgrade = json.loads((DOCS / "shimgen-upgrade-1.schema.json").read_text(encoding="utf-8"))
    assert {name for name, _ in properties(upgrade)} <= page


def test_the_schema_knows_every_value() -> None:
    assert enum("severity") == set(Severity)
    assert enum("decision") == set(Decision)
    assert enum("state") == set(CarriedState) | {"holds", "expired", "idle"}
    assert enum("kind") == set(SiteKind) | set(MemberKind) | {"git", "directory", "package"}


def test_a_document_in_full() -> None:
    document = json.loads(render(ANALYSIS, (CHANGE,)))
    forwarded, refused = document["gaps"]
    assert document["schema"] == "shimgen/1"
    assert document["patches"] == [
        {"path": "models/wrapper.py", "wrapper": "Wrapper", "members": ["get_embed_and_head"]}
    ]
    assert forwarded["provider"] == {
        "class": "Base",
        "path": "models/delegate.py",
        "line": 20,
        "kind": "method",
        "signature": "(self)",
    }
    assert (forwarded["reason"], refused["provider"]) == (None, None)
    assert refused["reason"] == "Delegate does not have start_layer either"
    numbers = {"files": 1404, "parsed": 5, "cached": 240, "filtered": 1159, "read": 843, "lines": 352162}
    assert document["stats"] == {**numbers, "seconds": 0.91}


def test_odd_paths_stay_ascii() -> None:
    odd = replace(ANALYSIS, baseline=Baseline("git", "0" * 40, dirty=("modèle.py", "b\udcff.py")))
    assert json.loads(render(odd).encode("ascii"))["baseline"]["dirty"] == ["modèle.py", "b\udcff.py"]
