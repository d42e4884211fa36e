"""What wrappers provide already, of what the engine demands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shimgen.gaps.members import Members
from shimgen.model.domain import ClassRef, Demand, Provider
from shimgen.model.profile import Profile
from shimgen.model.program import Program


def provided(
    program: Program, profile: Profile, classes: Sequence[ClassRef], demands: Sequence[Demand]
) -> Mapping[ClassRef, Mapping[str, Provider]]:
    """For each class the demanded members that its own MRO supplies, and who does."""
    members = Members(program, profile)
    found: dict[ClassRef, dict[str, Provider]] = {}
    for ref in classes:
        lookups = ((demand.member, members.look(ref, demand.member).provider) for demand in demands)
        found[ref] = {member: provider for member, provider in lookups if provider is not None}
    return found
