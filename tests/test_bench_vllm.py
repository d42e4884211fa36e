"""The benchmark on the second stack: the plain scan, what a table of the page must be, and what a reviewed row must."""

from __future__ import annotations

import pytest

from benchmarks import vllm
from benchmarks.held import MODELS, holders
from benchmarks.releases import releases
from benchmarks.tables import Row, documented, rows
from benchmarks.vllm import NEW, OLD, PAGE, READ, STACK, Table, kind_of, misread
from shimgen.model.domain import ClassRef, Delegate, Wrapper
from shimgen.model.source import memory_tree

REF = ClassRef("stack/models/wrapper.py", "Wrapper", 3)
TABLE = Table("Counts", ("kind", "number"), (("one class", "3"), ("draft", "2")))


@pytest.mark.parametrize(
    ("statement", "held"),
    [
        ("with self._mark_language_model(config):\n            self.decoder = Body(config)", {"decoder"}),
        ("with self._mark_tower_model(config):\n            self.tower = Body(config)", set()),
        ("self.core = init_vllm_registered_model(config)", {"core"}),
        ("self.core = utils.init_vllm_registered_model(config)", {"core"}),
        ("self.llm: Module = self.init_llm(config)", {"llm"}),
        ("self.language_model = None", set()),
        ("self.language_model = other.language_model", set()),
        ("self.core = PlainForCausalLM(config)", {"core"}),
        ("self.core = PlainModel(config)", set()),
        ("core = PlainForCausalLM(config)", set()),
    ],
)
def test_the_plain_scan_knows_four_signs(statement: str, held: set[str]) -> None:
    text = f"class Wrapper:\n    def __init__(self, config):\n        {statement}\n"
    found = holders(memory_tree({f"{MODELS}a.py": text.encode(), "vllm/v1/a.py": text.encode()}))
    assert found == ({(f"{MODELS}a.py", "Wrapper"): frozenset(held)} if held else {})


def test_the_plain_scan_follows_heirs_by_name() -> None:
    first = b"class Above:\n    def __init__(self):\n        self.llm = make()\n"
    found = holders(memory_tree({f"{MODELS}a.py": first, f"{MODELS}b.py": b"class C(B): ...\nclass B(a.Above): ...\n"}))
    assert {name for _, name in found} == {"Above", "B", "C"}


@pytest.mark.parametrize(
    ("delegate", "role", "kind"),
    [
        (Delegate("inner", REF, 5, (REF,)), "target", "one class"),
        (Delegate("inner", REF, 5, (REF, REF)), "target", "several classes"),
        (Delegate("inner", REF, 5, (REF,)), "draft", "draft head over a body of its own"),
        (Delegate("inner", REF, 5, unknown="a table chooses it"), "target", "unknown: a table chooses it"),
    ],
)
def test_wrappers_are_counted_by_what_is_known_of_the_delegate(delegate: Delegate, role: str, kind: str) -> None:
    assert kind_of(Wrapper(REF, delegate, role)) == kind


def test_a_table_of_the_page_is_what_is_computed() -> None:
    same: list[Row] = [
        {"kind": "one class", "number": "3", "why": "read"},
        {"kind": "draft", "number": "2", "why": "so"},
    ]
    assert TABLE.differs(same) == []
    assert TABLE.differs(same[:1]) == ["not on the page: draft | 2"]
    assert TABLE.differs([*same, {"kind": "odd", "number": "1"}]) == ["only on the page: odd | 1"]
    assert TABLE.differs([same[0], same[1] | {"why": ""}]) == ["no remark: draft | 2 | "]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, None),
        ({"by": "another"}, "read as adopted, another; found adopted, from Full"),
        ({"class": "Gone"}, "found no wrapper"),
        ({"source": "`a.py:1` `class A` ; `a.py:2` `class A`"}, "the release does not say `a.py:2` `class A`"),
    ],
)
def test_a_reviewed_row_must_agree_and_quote_what_is_there(change: Row, said: str | None) -> None:
    row = {"class": "A", "path": "a.py", "stands": "adopted", "by": "from Full", "source": "`a.py:1` `class A`"}
    found = list(
        misread({("A", "a.py"): ("adopted", "from Full")}, memory_tree({"a.py": b"class A: ...\n"}), [row | change])
    )
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_ten_rows_of_every_standing_are_reviewed() -> None:
    read = rows(READ)
    assert len(read) >= 10
    assert {row["stands"] for row in read} == {"supports it", "adopted", "refused", "unknown"}
    assert all(row["why"] and row["source"] for row in read)


def test_the_page_has_every_table_and_argues_with_lines() -> None:
    assert {OLD, NEW} <= {r.version for r in releases(STACK)}
    for heading in ("Wrappers", "EAGLE-3", f"EAGLE-3 at {OLD}", "Renamed", "Drift", "Against a plain scan"):
        assert documented(PAGE, heading), heading
    for row in documented(PAGE, "Against a plain scan"):
        assert row["why"], row
        assert row["found by"] in ("only the scan", "only shimgen")


def test_a_difference_from_the_scan_must_be_argued(monkeypatch: pytest.MonkeyPatch) -> None:
    class Found:
        tree = memory_tree({f"{MODELS}a.py": b"class A:\n    def __init__(self):\n        self.llm = make()\n"})
        wrappers = (Wrapper(REF, Delegate("inner", REF, 5)),)

    page = [
        {
            "classes": "A",
            "release": OLD,
            "found by": "only the scan",
            "source": f"`{MODELS}a.py:3` `self.llm = make()`",
        },
        {"classes": "B", "release": OLD, "found by": "only shimgen", "source": f"`{MODELS}a.py:1` `class A`"},
    ]
    monkeypatch.setattr(vllm, "documented", lambda name, heading: page)
    assert list(vllm.unargued(OLD, Found)) == [  # type: ignore[arg-type]
        f"{OLD}: Wrapper, only shimgen: not argued",
        f"{OLD}: B: nothing to argue",
    ]
