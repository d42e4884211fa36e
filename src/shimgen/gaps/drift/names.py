"""Members whose name is almost one that the engine asks for: a typo, or a rename that was not followed; of members
that were meant to replace what a declared interface gives, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shimgen.gaps.drift.finding import Context, Finding
from shimgen.model.binding import binds
from shimgen.model.domain import ClassRef, Demand, Site, SiteKind, Wrapper
from shimgen.model.facts import Function
from shimgen.model.program import is_protocol
from shimgen.model.reason import Reason

_ASKING = (SiteKind.CALL, SiteKind.READ, SiteKind.PROBE)


def near_names(context: Context, wrapper: Wrapper) -> Iterator[Finding]:
    """Members that nobody asks for while the engine asks for a near name, which the wrapper does not have.

    One word more or less is near only when the member goes to that very name below.
    """
    for owner, function, demand, weak in _unasked(context, wrapper, wrapper.cls):
        meant = not weak or _goes_to(context, owner, function, demand.member)
        if meant and _is_missing(context, wrapper, demand):
            yield from _misnamed(context, wrapper, owner, function, demand, Reason.NEAR_NAME)


def old_names(context: Context, wrapper: Wrapper) -> Iterator[Finding]:
    """Members that nobody asks for, while a protocol that the class has as a base answers for a near name.

    The delegate's classes are looked at as well: what they say under the old name is lost to the wrapper, too.
    """
    program = context.program
    for ref in (wrapper.cls, *wrapper.delegate.candidates):
        for owner, function, demand, _ in _unasked(context, wrapper, ref):
            given = context.members.look(ref, demand.member).provider
            if given is not None and is_protocol(program, given.cls) and not is_protocol(program, owner):
                detail = {"protocol": given.cls.name}
                yield from _misnamed(context, wrapper, owner, function, demand, Reason.OLD_NAME, **detail)


def _unasked(context: Context, wrapper: Wrapper, ref: ClassRef) -> Iterator[tuple[ClassRef, Function, Demand, bool]]:
    """The members of a class that nobody asks for, each with a demand of a near name, and whether that is weak
    evidence; nothing where the engine does not get to the wrapper."""
    if wrapper.cls not in context.facing:
        return
    for name, (owner, function) in sorted(context.members.functions(ref).items()):
        if name not in context.demands and not name.startswith("_"):
            for wanted, weak in context.near.to(name):
                yield owner, function, context.demands[wanted], weak


def _misnamed(
    context: Context, wrapper: Wrapper, owner: ClassRef, function: Function, demand: Demand, reason: Reason, **more: str
) -> Iterator[Finding]:
    """A member under another name than the one that the engine asks of this wrapper, if it would do but for that."""
    sites = [s for s in demand.asking(*_ASKING) if s.role in (wrapper.role, "any")]
    if sites and _would_serve(function, sites) and not _is_used(context, function.name):
        place = owner.at(function.line)
        known = {"owner": owner.name, "place": place, "site": sites[0].place, "wanted": demand.member, **more}
        advice = f"rename {function.name} to {demand.member}, or take it out"
        yield Finding(wrapper, owner, function.name, reason, known, advice)


def _is_missing(context: Context, wrapper: Wrapper, demand: Demand) -> bool:
    found = context.members.look(wrapper.cls, demand.member)
    return found.provider is None and not (found.external or found.uncertain or found.covered)


def _would_serve(function: Function, sites: Iterable[Site]) -> bool:
    """Whether the member is what the engine asks for but for its name: a method where it calls, and it takes that."""
    kinds = {site.kind for site in sites}
    if function.kind == "property":
        return SiteKind.CALL not in kinds
    params = function.params[function.kind != "staticmethod" :]
    calls = [site.shape for site in sites if site.shape is not None]
    return SiteKind.READ not in kinds and all(binds(shape, params) for shape in calls)


def _is_used(context: Context, name: str) -> bool:
    """Whether any file speaks of the name, other than in models' members of that name (which hand it on)."""
    same: dict[str, list[Function]] = {}
    for ref in context.program.model_classes():
        same.setdefault(ref.path, []).extend(f for f in context.program.cls(ref).functions if f.name == name)
    return any(
        not any(f.line <= line <= f.end_line for f in same.get(path, ()))
        for path, line in context.program.mentions(name)
    )


def _goes_to(context: Context, owner: ClassRef, function: Function, wanted: str) -> bool:
    """get_embed_head that returns self.language_model.get_embed_and_head(): the body says which name was meant."""
    return any(t.forward and t.chain.rpartition(".")[2] == wanted for t in context.bodies.through(owner, function))
