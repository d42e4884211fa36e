"""Hunks: what differs, and nothing else; lines end at LF only."""

from __future__ import annotations

import pytest
from hypothesis import given

from shimgen.patch import apply_exact, diff, file_patch, reverse, split_lines
from tests.contents import contents, insertions, pairs

CLASS = b"class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"


def shown(before: bytes, after: bytes) -> str:
    return "".join(line.decode() for hunk in diff(before, after) for line in hunk.lines)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a\n"]),
        (b"\n\n", [b"\n", b"\n"]),
        (b"a\r\nb\rc\x0cd\x1ce\n", [b"a\r\n", b"b\rc\x0cd\x1ce\n"]),
        (b"\xe2\x80\xa8\xc2\x85x", [b"\xe2\x80\xa8\xc2\x85x"]),
    ],
)
def test_only_lf_ends_a_line(content: bytes, lines: list[bytes]) -> None:
    assert split_lines(content) == lines


def test_equal_contents_have_no_hunks() -> None:
    assert diff(CLASS, CLASS) == ()


def test_a_method_is_shown_from_its_def_to_the_blank_line_below() -> None:
    after = CLASS.replace(b"    def g", b"    def new(self):\n        return 1\n\n    def g")
    assert shown(CLASS, after).splitlines()[2:6] == [
        " ",
        "+    def new(self):",
        "+        return 1",
        "+",
    ]


def test_close_changes_share_a_hunk_and_distant_ones_do_not() -> None:
    before = [b"%d\n" % n for n in range(30)]
    near, far = list(before), list(before)
    near[3:3] = near[9:9] = [b"new\n"]
    far[3:3] = far[12:12] = [b"new\n"]
    joined = b"".join(before)
    assert len(diff(joined, b"".join(near))) == 1
    assert len(diff(joined, b"".join(far))) == 2


def test_each_hunk_counts_from_where_the_file_then_is() -> None:
    before = [b"%d\n" % n for n in range(30)]
    after = [b"first\n", b"second\n", *before[:20], *before[21:]]
    assert [(h.old_at, len(h.old), h.new_at, len(h.new)) for h in diff(b"".join(before), b"".join(after))] == [
        (0, 3, 0, 5),
        (17, 7, 19, 6),
    ]


@pytest.mark.parametrize(
    ("line", "section"),
    [
        (b"class A:\n", b"class A:"),
        (b"_private = 1  \n", b"_private = 1"),
        (b"$dollar\n", b"$dollar"),
        (b"def f():\r\n", b"def f():"),
        (b"x" * 100 + b"\n", b"x" * 80),
        (b"a" * 79 + b"\xc3\xa9\n", b"a" * 79),
        (b"    def indented(self):\n", b""),
        (b"@decorator\n", b""),
        (b"\xc3\xa9 = 1\n", b""),
    ],
)
def test_the_section_is_the_nearest_line_that_begins_like_a_name(line: bytes, section: bytes) -> None:
    before = line + b"  1\n  2\n  3\n  4\n"
    assert [hunk.section for hunk in diff(before, before + b"  5\n")] == [section]


def test_contents_that_share_little_are_replaced_without_taking_long() -> None:
    before, after = (b"".join(b"%d%s\n" % (n, mark) for n in range(4000)) for mark in (b"a", b"b"))
    patch = file_patch("a.py", before, after)
    assert patch.counts == (4000, 4000)
    assert apply_exact(patch, before) == after


@given(insertions())
def test_what_only_inserts_is_shown_as_insertion(pair: tuple[bytes, bytes]) -> None:
    before, after = pair
    added, removed = file_patch("a.py", before, after).counts
    assert (added, removed) == (after.count(b"\n") - before.count(b"\n"), 0)


@given(pairs())
def test_a_patch_leads_from_before_to_after_and_its_reverse_back(pair: tuple[bytes, bytes]) -> None:
    before, after = pair
    patch = file_patch("a.py", before, after)
    assert apply_exact(patch, before) == after
    assert apply_exact(reverse(patch), after) == before
    assert reverse(reverse(patch)) == patch


@given(contents())
def test_splitting_loses_nothing(content: bytes) -> None:
    assert b"".join(split_lines(content)) == content
