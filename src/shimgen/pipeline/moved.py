"""What an analysis found, in a tree in which some lines have moved and nothing else has changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec.structs import force_setattr

from shimgen.model.domain import ClassRef, Delegate, Provider, Site
from shimgen.model.facts import ASSIGNED, CallShape, Expr, Param
from shimgen.model.profile import Recipe
from shimgen.model.source import Skipped

Kind = TypeVar("Kind", bound=msgspec.Struct)
Moves = Mapping[str, Mapping[int, int]]
"""The new line of each line that facts speak of, by the path of its file. Other files are as they were."""

_FREE = frozenset((str, int, float, bool, type(None), Expr, CallShape, Param, Recipe))
"""Types that hold no line, but for texts."""


def moved(found: Kind, moves: Moves) -> bool:
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
        paths = "|".join(map(re.escape, sorted(moves, key=len, reverse=True)))
        self._place = re.compile(rf"(?<![\w./-])({paths}):(\d+)")

    def move(self, value: Any) -> None:
        """The lines in a struct, and in all that it consists of."""
        path = _path(value)
        if path in self._moves and value.line:
            force_setattr(value, "line", self._moves[path][value.line])
        for name in value.__struct_fields__:
            part = getattr(value, name)
            kind = part.__class__
            if kind is str:
                if part.startswith(ASSIGNED) and path in self._moves:
                    line = int(part.removeprefix(ASSIGNED))
                    force_setattr(value, name, f"{ASSIGNED}{self._moves[path][line]}")
                elif ".py:" in part:
                    force_setattr(value, name, self._text(part))
            elif kind is tuple:
                force_setattr(value, name, tuple([self._item(item) for item in part]))
            elif kind is dict:
                force_setattr(value, name, {key: self._item(item) for key, item in part.items()})
            elif isinstance(part, msgspec.Struct) and kind not in _FREE:
                self.move(part)

    def _item(self, item: Any) -> Any:
        if item.__class__ is str:
            return self._text(item)
        if isinstance(item, msgspec.Struct) and item.__class__ not in _FREE:
            self.move(item)
        return item

    def _text(self, text: str) -> str:
        return self._place.sub(lambda m: f"{m[1]}:{self._moves[m[1]][int(m[2])]}", text)


def _path(value: Any) -> str:
    """The file whose line a struct holds, "" for one that holds none."""
    if isinstance(value, ClassRef | Site | Skipped):
        return value.path
    if isinstance(value, Delegate):
        return value.owner.path
    return value.cls.path if isinstance(value, Provider) else ""
