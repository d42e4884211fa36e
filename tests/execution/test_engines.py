"""Random engine code, executed with a model that notes what is asked of it: all of it is a demand, and what raises for
want of a member is not guarded.

Hypothesis prints the smallest code that fails. SHIMGEN_EXAMPLES=5000 for a thorough run, of other code each time.
A probe of one member guards the others that stand below it, by decision (docs/decisions.md); that is left out here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import combinations

import pytest
from hypothesis import given, note

from shimgen.index.use import expressions, paths
from shimgen.index.use.record import Catch
from tests.execution.engines import HEAD, MEMBERS, engines
from tests.execution.snippets import body_of_a_method, examples, saying
from tests.test_demands import LOADER, demands_in

Place = tuple[str, int]
MISSING = [frozenset(some) for size in range(len(MEMBERS) + 1) for some in combinations(MEMBERS, size)]


class MissingError(AttributeError):
    """The model has no such member, for which it was asked at a place."""

    def __init__(self, place: Place) -> None:
        super().__init__(place[0])
        self.place = place


class Anything:
    """What a member is: it can be called, compared, entered and more, and is empty."""

    def __call__(self, *_: object, **__: object) -> Anything:
        return self

    def __getattr__(self, name: str) -> Anything:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _: object) -> Anything:
        return self

    def __setitem__(self, _: object, __: object) -> None:
        return None

    def __iter__(self) -> Iterator[Anything]:
        return iter(())

    def __enter__(self) -> Anything:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __lt__(self, _: object) -> bool:
        return True

    __gt__ = __lt__

    def __format__(self, _: str) -> str:
        return ""

    def __index__(self) -> int:
        return 1

    def __neg__(self) -> Anything:
        return self

    def __radd__(self, _: object) -> Anything:
        return self


class Model:
    """Notes for which of its members it is asked, and on which line."""

    def __init__(self, missing: frozenset[str], asked: set[Place]) -> None:
        self._missing, self._asked = missing, asked

    def __getattribute__(self, name: str) -> object:
        if name not in MEMBERS:
            return object.__getattribute__(self, name)
        frame = sys._getframe(1)
        place = name, frame.f_lineno
        self._asked.add(place)
        if name in self._missing:
            raise MissingError(place)
        return Anything()


def executed(source: str) -> tuple[set[Place], set[Place]]:
    """Where the code asks for which member, and where it fails for want of one, whichever are missing."""
    code = compile(source, LOADER, "exec")
    asked: set[Place] = set()
    failed: set[Place] = set()
    for number, missing in enumerate(MISSING * 3):
        names: dict[str, object] = {}
        exec(code, names)  # noqa: S102  code of our own
        try:
            names["Loader"]().load(Model(missing, asked), saying(number))  # type: ignore[operator]
        except MissingError as error:
            failed.add(error.place)
        except (AssertionError, RuntimeError, TypeError, UnboundLocalError, ValueError) as error:
            if isinstance(error.__cause__, MissingError):
                failed.add(error.__cause__.place)
    return asked, failed


def faults(source: str) -> list[str]:
    """What the demands of the code miss, and what they hold for guarded although it fails."""
    asked, failed = executed(source)
    guards: dict[Place, list[str | None]] = {}
    for demand in demands_in({LOADER: source.encode()}):
        for site in demand.sites:
            guards.setdefault((demand.member, site.line), []).append(site.guard if site.guarded else None)
    lines = source.split("\n")
    missed = [f"{name} is missed: {lines[line - 1]}" for name, line in sorted(asked) if (name, line) not in guards]
    held = [place for place in sorted(failed) if all(_guards(g, place[0]) for g in guards.get(place, [None]))]
    return missed + [f"{name} is not guarded: {lines[line - 1]}" for name, line in held]


def _guards(guard: str | None, member: str) -> bool:
    """Whether a guard is about the member itself, or about any error."""
    return guard is not None and (f"'{member}'" in guard or "'" not in guard)


@examples
@given(engines())
def test_what_is_asked_of_a_model_is_a_demand(source: str) -> None:
    note(source)
    assert faults(source) == []


def _no_end(self: paths.Paths, body: list[object], *_: object) -> None:
    self.block(body)  # type: ignore[arg-type]


FINALLY = "try:\n    if not hasattr(model, 'depth'):\n        return\nfinally:\n    model.depth\n"
OTHER_ERROR = "try:\n    model.width\nexcept KeyError:\n    pass\n"
DEFAULT = "(lambda x=model.heads: x)()\n"


@pytest.mark.parametrize(
    ("owner", "name", "wrong", "code", "fault"),
    [
        (paths.Paths, "_finally", _no_end, FINALLY, "depth is not guarded"),
        (paths, "catch_of", lambda _: Catch("any"), OTHER_ERROR, "width is not guarded"),
        (expressions.Expressions, "defaults", lambda *_: {}, DEFAULT, "heads is missed"),
    ],
)
def test_a_wrong_analysis_is_caught(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, wrong: Callable[..., object], code: str, fault: str
) -> None:
    source = HEAD + body_of_a_method(code.splitlines())
    assert faults(source) == []
    monkeypatch.setattr(owner, name, wrong)
    assert [found.partition(":")[0] for found in faults(source)] == [fault]
