"""How a wrapper's constructor makes its delegate: what it passes on, and how that became of what it got itself."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from shimgen.model.calling import given, positional
from shimgen.model.domain import ClassRef, Delegate
from shimgen.model.facts import Expr, Function, Param
from shimgen.model.program import Program


class Construction(msgspec.Struct, frozen=True):
    """The constructor call that makes a delegate: the callee as written, what each parameter of the delegate's
    constructor is given, and the wrapper's own constructor around it, with its class."""

    callee: str
    given: Mapping[str, Expr]
    constructor: Function
    owner: ClassRef


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
    return Construction(call.parts[0].text, dict(given(call, inner[1].params[1:])), outer[1], delegate.owner)


def projection(program: Program, made: Construction, parameter: str) -> str | None:
    """What becomes of the wrapper's own `parameter` on the way to the delegate's of that name: `config.text_config`.

    None where the constructor passes on anything but a chain that begins at its own parameter of that name.
    """
    argument = made.given.get(parameter)
    if argument is None or argument.op != "name":
        return None
    text = unaliased(program, made.owner, made.constructor, argument.text)
    own = {p.name for p in made.constructor.params[1:]}
    rebound = any(s.target == parameter or s.target.startswith(f"{parameter}.") for s in made.constructor.stores)
    return text if text.partition(".")[0] == parameter and parameter in own and not rebound else None


def handed(program: Program, made: Construction | None, param: Param) -> str | None:
    """What a class-level member of the wrapper hands on for a parameter; None for a configuration of which the
    constructor does not show what the delegate is given."""
    if param.kind not in ("var", "varkw"):
        if made is not None and param.name in made.given:
            return projection(program, made, param.name)
        if "config" in param.name:
            return None
    return param.name


def unaliased(program: Program, owner: ClassRef, constructor: Function, text: str) -> str:
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
