"""The engine's own uses of members that are there: calls that do not bind, and members of another kind."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from shimgen.gaps.contract import contract_of
from shimgen.gaps.decorators import opaque
from shimgen.gaps.drift.finding import Context, Finding, a
from shimgen.gaps.members import Lookup
from shimgen.model.binding import binds
from shimgen.model.domain import CALLABLE, Demand, MemberKind, Provider, Site, SiteKind, Wrapper
from shimgen.model.facts import Param
from shimgen.model.reason import Reason

_USES = (SiteKind.CALL, SiteKind.READ)
_VALUES = frozenset((MemberKind.PROPERTY, MemberKind.INSTANCE, MemberKind.CLASS_ATTRIBUTE))


def wrong_uses(context: Context, wrapper: Wrapper) -> Iterator[Finding]:
    """Findings on the demanded members that the wrapper itself defines or inherits.

    A wrapper that only stands inside another one is called by that one, and not by the engine.
    """
    if wrapper.cls not in context.facing or not wrapper.entry:
        return
    for demand in context.demands.values():
        sites = [s for s in demand.asking(*_USES) if s.role in (wrapper.role, "any")]
        own = context.members.look(wrapper.cls, demand.member) if sites else Lookup()
        if own.provider is not None:
            yield from _called(context, wrapper, demand, own.provider, sites)
            yield from _read(context, wrapper, demand, own.provider, sites)


def _called(
    context: Context, wrapper: Wrapper, demand: Demand, provider: Provider, sites: list[Site]
) -> Iterator[Finding]:
    calls = [s for s in sites if s.kind is SiteKind.CALL]
    place = provider.cls.at(provider.line)
    detail = {"owner": provider.cls.name, "place": place}
    if provider.kind in CALLABLE and not any(opaque(context.program, provider.cls.path, provider.decorators)):
        unbound = _unbound(calls, demand, provider.taken)
        if unbound and not _is_for_others(context, wrapper, demand, unbound):
            site = min(unbound, key=lambda s: (s.guarded, s.path, s.line))
            detail |= {"site": site.place, "signature": provider.signature}
            advice = f"let {provider.cls.name}.{demand.member} take what the engine passes"
            yield Finding(wrapper, provider.cls, demand.member, Reason.CALL_BINDS, detail, advice)
    elif calls and context.chains.is_value(wrapper.cls, demand.member):
        detail |= {"site": calls[0].place, "kind": a(provider.kind)}
        advice = f"make {demand.member} a method"
        yield Finding(wrapper, provider.cls, demand.member, Reason.CALLED_VALUE, detail, advice)


def _is_for_others(context: Context, wrapper: Wrapper, demand: Demand, calls: list[Site]) -> bool:
    """Whether a declared interface that the wrapper does not have takes the calls: then they are for models with it."""
    order = context.program.mro(wrapper.cls).classes
    for protocol in (d.protocol for d in context.demands.values() if d.protocol is not None):
        contract = contract_of(context.program, protocol)
        _, working = contract.bodies.get(demand.member, (protocol, None))
        function = working or contract.left.get(demand.member)
        if (
            protocol not in order
            and function is not None
            and all(_binds(c, demand, function.params[1:]) for c in calls)
        ):
            return True
    return False


def _unbound(calls: list[Site], demand: Demand, params: tuple[Param, ...]) -> list[Site]:
    """The calls that do not fit. A file that has another call which fits tells models apart before it calls."""
    fits = {site.path for site in calls if _binds(site, demand, params)}
    return [site for site in calls if site.path not in fits]


def _binds(site: Site, demand: Demand, params: tuple[Param, ...]) -> bool:
    """Whether the call fits, without the keywords that the engine passes only where the signature has them."""
    if site.shape is None or "isinstance" in site.guard:
        return True
    probed = {s.parameter for s in demand.sites if s.kind is SiteKind.SIGNATURE and s.path == site.path}
    return binds(replace(site.shape, keywords=tuple(k for k in site.shape.keywords if k not in probed)), params)


def _read(
    context: Context, wrapper: Wrapper, demand: Demand, provider: Provider, sites: list[Site]
) -> Iterator[Finding]:
    """A method where the engine reads a value, as every candidate has it. A method may be read to be called later,
    so the delegate has to say what the engine means."""
    reads = [s for s in sites if s.kind is SiteKind.READ]
    candidates = wrapper.delegate.candidates
    below = [context.members.look(c, demand.member).provider for c in candidates]
    if not reads or provider.kind is not MemberKind.METHOD or any(s.kind is SiteKind.CALL for s in sites):
        return
    if below and all(p is not None and p.kind in _VALUES for p in below):
        detail = {
            "owner": provider.cls.name,
            "place": provider.cls.at(provider.line),
            "site": reads[0].place,
            "delegate": candidates[0].name,
        }
        advice = f"make {demand.member} a property"
        yield Finding(wrapper, provider.cls, demand.member, Reason.READ_METHOD, detail, advice)
