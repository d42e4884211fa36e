"""Configs: how what the engine passes to the class reaches the delegate's class, and what the delegate keeps of it."""

from __future__ import annotations

from shimgen.gaps.case import Case, Refusal, by_hand
from shimgen.model.calling import given
from shimgen.model.domain import ClassRef, Delegate
from shimgen.model.facts import Expr, Function
from shimgen.model.program import Program
from shimgen.model.reason import Reason


def projection(program: Program, delegate: Delegate, parameter: str) -> tuple[str, str] | None:
    """The name of the delegate's class in the owner's module, and the expression that it gets for `parameter`.

    Read from the constructor call `self.x = Class(config.text_config, ...)`: the argument must be a chain that
    begins at the constructor's own parameter of the same name. None when the source does not show that.
    """
    attribute = program.attributes(delegate.owner).get(delegate.attribute)
    if len(delegate.candidates) != 1 or attribute is None or attribute.value is None or attribute.value.op != "call":
        return None
    callee = attribute.value.parts[0]
    inner = program.find(delegate.candidates[0], "__init__")
    outer = program.find(delegate.owner, "__init__")
    if callee.op != "name" or inner is None or outer is None:
        return None
    if program.resolve(delegate.owner.path, callee.text).ref != delegate.candidates[0]:
        return None
    argument = _given(attribute.value, inner[1]).get(parameter)
    if argument is None or argument.op != "name":
        return None
    text = _unalias(program, delegate.owner, argument.text)
    names = {p.name for p in outer[1].params[1:]}
    if text.partition(".")[0] != parameter or parameter not in names or _rebound(outer[1], parameter):
        return None
    return callee.text, text


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
        argument = _given(call, inner[1]).get(case.member)
        if argument is not None and not _is_own(case, argument):
            return Refusal(Reason.PROJECTED, {"given": argument.text or "something else"}, by_hand(case))
    return None


def _is_own(case: Case, argument: Expr) -> bool:
    """Whether an argument is what the wrapper itself was given under that name, also among its keywords."""
    if argument.op == "call" and argument.parts[0].text.endswith((".get", ".pop")) and len(argument.parts) > 1:
        return argument.parts[1] == Expr("const", repr(case.member))
    return _unalias(case.program, case.wrapper.delegate.owner, argument.text) == case.member


def _given(call: Expr, constructor: Function) -> dict[str, Expr]:
    """What each parameter of a constructor gets in a call."""
    return dict(given(call, constructor.params[1:]))


def _unalias(program: Program, owner: ClassRef, text: str) -> str:
    """self.config.text_config -> config.text_config where the constructor says self.config = config."""
    head, _, rest = text.partition(".")
    name, _, tail = rest.partition(".")
    attribute = program.attributes(owner).get(name)
    if head != "self" or attribute is None or attribute.value is None or attribute.value.op != "name":
        return text
    return ".".join(part for part in (attribute.value.text, tail) if part)


def _rebound(function: Function, parameter: str) -> bool:
    return any(store.target == parameter or store.target.startswith(f"{parameter}.") for store in function.stores)
