"""Members that were meant to replace what a declared interface gives, under a name that it no longer has."""

from __future__ import annotations

from collections.abc import Iterator

from shimgen.gaps.drift.finding import Context, Finding
from shimgen.gaps.drift.names import asking, is_used, misnamed, would_serve
from shimgen.model.domain import ClassRef, Demand, Site, Wrapper
from shimgen.model.facts import Function
from shimgen.model.program import is_protocol
from shimgen.model.reason import Reason


def old_names(context: Context, wrapper: Wrapper) -> Iterator[Finding]:
    """Members that nobody asks for, while a protocol that the class has as a base answers for a near name.

    The delegate's classes are looked at as well: what they say under the old name is lost to the wrapper, too.
    """
    if wrapper.cls not in context.facing:
        return
    for ref in (wrapper.cls, *wrapper.delegate.candidates):
        for name, (owner, function) in sorted(context.members.functions(ref).items()):
            if name in context.demands or name.startswith("_") or is_protocol(context.program, owner):
                continue
            for wanted, _ in context.near.to(name):
                finding = _judged(context, wrapper, ref, owner, function, context.demands[wanted])
                if finding is not None:
                    yield finding


def _judged(
    context: Context, wrapper: Wrapper, ref: ClassRef, owner: ClassRef, function: Function, demand: Demand
) -> Finding | None:
    sites: list[Site] = asking(wrapper, demand)
    given = context.members.look(ref, demand.member).provider
    if not sites or given is None or not is_protocol(context.program, given.cls):
        return None
    if not would_serve(function, sites) or is_used(context, function.name):
        return None
    detail = {"wanted": demand.member, "protocol": given.cls.name}
    return misnamed(wrapper, owner, function, sites[0], Reason.OLD_NAME, **detail)
