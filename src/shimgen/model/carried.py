"""Patches that the user carries besides shimgen's own, and how they fare on one source."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from shimgen.model.domain import FileChange


class CarriedState(StrEnum):
    """How a carried patch fares. `PARTLY`: some of its hunks are there already, all others apply."""

    APPLIES = "applies"
    THERE = "already there"
    PARTLY = "partly there"
    CONFLICTS = "conflicts"


class HunkConflict(msgspec.Struct, frozen=True):
    """Where a carried patch does not apply: 1-based `hunk` of the file's, 1-based `line` of the file (0: there is no
    such file), the reason as a clause, and what stands at that line now."""

    path: str
    line: int
    hunk: int
    reason: str
    found: str = ""

    @property
    def sentence(self) -> str:
        """File, hunk, reason, and what stands there now."""
        where = f"{self.path}:{self.line}" if self.line else self.path
        stands = f", and {self.found!r} stands there" if self.found else ""
        return f"{where}, hunk {self.hunk}: {self.reason}{stands}"


class CarriedPatch(msgspec.Struct, frozen=True):
    """One carried patch on one source.

    `name` is what the user calls it, `reason` why it is carried, `first` that it comes before the shims; `paths` are
    the files that it is about. `changes` are those that it changes, as they are when its turn comes; none with a
    conflict, and none when it is there. `hunks` it has, of which `there` are there already. `stands`: the checkout has
    all of it.
    """

    name: str
    reason: str
    first: bool
    state: CarriedState
    paths: tuple[str, ...] = ()
    changes: tuple[FileChange, ...] = ()
    conflicts: tuple[HunkConflict, ...] = ()
    hunks: int = 0
    there: int = 0
    stands: bool = False

    @property
    def made(self) -> bool:
        """Whether it can be, so that all of it is there afterwards."""
        return self.state is not CarriedState.CONFLICTS

    @property
    def sentence(self) -> str:
        """How it fares, as a clause."""
        if self.state is CarriedState.PARTLY:
            return f"{self.there} of {self.hunks} hunks are already there, the others apply"
        if self.state is CarriedState.CONFLICTS:
            return "; ".join(["conflicts", *(conflict.sentence for conflict in self.conflicts)])
        return "is already there, in whole" if self.state is CarriedState.THERE else "applies"
