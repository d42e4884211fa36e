"""Two contents of one file -> hunks.

Lines end at LF and nowhere else: form feeds, lone CRs and U+2028 are part of a line, as they are for git.
"""

from __future__ import annotations

from collections.abc import Sequence

from shimgen.model.source import blob_id
from shimgen.patch.values import ADDED, CONTEXT, REMOVED, FilePatch, Hunk

CONTEXT_LINES = 3
REGULAR = "100644"
MOST_EDITS = 1000  # beyond it, what differs is replaced as a whole: right, though not minimal

Edit = tuple[int, int, int, int]
"""before[a:b] becomes after[c:d], as (a, b, c, d)."""


def split_lines(content: bytes) -> list[bytes]:
    """The lines of `content`, each with its LF; the last one may lack it."""
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def file_patch(path: str, before: bytes, after: bytes, mode: str = REGULAR) -> FilePatch:
    """The patch of one file."""
    return FilePatch(path, blob_id(before), blob_id(after), diff(before, after), mode)


def diff(before: bytes, after: bytes) -> tuple[Hunk, ...]:
    """The hunks that turn `before` into `after`, sorted; none when they are equal."""
    old, new = split_lines(before), split_lines(after)
    groups: list[list[Edit]] = []
    for edit in edits(old, new):
        if groups and edit[0] - groups[-1][-1][1] <= 2 * CONTEXT_LINES:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return tuple(_hunk(old, new, group) for group in groups)


def _hunk(old: list[bytes], new: list[bytes], group: list[Edit]) -> Hunk:
    start = max(0, group[0][0] - CONTEXT_LINES)
    lines: list[bytes] = []
    at = start
    for a, b, c, d in group:
        lines += [CONTEXT + line for line in old[at:a]]
        lines += [REMOVED + line for line in old[a:b]]
        lines += [ADDED + line for line in new[c:d]]
        at = b
    lines += [CONTEXT + line for line in old[at : at + CONTEXT_LINES]]
    return Hunk(start, start + group[0][2] - group[0][0], tuple(lines), section(old, start))


def section(lines: Sequence[bytes], at: int) -> bytes:
    """What git shows after @@: the nearest line above index `at` that begins with a letter, _ or $, cut at 80 bytes."""
    for number in range(at - 1, -1, -1):
        first = lines[number][:1]
        if first.isalpha() or first in (b"_", b"$"):
            return _whole_characters(lines[number][:80].rstrip(b" \t\r\n"))
    return b""


def _whole_characters(text: bytes) -> bytes:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return text[: error.start]
    return text


def edits(old: Sequence[bytes], new: Sequence[bytes]) -> list[Edit]:
    """The maximal runs that differ, in order; runs that could stand in several places stand where they read best."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    found = [(a + head, b + head, c + head, d + head) for a, b, c, d in _runs(inner_old, inner_new)]
    return _placed(old, new, found)


def _runs(old: Sequence[bytes], new: Sequence[bytes]) -> list[Edit]:
    """Runs between the lines that a shortest edit script (Myers) keeps."""
    if not old or not new:
        return [(0, len(old), 0, len(new))] if old or new else []
    kept = _kept(old, new)
    runs: list[Edit] = []
    at, to = 0, 0
    for x, y in [*kept, (len(old), len(new))]:
        if x > at or y > to:
            runs.append((at, x, to, y))
        at, to = x + 1, y + 1
    return runs


def _kept(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Index pairs of the lines in common, ascending; none when the contents differ too much to be worth it."""
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for cost in range(min(len(old) + len(new), MOST_EDITS) + 1):
        trace.append(dict(reach))
        for k in range(-cost, cost + 1, 2):
            down = k == -cost or (k != cost and reach[k - 1] < reach[k + 1])
            x = reach[k + 1] if down else reach[k - 1] + 1
            while x < len(old) and x - k < len(new) and old[x] == new[x - k]:
                x += 1
            reach[k] = x
            if x >= len(old) and x - k >= len(new):
                return _walk_back(trace, len(old), len(new))
    return []


def _walk_back(trace: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for cost in range(len(trace) - 1, -1, -1):
        reach, k = trace[cost], x - y
        down = k == -cost or (k != cost and reach[k - 1] < reach[k + 1])
        before_x = reach[k + 1] if down else reach[k - 1]
        before_y = before_x - (k + 1 if down else k - 1)
        while x > max(before_x, 0) and y > max(before_y, 0):
            x, y = x - 1, y - 1
            kept.append((x, y))
        x, y = before_x, before_y
    return kept[::-1]


def _placed(old: Sequence[bytes], new: Sequence[bytes], found: list[Edit]) -> list[Edit]:
    """Slide pure insertions and deletions, within the unchanged lines around them, to where they read best."""
    placed: list[Edit] = []
    for number, (a, b, c, d) in enumerate(found):
        lowest = placed[-1][1] + 1 if placed else 0
        highest = found[number + 1][0] - 1 if number + 1 < len(found) else len(old)
        if a == b:
            shift = _best_shift(new, c, d, c - (a - lowest), c + (highest - a))
        elif c == d:
            shift = _best_shift(old, a, b, lowest, highest - (b - a))
        else:
            shift = 0
        placed.append((a + shift, b + shift, c + shift, d + shift))
    return placed


def _best_shift(lines: Sequence[bytes], start: int, end: int, lowest: int, highest: int) -> int:
    """How far the block lines[start:end] moves: best begins with little indentation and has blank lines above."""
    up = 0
    while start - up > lowest and lines[start - up - 1] == lines[end - up - 1]:
        up += 1
    down = 0
    while start + down < highest and end + down < len(lines) and lines[start + down] == lines[end + down]:
        down += 1
    return min(range(-up, down + 1), key=lambda shift: (*_awkward(lines, start + shift, end + shift), -shift))


def _awkward(lines: Sequence[bytes], start: int, end: int) -> tuple[bool, int]:
    above = start == 0 or not lines[start - 1].strip()
    first = next((line for line in lines[start:end] if line.strip()), b"")
    return not above, len(first) - len(first.lstrip(b" \t"))
