"""Members whose name is almost one that the engine asks for: a typo, or a rename that was not followed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shimgen.gaps.binding import binds
from shimgen.gaps.drift.finding import Context, Finding
from shimgen.model.domain import ClassRef, Demand, Site, SiteKind, Wrapper
from shimgen.model.facts import Function
from shimgen.model.reason import Reason


def near_names(context: Context, wrapper: Wrapper) -> Iterator[Finding]:
    """Members that nobody asks for while the engine asks for a near name, which the wrapper does not have.

    One word more or less is near only when the member goes to that very name below.
    """
    if wrapper.cls not in context.facing:
        return
    for name, (owner, function) in sorted(context.members.functions(wrapper.cls).items()):
        if name in context.demands or name.startswith("_"):
            continue
        for wanted, weak in context.near.to(name):
            demand = context.demands[wanted]
            sites = asking(wrapper, demand)
            if (
                sites
                and _is_missing(context, wrapper, demand)
                and would_serve(function, sites)
                and not (weak and not _goes_to(context, owner, function, wanted))
                and not is_used(context, name)
            ):
                yield misnamed(wrapper, owner, function, sites[0], Reason.NEAR_NAME, wanted=wanted)


def misnamed(
    wrapper: Wrapper, owner: ClassRef, function: Function, site: Site, reason: Reason, **detail: str
) -> Finding:
    """A member under another name than the one that is `wanted` at a site of the engine."""
    known = {"owner": owner.name, "place": owner.at(function.line), "site": site.place}
    advice = f"rename {function.name} to {detail['wanted']}, or take it out"
    return Finding(wrapper, owner, function.name, reason, {**known, **detail}, advice)


def _is_missing(context: Context, wrapper: Wrapper, demand: Demand) -> bool:
    found = context.members.look(wrapper.cls, demand.member)
    return found.provider is None and not (found.external or found.uncertain or found.covered)


def asking(wrapper: Wrapper, demand: Demand) -> list[Site]:
    """The sites that need the member of this wrapper."""
    sites = demand.asking(SiteKind.CALL, SiteKind.READ, SiteKind.PROBE)
    return [site for site in sites if site.role in (wrapper.role, "any")]


def would_serve(function: Function, sites: Iterable[Site]) -> bool:
    """Whether the member is what the engine asks for but for its name: a method where it calls, and it takes that."""
    kinds = {site.kind for site in sites}
    if function.kind == "property":
        return SiteKind.CALL not in kinds
    params = function.params[function.kind != "staticmethod" :]
    calls = [site.shape for site in sites if site.shape is not None]
    return SiteKind.READ not in kinds and all(binds(shape, params) for shape in calls)


def is_used(context: Context, name: str) -> bool:
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
