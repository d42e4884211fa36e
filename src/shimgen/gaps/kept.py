"""What a delegate keeps of what it was made with, as its config."""

from __future__ import annotations

from shimgen.gaps.case import Case, by_hand
from shimgen.model.calling import given
from shimgen.model.construction import unaliased
from shimgen.model.domain import Refusal
from shimgen.model.facts import Expr
from shimgen.model.reason import Reason


def other_object(case: Case) -> Refusal | None:
    """What the delegate keeps as it was made with it must be the wrapper's own, not a part that it was given.

    The engine that reads `model.config` means the outer config, and a delegate may have been made with its text part.
    """
    attribute = case.program.attributes(case.wrapper.delegate.owner).get(case.wrapper.delegate.attribute)
    call = attribute.value if attribute is not None else None
    for provider in case.providers:
        kept = case.program.attributes(provider.candidate).get(case.member)
        inner = case.program.find(provider.candidate, "__init__")
        if (
            call is None
            or call.op != "call"
            or kept is None
            or inner is None
            or kept.value != Expr("name", case.member)
        ):
            continue
        if case.program.resolve(case.wrapper.delegate.owner.path, call.parts[0].text).ref != provider.candidate:
            continue
        argument = dict(given(call, inner[1].params[1:])).get(case.member)
        if argument is not None and not _is_own(case, argument):
            return Refusal(Reason.PROJECTED, {"given": argument.text or "something else"}, by_hand(case))
    return None


def _is_own(case: Case, argument: Expr) -> bool:
    """Whether an argument is what the wrapper itself was given under that name, also among its keywords."""
    if argument.op == "call" and argument.parts[0].text.endswith((".get", ".pop")) and len(argument.parts) > 1:
        return argument.parts[1] == Expr("const", repr(case.member))
    owner = case.wrapper.delegate.owner
    outer = case.program.find(owner, "__init__")
    return outer is not None and unaliased(case.program, owner, outer[1], argument.text) == case.member
