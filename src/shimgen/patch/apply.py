"""File patch x content -> content. Never fuzzily: every line of a hunk must be found as it is written."""

from __future__ import annotations

from collections.abc import Sequence

from shimgen.model.domain import FileChange
from shimgen.model.errors import GenerateError
from shimgen.model.source import blob_id
from shimgen.patch.diff import CONTEXT_LINES, file_patch, split_lines
from shimgen.patch.values import Conflict, FilePatch, Hunk


def apply_exact(patch: FilePatch, before: bytes, context: int = CONTEXT_LINES) -> bytes | Conflict:
    """`before` with the patch applied, or why and where it does not apply.

    On the very content that the patch was made for, hunks stand where they say. On any other, each must be found
    complete, in order and in exactly one place: two places are a conflict, not a choice. A hunk with less than
    `context` unchanged lines above or below was at that end of the file, and must be there again.
    """
    lines = split_lines(before)
    exact = blob_id(before).startswith(patch.old_id)
    found: list[int] = []
    at, drift = 0, 0
    for hunk in patch.hunks:
        places = [hunk.old_at] if exact else _places(hunk, lines)
        if len(places) != 1 or places[0] < at or not _stands(hunk, lines, places[0]):
            return _conflict(patch, hunk, lines, hunk.old_at + drift, at)
        place = places[0]
        if not exact and not _keeps_to_the_ends(hunk, lines, place, context):
            return Conflict(patch.path, place + 1, "it was at the begin or end of the file, and no longer is")
        found.append(place)
        at, drift = place + len(hunk.old), place - hunk.old_at
    return _replaced(lines, patch.hunks, found)


def _replaced(lines: list[bytes], hunks: Sequence[Hunk], places: Sequence[int]) -> bytes:
    for hunk, place in reversed(list(zip(hunks, places, strict=True))):
        lines[place : place + len(hunk.old)] = hunk.new
    return b"".join(lines)


def _stands(hunk: Hunk, lines: Sequence[bytes], at: int) -> bool:
    return tuple(lines[at : at + len(hunk.old)]) == hunk.old and at <= len(lines)


def _places(hunk: Hunk, lines: Sequence[bytes]) -> list[int]:
    if not hunk.old:  # only an empty file has no line to recognise the place by
        return [] if lines else [0]
    return [at for at, line in enumerate(lines) if line == hunk.old[0] and _stands(hunk, lines, at)]


def _keeps_to_the_ends(hunk: Hunk, lines: Sequence[bytes], at: int, context: int) -> bool:
    above, below = hunk.margins
    at_begin, at_end = at == 0, at + len(hunk.old) == len(lines)
    return (above >= context or at_begin) and (below >= context or at_end)


def _conflict(patch: FilePatch, hunk: Hunk, lines: Sequence[bytes], expected: int, lowest: int) -> Conflict:
    old = hunk.old
    places = _places(hunk, lines)
    if len(places) > 1:
        return Conflict(patch.path, places[0] + 1, f"the same lines also stand at line {places[1] + 1}")
    if places:
        return Conflict(patch.path, places[0] + 1, "the parts of the change stand in another order")
    start = max(expected, lowest)
    near = lines[start : start + len(old)]
    equal = next((n for n, pair in enumerate(zip(near, old, strict=False)) if pair[0] != pair[1]), len(near))
    wanted = old[equal] if equal < len(old) else b""
    return Conflict(patch.path, start + equal + 1, f"expected {wanted.decode('utf-8', 'replace').rstrip()!r} there")


def undo(change: FileChange, current: bytes) -> bytes:
    """`current` without what `change` put in, everything else kept.

    Raises GenerateError, naming file and line, when the lines to take out are no longer there as they were put in.
    """
    result = apply_exact(file_patch(change.path, change.after, change.before), current)
    if isinstance(result, Conflict):
        raise GenerateError(
            f"{result.path}:{result.line}: cannot take out the shims, because the file was edited: {result.reason}"
        )
    return result
