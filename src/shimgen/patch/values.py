"""A patch as a value: files, hunks, lines. A hunk counts its own lines, so its header cannot disagree with its body."""

from __future__ import annotations

from itertools import groupby

import msgspec
from msgspec.structs import replace

CONTEXT, REMOVED, ADDED = b" ", b"-", b"+"


class Hunk(msgspec.Struct, frozen=True):
    """One place that changes.

    `old_at` and `new_at` are 0-based indexes of the hunk's first line. `lines` are as in the patch text: a mark
    (space, minus or plus) and the line with its LF; only the last line of a file may lack the LF. `section` is the
    text after the second @@.
    """

    old_at: int
    new_at: int
    lines: tuple[bytes, ...]
    section: bytes = b""

    @property
    def old(self) -> tuple[bytes, ...]:
        """The lines that the hunk expects to find."""
        return tuple(line[1:] for line in self.lines if line[:1] != ADDED)

    @property
    def new(self) -> tuple[bytes, ...]:
        """The lines that stand there afterwards."""
        return tuple(line[1:] for line in self.lines if line[:1] != REMOVED)

    @property
    def margins(self) -> tuple[int, int]:
        """How many unchanged lines it has above and below what changes."""
        marks = b"".join(line[:1] for line in self.lines)
        return len(marks) - len(marks.lstrip(CONTEXT)), len(marks) - len(marks.rstrip(CONTEXT))


class FilePatch(msgspec.Struct, frozen=True):
    """The change of one file that exists before and after, with its blob ids (possibly abbreviated) and git mode."""

    path: str
    old_id: str
    new_id: str
    hunks: tuple[Hunk, ...]
    mode: str = "100644"

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines are added and removed."""
        marks = [line[:1] for hunk in self.hunks for line in hunk.lines]
        return marks.count(ADDED), marks.count(REMOVED)


class Conflict(msgspec.Struct, frozen=True):
    """Why a patch does not apply: 1-based `line` of the file that it met, and the reason as a clause."""

    path: str
    line: int
    reason: str


def reverse(patch: FilePatch) -> FilePatch:
    """The patch that undoes `patch`; reversing twice gives the same value again."""
    hunks = tuple(_reverse_hunk(hunk) for hunk in patch.hunks)
    return replace(patch, old_id=patch.new_id, new_id=patch.old_id, hunks=hunks)


def _reverse_hunk(hunk: Hunk) -> Hunk:
    swapped = {CONTEXT: CONTEXT, REMOVED: ADDED, ADDED: REMOVED}
    lines: list[bytes] = []
    for _, run in groupby(hunk.lines, key=lambda line: line[:1] == CONTEXT):
        turned = [swapped[line[:1]] + line[1:] for line in run]
        lines += [line for line in turned if line[:1] != ADDED]
        lines += [line for line in turned if line[:1] == ADDED]
    return Hunk(hunk.new_at, hunk.old_at, tuple(lines), hunk.section)
