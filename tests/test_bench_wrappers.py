"""The comparison with the lists of wrappers: what counts as a difference, and what as an argument."""

from __future__ import annotations

import pytest

from benchmarks.releases import releases
from benchmarks.tables import Row, documented, quoted, rows
from benchmarks.wrappers import PREFIX, described, differences, listed_releases
from shimgen.model.domain import ClassRef, Delegate, Wrapper
from shimgen.model.source import memory_tree

PATH = "stack/models/wrapper.py"
REF = ClassRef(PATH, "Wrapper", 3)
FOUND = described(Wrapper(REF, Delegate("inner", REF, 5, (ClassRef(PATH, "B", 9), ClassRef(PATH, "A", 8)))))
LISTED = {"class": "Wrapper", "path": PATH, "attribute": "inner", "delegates": "A,B", "optional": "False"}
LISTED |= {"dynamic": "False", "entry": "True"}


def columns(found: dict[tuple[str, str], Row], listed: list[Row]) -> list[tuple[str, str, str]]:
    return [(d.column, d.listed, d.found) for d in differences(found, listed)]


def test_the_same_wrapper_is_no_difference() -> None:
    assert columns({(PATH, "Wrapper"): FOUND}, [LISTED]) == []


@pytest.mark.parametrize(
    ("column", "value"), [("attribute", "model"), ("delegates", "A"), ("optional", "True"), ("entry", "False")]
)
def test_every_column_counts(column: str, value: str) -> None:
    assert columns({(PATH, "Wrapper"): FOUND}, [LISTED | {column: value}]) == [(column, value, FOUND[column])]


def test_a_row_without_a_class_and_a_class_without_a_row_are_differences() -> None:
    other = ("stack/models/other.py", "Wrapper")
    assert columns({other: FOUND}, [LISTED]) == [("class", "listed", "not found"), ("class", "not listed", "A,B")]


@pytest.mark.parametrize(
    ("reference", "holds"),
    [
        (f"`{PATH}:2` `if config.vision:`", True),
        (f"`{PATH}:1` `if config.vision:`", False),
        (f"`{PATH}:3` `if config.vision:`", False),
        (f"`{PATH}:0` `if config.vision:`", False),
        (f"`{PATH}:2`", False),
        ("`stack/gone.py:2` `if config.vision:`", False),
    ],
)
def test_an_argument_quotes_a_line_that_is_there(reference: str, holds: bool) -> None:
    assert quoted(reference, memory_tree({PATH: b"def f(config):\n    if config.vision:\n"})) is holds


def test_the_arguments_name_releases_and_listed_classes() -> None:
    known = {r.version for r in releases()}
    for row in documented("truth.md", "Rows that are wrong") + documented("truth.md", "Classes that the lists lack"):
        assert set(row["release"].split(", ")) <= known, row
        assert row["why"], row
    for row in documented("truth.md", "Rows that are wrong"):
        assert row["class"] in {r["class"] for r in rows(f"{PREFIX}{row['release']}.tsv")}
    assert listed_releases() == ["0.5.9", "0.5.12.post1"]
