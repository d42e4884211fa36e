"""State that the engine keeps on a model: members that it sets itself and that no model defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from shimgen.model.domain import Site, SiteKind
from shimgen.model.program import Program


def settle(program: Program, sites: Mapping[str, Sequence[Site]]) -> dict[str, list[Site]]:
    """The same sites, where uses of a member that the engine itself sets are guarded by that assignment.

    A member that some model class has is not the engine's own, even if the engine also sets it.
    """
    written = {member: site for member, found in sites.items() if (site := _assignment(found)) is not None}
    owned = written.keys() - _defined(program) if written else frozenset()
    return {
        member: [_guarded(site, written[member]) for site in found] if member in owned else list(found)
        for member, found in sites.items()
    }


def _assignment(sites: Sequence[Site]) -> Site | None:
    return next((s for s in sites if s.kind is SiteKind.WRITE and not s.ambiguous), None)


def _guarded(site: Site, assignment: Site) -> Site:
    if site.guarded or site.kind is SiteKind.WRITE:
        return site
    return replace(site, guarded=True, guard=f"the engine sets it at {assignment.place}")


def _defined(program: Program) -> frozenset[str]:
    """Every member that some model class defines or sets on itself."""
    names: set[str] = set()
    for ref in program.model_classes():
        cls = program.cls(ref)
        names.update(attribute.name for attribute in cls.attributes)
        for function in cls.functions:
            names.add(function.name)
            names.update(s.target.removeprefix("self.") for s in function.stores if s.target.startswith("self."))
    return frozenset(names)
