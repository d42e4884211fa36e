"""What a lint says, and what all lints are given."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from shimgen.gaps.drift.chains import Chains
from shimgen.gaps.drift.near import NearNames
from shimgen.gaps.drift.through import Through, goes_through
from shimgen.gaps.members import Members
from shimgen.model.domain import ClassRef, Demand, MemberKind, Wrapper
from shimgen.model.facts import Function
from shimgen.model.program import Program
from shimgen.model.reason import Reason


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong in `owner`'s code, seen from `wrapper`; `detail` has "place", the line to look at."""

    wrapper: Wrapper
    owner: ClassRef
    member: str
    reason: Reason
    detail: Mapping[str, str]
    advice: str


class Bodies:
    """What methods go through, kept: many wrappers inherit the same ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[ClassRef, str, int], tuple[Through, ...]] = {}

    def through(self, owner: ClassRef, function: Function) -> tuple[Through, ...]:
        """What `function` of `owner` uses of the objects that its own object holds."""
        key = (owner, function.name, function.line)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = goes_through(function)
        return found


class Context(msgspec.Struct, frozen=True):
    """The analysis so far. `facing` are the wrappers that the engine can hold or reaches through another one."""

    program: Program
    members: Members
    chains: Chains
    demands: Mapping[str, Demand]
    facing: frozenset[ClassRef]
    near: NearNames
    bodies: Bodies = msgspec.field(default_factory=Bodies)


def a(kind: MemberKind) -> str:
    """The kind with its article."""
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
