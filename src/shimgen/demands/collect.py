"""From uses to demands. Pure: the same program and profile give the same demands in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from msgspec.structs import replace

from shimgen.demands.owned import settle
from shimgen.demands.protocols import Declared, protocol_members
from shimgen.model.domain import CORE, ClassRef, Demand, Site, SiteKind
from shimgen.model.facts import Use
from shimgen.model.globs import matches
from shimgen.model.profile import Interface, Profile
from shimgen.model.program import Program


def collect(program: Program, profile: Profile) -> tuple[Demand, ...]:
    """All demands of the engine, sorted by member; the sites of each sorted by path and line.

    A test for a runtime-checkable protocol is a probe of each of the protocol's members. A test for a declared
    interface is a demand of that protocol as well. Members that the profile ignores are left out.
    """
    sites: dict[str, list[Site]] = {}
    tests: dict[ClassRef, list[Site]] = {}
    declared = Declared(program, profile)
    for path in program.use_paths():
        for use in program.uses(path):
            for member, site in _sites(program, profile, path, use):
                sites.setdefault(member, []).append(site)
            if use.kind == SiteKind.ISINSTANCE:
                asked = declared.asked(path, use.member)
                for protocol in asked:
                    site = _site(profile, path, use)
                    tests.setdefault(protocol, []).append(replace(site, ambiguous=site.ambiguous or len(asked) > 1))
    ignored = frozenset(profile.ignore)
    sites = settle(program, {member: found for member, found in sites.items() if member not in ignored})
    found = [_demand(program, profile, member, _ordered(sites[member])) for member in sites]
    found += [_of_protocol(program, profile, ref, _ordered(tests[ref])) for ref in tests if ref.name not in ignored]
    return tuple(sorted(found, key=lambda d: (d.member, d.protocol or ClassRef("", ""))))


def _demand(program: Program, profile: Profile, member: str, sites: tuple[Site, ...]) -> Demand:
    return Demand(member, sites, _interfaces(program, profile, member, sites))


def _of_protocol(program: Program, profile: Profile, ref: ClassRef, sites: tuple[Site, ...]) -> Demand:
    """A protocol that no interface of the profile names is an interface of its own."""
    found = _interfaces(program, profile, ref.name, sites)
    return Demand(ref.name, sites, (ref.name,) if found == (CORE,) else found, ref)


def unnamed(demands: Iterable[Demand], profile: Profile) -> tuple[Demand, ...]:
    """The demands that no interface of the profile names: what the engine asks for and the profile does not know."""
    known = profile.interfaces.get(CORE, Interface())
    return tuple(d for d in demands if _used(d) and d.interfaces == (CORE,) and not _names(known, d.member))


def _used(demand: Demand) -> bool:
    """Whether the engine asks a model for the member, and does not only set it."""
    return any(site.kind is not SiteKind.WRITE and not site.ambiguous for site in demand.sites)


def _ordered(sites: list[Site]) -> tuple[Site, ...]:
    unique = dict.fromkeys(sites)
    return tuple(sorted(unique, key=lambda s: (s.path, s.line, s.kind.value, s.role, s.expression)))


def _site(profile: Profile, path: str, use: Use) -> Site:
    return Site(
        path=path,
        line=use.line,
        kind=SiteKind(use.kind),
        guarded=use.guarded,
        role=profile.receivers[use.rule].role,
        expression=use.receiver,
        guard=use.guard,
        message=use.message,
        ambiguous=use.ambiguous,
        shape=use.shape,
        value=use.value,
        parameter=use.parameter,
    )


def _sites(program: Program, profile: Profile, path: str, use: Use) -> Iterator[tuple[str, Site]]:
    site = _site(profile, path, use)
    if site.kind is not SiteKind.ISINSTANCE:
        yield use.member, site
        return
    for member in protocol_members(program, path, use.member):
        yield member, site


def _names(interface: Interface, member: str) -> bool:
    return any(fnmatchcase(member, glob) for glob in interface.members)


def _interfaces(program: Program, profile: Profile, member: str, sites: tuple[Site, ...]) -> tuple[str, ...]:
    paths = {program.package_path(site.path) for site in sites if not site.ambiguous}
    found = sorted(
        name
        for name, interface in profile.interfaces.items()
        if name != CORE and (_names(interface, member) or any(matches(path, interface.paths) for path in paths))
    )
    return tuple(found) or (CORE,)
