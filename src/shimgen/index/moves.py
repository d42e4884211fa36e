"""Where the lines of a file's facts went, when its facts are the same but for their lines.

An analysis compares lines of one file with each other, and nothing else (tests/index/test_moves.py). So what it found
holds for a file whose lines have moved, if all of them kept their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from shimgen.model.facts import ASSIGNED

Point = tuple[int, int]
"""A line, and 1 where something ends there: what begins in a line comes before what ends in it."""

_Read = Callable[[Any], tuple[object, list[Point]]]
_NUMBER = re.compile(r"(\d+):")


def _line(value: int) -> tuple[object, list[Point]]:
    return value == 0, [(value, 0)] if value else []


def _lines(value: Sequence[int]) -> tuple[object, list[Point]]:
    return (), [(line, 0) for line in value]


def _spans(value: Sequence[tuple[int, int]]) -> tuple[object, list[Point]]:
    return (), [point for first, last in value for point in ((first, 0), (last, 1))]


def _arm(value: str) -> tuple[object, list[Point]]:
    return _NUMBER.sub(":", value), [(int(line), 0) for line in _NUMBER.findall(value)]


def _arms(value: Sequence[str]) -> tuple[object, list[Point]]:
    return _arm(" ".join(value))


def _guard(value: str) -> tuple[object, list[Point]]:
    if not value.startswith(ASSIGNED):
        return value, []
    return ASSIGNED, [(int(value.removeprefix(ASSIGNED)), 0)]


# The fields of facts that hold lines: what is left of a value without them, and the lines.
_FIELDS: dict[str, _Read] = {
    "line": _line,
    "error_line": _line,
    "end_line": lambda value: ((), [(value, 1)]),
    "lines": lambda _: ((), []),
    "marked": _lines,
    "own": _lines,
    "returned_at": _lines,
    "caught": _spans,
    "branch": _arm,
    "guard": _guard,
    "raising": _arms,
    "returning": _arms,
    "continuing": _arms,
}


class Moves:
    """The lines of one file, each with the line that it has become."""

    def __init__(self) -> None:
        self._points: dict[Point, Point] = {}

    def follow(self, old: msgspec.Struct, new: msgspec.Struct) -> bool:
        """Whether two facts are the same but for their lines, which are then known."""
        for name in old.__struct_fields__:
            before, after = getattr(old, name), getattr(new, name)
            read = _FIELDS.get(name)
            if read is not None:
                if not self._read(read(before), read(after)):
                    return False
            elif before.__class__ is tuple and before and "line" in getattr(before[0], "__struct_fields__", ()):
                if len(before) != len(after) or not all(map(self.follow, before, after)):
                    return False
            elif before != after:
                return False
        return True

    def follow_lines(self, old: Sequence[int], new: Sequence[int]) -> bool:
        """Whether two lists of lines are equally long; one by one, they are then known."""
        return self._read(_lines(old), _lines(new))

    def _read(self, old: tuple[object, list[Point]], new: tuple[object, list[Point]]) -> bool:
        if old[0] != new[0] or len(old[1]) != len(new[1]):
            return False
        return all(self._points.setdefault(a, b) == b for a, b in zip(old[1], new[1], strict=True))

    def moved(self) -> dict[int, int] | None:
        """The new line of each line at which something begins; None when the lines changed their order."""
        after = [new for _, new in sorted(self._points.items())]
        if any(first >= second for first, second in pairwise(after)):
            return None
        return {old: new for (old, end), (new, _) in self._points.items() if not end}
