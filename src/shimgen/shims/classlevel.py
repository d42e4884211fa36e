"""Members that belong to the class: by which name the wrapper's module knows the delegate's class, and how what is
passed to the wrapper's class becomes what the delegate's class wants."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from shimgen.model.calling import given, positional
from shimgen.model.domain import ClassRef, Delegate, Gap
from shimgen.model.facts import Expr, Function, Param
from shimgen.model.program import Program
from shimgen.model.reason import Reason
from shimgen.shims.refusal import RefusedError, no_place
from shimgen.shims.scopes import Scope


class Construction(msgspec.Struct, frozen=True):
    """The constructor call that makes a delegate: the callee as written, what each parameter of the delegate's
    constructor is given, and the wrapper's own constructor around it."""

    callee: str
    given: Mapping[str, Expr]
    constructor: Function


def construction(program: Program, delegate: Delegate) -> Construction | None:
    """How `self.x = Class(config.text_config, ...)` makes the one candidate, None when that is not what is written."""
    attribute = program.attributes(delegate.owner).get(delegate.attribute)
    if len(delegate.candidates) != 1 or attribute is None or attribute.value is None:
        return None
    candidate, call = delegate.candidates[0], attribute.value
    inner, outer = program.find(candidate, "__init__"), program.find(delegate.owner, "__init__")
    if call.op != "call" or call.parts[0].op != "name" or inner is None or outer is None:
        return None
    if outer[0] != delegate.owner or not outer[1].line <= attribute.line <= outer[1].end_line:
        return None
    if program.resolve(delegate.owner.path, call.parts[0].text, outer[1]).ref != candidate:
        return None
    if "**" in call.keys or any(argument.op == "star" for argument in positional(call)):
        return None
    return Construction(call.parts[0].text, dict(given(call, inner[1].params[1:])), outer[1])


def class_name(gap: Gap, made: Construction | None, program: Program, scope: Scope) -> str:
    """The name of the delegate's class in the wrapper's module, bound there before the class statement for sure.

    Raises RefusedError when it has none.
    """
    candidates = gap.wrapper.delegate.candidates
    if len(candidates) != 1:
        behind = f"{len(candidates)} classes may stand behind self.{gap.wrapper.delegate.attribute}"
        raise RefusedError(Reason.KIND, {"kind": f"member of the class, while {behind}"})
    for name in (made.callee if made else "", candidates[0].name):
        if name and _is_bound(name, candidates[0], program, scope):
            return name
    raise no_place(f"above it, {scope.path} binds no name to the one class that {gap.member} is to be asked of")


def _is_bound(name: str, candidate: ClassRef, program: Program, scope: Scope) -> bool:
    if scope.means(name.partition(".")[0]) != "early":
        return False
    return program.resolve(scope.path, name).ref == candidate


def project(param: Param, made: Construction | None, program: Program, owner: ClassRef) -> str:
    """What to pass for a parameter of a class-level member.

    The wrapper's constructor shows it: it passes on, to the delegate's parameter of that name, a chain that begins
    at its own parameter of that name. What is no configuration is passed as it is. Raises RefusedError.
    """
    if param.kind in ("var", "varkw"):
        return param.name
    argument = made.given.get(param.name) if made else None
    if made is None or argument is None:
        if "config" in param.name:
            raise RefusedError(Reason.CONFIG, {})
        return param.name
    text = _unalias(argument.text, made.constructor, program, owner) if argument.op == "name" else ""
    own = {p.name for p in made.constructor.params[1:]}
    rebound = any(s.target == param.name or s.target.startswith(f"{param.name}.") for s in made.constructor.stores)
    if text.partition(".")[0] != param.name or param.name not in own or rebound:
        raise RefusedError(Reason.CONFIG, {})
    return text


def _unalias(text: str, constructor: Function, program: Program, owner: ClassRef) -> str:
    """The chain with a local name or an attribute of self exchanged for the one thing it is assigned."""
    for _ in range(4):
        own = constructor.first or "self"
        parts = text.split(".")
        head = 2 if parts[0] == own and len(parts) > 1 else 1
        name, rest = ".".join(parts[:head]), parts[head:]
        values = [s.value for s in constructor.stores if s.target == name]
        if head == 2 and program.attributes(owner).get(parts[1]) is None:
            return text
        if len(values) != 1 or values[0] is None or values[0].op != "name":
            return text
        text = ".".join([values[0].text, *rest])
    return text
