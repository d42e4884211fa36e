"""A patch on files as they are: it applies, is there (in whole or by hunks), or conflicts; never by guess."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given

from shimgen.model.carried import CarriedState, HunkConflict
from shimgen.patch import FilePatch, Hunk, file_patch, weigh
from tests.contents import insertions

BEFORE = b"".join(b"line %d\n" % n for n in range(1, 41))
FIRST = BEFORE.replace(b"line 10\n", b"line 10\nnew\n")
AFTER = FIRST.replace(b"line 30\n", b"other\n")
SECOND = BEFORE.replace(b"line 30\n", b"other\n")
PATCH = file_patch("a.py", BEFORE, AFTER)
OTHER = file_patch("b.py", b"x = 1\ny = 2\n", b"x = 1\ny = 3\n")
B = b"x = 1\ny = 2\n"


@pytest.mark.parametrize(
    ("a", "state", "result", "there"),
    [
        (BEFORE, CarriedState.APPLIES, AFTER, 0),
        (b"top\n" + BEFORE + b"end\n", CarriedState.APPLIES, b"top\n" + AFTER + b"end\n", 0),
        (AFTER, CarriedState.THERE, None, 2),
        (b"top\n" + AFTER, CarriedState.THERE, None, 2),
        (FIRST, CarriedState.PARTLY, AFTER, 1),
        (b"top\n" + SECOND, CarriedState.PARTLY, b"top\n" + AFTER, 1),
    ],
)
def test_the_states_of_one_file(a: bytes, state: CarriedState, result: bytes | None, there: int) -> None:
    found = weigh((PATCH,), {"a.py": a})
    assert (found.state, found.contents.get("a.py"), found.there, found.hunks) == (state, result, there, 2)
    assert found.conflicts == ()


def test_a_patch_of_two_files_is_one_patch() -> None:
    both = (PATCH, OTHER)
    assert weigh(both, {"a.py": BEFORE, "b.py": B}).contents == {"a.py": AFTER, "b.py": b"x = 1\ny = 3\n"}
    partly = weigh(both, {"a.py": AFTER, "b.py": B})
    assert (partly.state, dict(partly.contents), partly.there) == (CarriedState.PARTLY, {"b.py": b"x = 1\ny = 3\n"}, 2)
    assert weigh(both, {"a.py": AFTER, "b.py": b"x = 1\ny = 3\n"}).state is CarriedState.THERE
    conflict = weigh(both, {"a.py": BEFORE, "b.py": b"x = 1\ny = 9\n"})
    assert (conflict.state, dict(conflict.contents)) == (CarriedState.CONFLICTS, {})


@pytest.mark.parametrize(
    ("files", "conflicts"),
    [
        ({}, [HunkConflict("a.py", 0, 1, "there is no such file")]),
        (
            {"a.py": BEFORE.replace(b"line 11\n", b"line eleven\n")},
            [HunkConflict("a.py", 11, 1, "expected 'line 11' there", "line eleven")],
        ),
        (
            {"a.py": BEFORE.replace(b"line 30\n", b"line thirty\n").replace(b"line 9\n", b"line nine\n")},
            [
                HunkConflict("a.py", 9, 1, "expected 'line 9' there", "line nine"),
                HunkConflict("a.py", 30, 2, "expected 'line 30' there", "line thirty"),
            ],
        ),
        ({"a.py": BEFORE[:70]}, None),
        ({"a.py": BEFORE * 2}, [
            HunkConflict("a.py", 8, 1, "the same lines also stand at line 48"),
            HunkConflict("a.py", 27, 2, "the same lines also stand at line 67"),
        ]),
        ({"a.py": BEFORE + AFTER}, [
            HunkConflict("a.py", 8, 1, "it could be made, and stands in another place already"),
            HunkConflict("a.py", 27, 2, "it could be made, and stands in another place already"),
        ]),
    ],
)  # fmt: skip
def test_conflicts_name_file_hunk_and_what_stands_there(
    files: Mapping[str, bytes], conflicts: list[HunkConflict] | None
) -> None:
    found = weigh((PATCH,), files)
    assert (found.state, dict(found.contents)) == (CarriedState.CONFLICTS, {})
    assert conflicts is None or list(found.conflicts) == conflicts


def test_a_conflict_as_a_sentence() -> None:
    (conflict,) = weigh((PATCH,), {"a.py": BEFORE.replace(b"line 11\n", b"line eleven\n")}).conflicts
    assert conflict.sentence == "a.py:11, hunk 1: expected 'line 11' there, and 'line eleven' stands there"
    assert HunkConflict("a.py", 0, 1, "there is no such file").sentence == "a.py, hunk 1: there is no such file"


def test_blank_lines_and_spaces_count() -> None:
    for edited in (BEFORE.replace(b"line 11\n", b"line  11\n"), BEFORE.replace(b"line 11\n", b"line 11\n\n")):
        assert weigh((PATCH,), {"a.py": edited}).state is CarriedState.CONFLICTS


def test_a_patch_with_little_context_is_held_to_what_it_has() -> None:
    hunk = Hunk(9, 9, (b" line 10\n", b"+new\n", b" line 11\n"))
    patch = FilePatch("a.py", "-", "-", (hunk, Hunk(19, 20, (b" line 20\n", b"-line 21\n", b" line 22\n"))))
    assert weigh((patch,), {"a.py": b"top\n" + BEFORE}).state is CarriedState.APPLIES


def test_hunks_in_another_order_are_a_conflict() -> None:
    half = BEFORE.splitlines(keepends=True)
    swapped = b"".join(half[20:] + half[:20])
    found = weigh((PATCH,), {"a.py": swapped})
    assert found.state is CarriedState.CONFLICTS


@given(insertions())
def test_a_change_applies_before_and_is_there_afterwards(pair: tuple[bytes, bytes]) -> None:
    before, after = pair
    if before == after:
        return
    patch = file_patch("a.py", before, after)
    made = weigh((patch,), {"a.py": before})
    assert (made.state, made.contents["a.py"]) == (CarriedState.APPLIES, after)
    assert weigh((patch,), {"a.py": after}).contents == {}
