"""Exact application: everything is found as written, in one place, or the answer is a conflict with its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shimgen.model.domain import FileChange
from shimgen.model.errors import GenerateError
from shimgen.patch import Conflict, FilePatch, Hunk, apply_exact, file_patch, undo
from tests.contents import insertions

BEFORE = b"".join(b"line %d\n" % n for n in range(1, 21))
AFTER = BEFORE.replace(b"line 10\n", b"line 10\nnew\n")
PATCH = file_patch("a.py", BEFORE, AFTER)


@pytest.mark.parametrize(
    ("edited", "result"),
    [
        (b"top\n" + BEFORE, b"top\n" + AFTER),
        (BEFORE + b"end", AFTER + b"end"),
        (BEFORE.replace(b"line 1\n", b""), AFTER.replace(b"line 1\n", b"")),
        (BEFORE.replace(b"line 14\n", b"other\n"), AFTER.replace(b"line 14\n", b"other\n")),
    ],
)
def test_edits_elsewhere_are_kept(edited: bytes, result: bytes) -> None:
    assert apply_exact(PATCH, edited) == result


@pytest.mark.parametrize(
    ("edited", "line", "reason"),
    [
        (BEFORE.replace(b"line 12\n", b"line  12\n"), 12, "expected 'line 12' there"),
        (BEFORE.replace(b"line 8\n", b""), 8, "expected 'line 8' there"),
        (BEFORE.replace(b"line 8\n", b"line 8\r\n"), 8, "expected 'line 8' there"),
        (BEFORE[:56], 9, "expected 'line 9' there"),
        (b"", 8, "expected 'line 8' there"),
        (AFTER, 11, "expected 'line 11' there"),
        (BEFORE * 2, 8, "the same lines also stand at line 28"),
    ],
)
def test_a_changed_missing_or_second_place_is_a_conflict(edited: bytes, line: int, reason: str) -> None:
    assert apply_exact(PATCH, edited) == Conflict("a.py", line, reason)


def test_parts_in_another_order_are_a_conflict() -> None:
    first, second = b"".join(b"a%d\n" % n for n in range(9)), b"".join(b"b%d\n" % n for n in range(9))
    patch = file_patch("a.py", first + second, first.replace(b"a4\n", b"") + second.replace(b"b4\n", b""))
    result = apply_exact(patch, second + first)
    assert isinstance(result, Conflict)
    assert (result.line, result.reason) == (2, "the parts of the change stand in another order")


def test_a_line_that_lost_its_newline_is_not_the_line() -> None:
    patch = file_patch("a.py", b"x\ny\n", b"x\nz\ny\n")
    assert apply_exact(patch, b"x\ny") == Conflict("a.py", 2, "expected 'y' there")


def test_on_the_very_content_repeated_lines_are_no_question() -> None:
    before = b"same\n" * 30
    after = b"same\n" * 12 + b"new\n" + b"same\n" * 18
    assert apply_exact(file_patch("a.py", before, after), before) == after


@pytest.mark.parametrize(
    ("before", "after", "edited", "line"),
    [
        (b"b\nc\nd\n", b"a\nb\nc\nd\n", b"top\nb\nc\nd\n", 2),
        (b"a\nb\nc\n", b"a\nb\nc\nd\n", b"a\nb\nc\nend\n", 1),
        (b"no newline", b"x\nno newline", b"no newline\nmore\nno newline", 3),
    ],
)
def test_what_was_at_an_end_of_the_file_must_be_there_again(
    before: bytes, after: bytes, edited: bytes, line: int
) -> None:
    result = apply_exact(file_patch("a.py", before, after), edited)
    assert result == Conflict("a.py", line, "it was at the begin or end of the file, and no longer is")


def test_a_patch_with_less_context_is_held_to_what_it_has() -> None:
    patch = FilePatch("a.py", "1" * 40, "2" * 40, (Hunk(4, 4, (b" x\n", b"+new\n", b" y\n")),))
    assert apply_exact(patch, b"top\nx\ny\nend\n", context=1) == b"top\nx\nnew\ny\nend\n"


def test_an_insertion_into_an_empty_file_needs_an_empty_file() -> None:
    patch = file_patch("a.py", b"", b"x\n")
    assert apply_exact(patch, b"") == b"x\n"
    assert isinstance(apply_exact(patch, b"y\n"), Conflict)


@given(insertions(), st.binary(min_size=1, max_size=12))
def test_undo_keeps_what_was_added_above_and_below_or_refuses(pair: tuple[bytes, bytes], extra: bytes) -> None:
    before, after = pair
    above, below = b"# " + extra.replace(b"\n", b" ") + b"\n", b"# the end\n"
    change = FileChange("a.py", before, after)
    for edited, wanted in ((above * 4 + after, above * 4 + before), (after + b"\n" + below, before + b"\n" + below)):
        try:
            assert undo(change, edited) == wanted
        except GenerateError as error:
            assert error.message.startswith("a.py:")


def test_undo_takes_out_only_what_was_put_in() -> None:
    assert undo(FileChange("a.py", BEFORE, AFTER), b"top\n" + AFTER + b"end\n") == b"top\n" + BEFORE + b"end\n"


def test_undo_says_where_an_edit_is_in_the_way() -> None:
    with pytest.raises(GenerateError) as caught:
        undo(FileChange("m/a.py", BEFORE, AFTER), AFTER.replace(b"new\n", b"newer\n"))
    assert caught.value.message == (
        "m/a.py:11: cannot take out the shims, because the file was edited: expected 'new' there"
    )
