"""Members of bodies, and members that run whole batches: is it what the engine means?"""

from __future__ import annotations

from shimgen.gaps.case import Case, by_hand
from shimgen.model.domain import MemberKind, Provider, Refusal
from shimgen.model.facts import Function
from shimgen.model.reason import Reason


def bypass(case: Case) -> Refusal | None:
    """Another way to run the model on a batch: the wrapper's own forward embeds images and the like before that."""
    needed = set(case.profile.models.body_parameters)
    for provider in case.providers:
        if needed and needed <= {param.name for param in provider.params}:
            advice = f"write {case.member} on {case.wrapper.cls.name} after its own forward"
            return Refusal(Reason.BYPASS, {}, advice)
    return None


def body_meaning(case: Case) -> Refusal | None:
    """The engine speaks to full models; a body's method of that name may take what the full model has translated.

    It is the same when a full model over the same body hands its own arguments on as they came, or when that is what
    full models over other bodies do.
    """
    if case.wrapper.delegate.shape != "body":
        return None
    for provider in case.providers:
        if provider.kind is not MemberKind.METHOD or len(provider.params) < 2:
            continue
        effects = case.reach.effects(provider.candidate, case.member)
        if (effects.writes or effects.mutates) and not (_handed_on_as_is(case, provider) or _is_custom(case)):
            return Refusal(Reason.BODY_MEANING, {}, by_hand(case))
    return None


def _handed_on_as_is(case: Case, provider: Provider) -> bool:
    """Whether a full model of the checkout answers the member by passing its arguments to the same body."""
    for ref in case.program.model_classes():
        for name, attribute in case.program.attributes(ref).items():
            if provider.candidate in attribute.types or provider.cls in attribute.types:
                found = case.program.find(ref, case.member)
                if found is not None and _passes_on(found[1], name, case.member):
                    return True
    return False


def _is_custom(case: Case) -> bool:
    """Whether full models that answer the member over a body with it, two at least, all hand their arguments on."""
    handed: list[bool] = []
    for ref in case.program.model_classes():
        own = [f for f in case.program.cls(ref).functions if f.name == case.member and not f.stub]
        attributes = case.program.attributes(ref) if own else {}
        bodies = [(name, attributes[name].types) for name in case.profile.models.body_attributes if name in attributes]
        with_it = [name for name, types in bodies if any(case.program.find(t, case.member) for t in types)]
        handed += [_passes_on(own[-1], name, case.member) for name in with_it]
    return len(handed) > 1 and all(handed)


def _passes_on(function: Function, attribute: str, member: str) -> bool:
    """A body that is nothing but self.<attribute>.<member>(its own parameters, in their order)."""
    own, *rest = [p.name for p in function.params] or [""]
    target = f"{own}.{attribute}.{member}"
    calls = [call for call in function.calls if call.expr.parts[0].text == target]
    if function.stores or len(function.calls) != 1 or len(calls) != 1 or calls[0].expr.keys:
        return False
    return [part.text for part in calls[0].expr.parts[1:]] == rest
