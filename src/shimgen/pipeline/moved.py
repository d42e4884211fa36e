"""What an analysis found, in a tree in which some lines have moved and nothing else has changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import force_setattr

from shimgen.model.domain import (
    ClassRef,
    Decision,
    Delegate,
    Demand,
    Gap,
    MemberKind,
    Provider,
    Severity,
    Site,
    Wrapper,
)
from shimgen.model.facts import ASSIGNED, Param
from shimgen.model.profile import Recipe
from shimgen.model.reason import Reason
from shimgen.model.source import Skipped

Moves = Mapping[str, Mapping[int, int]]
"""The new line of each line that facts speak of, by the path of its file. Other files are as they were."""

_PLACES: dict[type, Callable[[Any], str]] = {
    ClassRef: lambda ref: str(ref.path),
    Site: lambda site: str(site.path),
    Skipped: lambda skipped: str(skipped.path),
    Delegate: lambda delegate: str(delegate.owner.path),
    Provider: lambda provider: str(provider.cls.path),
}
"""The file whose line a struct holds."""
_PLAIN = frozenset((int, bool, float, MemberKind, Severity, Decision, Reason, Recipe, Param))
"""Types of which no value speaks of a line."""
_WHOLE = frozenset((ClassRef, Site, Skipped))
"""Structs that hold no other line, nor a text of shimgen's own that names one, but for a site's guard."""
_APART: frozenset[type] = frozenset((Wrapper, Demand, Gap))
"""Structs that speak of few files, each by its path."""


def moved(found: msgspec.Struct, moves: Moves) -> bool:
    """Puts the new lines into what was found, which nobody else may hold. False, and `found` is of no use any more,
    when it speaks of a line of which no fact does."""
    try:
        _Mover(moves).move(found)
    except KeyError:
        return False
    return True


class _Mover:
    def __init__(self, moves: Moves) -> None:
        self._moves = moves
        self._seen: set[int] = set()
        paths = "|".join(map(re.escape, sorted(moves, key=len, reverse=True)))
        self._named = re.compile(paths.encode())
        self._place = re.compile(rf"(?<![\w./-])({paths}):(\d+)")

    def move(self, value: msgspec.Struct) -> None:
        """The lines in a struct's parts, and in all that these consist of."""
        for name in value.__struct_fields__:
            part = getattr(value, name)
            if part and part.__class__ not in _PLAIN and (new := self._new(part)) is not part:
                force_setattr(value, name, new)

    def _new(self, part: Any) -> Any:
        """What stands in the place of a part: of a struct it is the same one, with the new lines."""
        kind = part.__class__
        if kind is str:
            return self._place.sub(self._placed, part) if ".py:" in part else part
        if kind is tuple:
            return self._listed(part)
        if kind is dict:
            return {key: self._new(item) for key, item in part.items()}
        if id(part) not in self._seen:
            self._seen.add(id(part))
            if kind in _PLACES:
                self._move_line(part, self._moves.get(_PLACES[kind](part)))
            if kind not in _WHOLE:
                self.move(part)
        return part

    def _listed(self, parts: tuple[Any, ...]) -> tuple[Any, ...]:
        if not parts or parts[0].__class__ not in _APART:
            return tuple([self._new(item) if item.__class__ not in _PLAIN else item for item in parts])
        encode, search = msgspec.msgpack.encode, self._named.search
        for item in parts:
            if search(encode(item)):
                self._new(item)
        return parts

    def _move_line(self, part: Any, lines: Mapping[int, int] | None) -> None:
        if lines is not None and part.line:
            force_setattr(part, "line", lines[part.line])
        if part.__class__ is Site and part.guard:
            force_setattr(part, "guard", self._guard(part.guard, lines))

    def _guard(self, guard: str, lines: Mapping[int, int] | None) -> str:
        if lines is not None and guard.startswith(ASSIGNED):
            return f"{ASSIGNED}{lines[int(guard.removeprefix(ASSIGNED))]}"
        return str(self._new(guard))

    def _placed(self, match: re.Match[str]) -> str:
        return f"{match[1]}:{self._moves[match[1]][int(match[2])]}"
