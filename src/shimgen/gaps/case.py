"""One gap under decision, and what speaks against forwarding it."""

from __future__ import annotations

import msgspec

from shimgen.gaps.members import Lookup, Members
from shimgen.gaps.reach import Reach
from shimgen.model.domain import Demand, Provider, Site, SiteKind, Wrapper
from shimgen.model.profile import Profile
from shimgen.model.program import Program


class Case(msgspec.Struct, frozen=True):
    """One gap under decision."""

    program: Program
    profile: Profile
    members: Members
    reach: Reach
    wrapper: Wrapper
    demand: Demand
    lookups: tuple[Lookup, ...]

    @property
    def member(self) -> str:
        return self.demand.member

    @property
    def providers(self) -> tuple[Provider, ...]:
        return tuple(lookup.provider for lookup in self.lookups if lookup.provider is not None)

    @property
    def changed_at(self) -> tuple[Site, ...]:
        """Where the engine assigns or deletes the member of a model that is no draft."""
        return tuple(s for s in self.demand.asking(SiteKind.WRITE, SiteKind.DELETE) if s.role != "draft")


def by_hand(case: Case) -> str:
    return f"write {case.member} on {case.wrapper.cls.name} by hand"
