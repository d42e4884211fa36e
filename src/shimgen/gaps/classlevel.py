"""Members that the engine asks of the class: how the config that it passes reaches the delegate's class."""

from __future__ import annotations

from shimgen.model.domain import ClassRef, Delegate
from shimgen.model.facts import Function
from shimgen.model.program import Program


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
    count = len(attribute.value.parts) - 1 - len(attribute.value.keys)
    positional = [p.name for p in inner[1].params[1:] if p.kind in ("posonly", "pos")]
    given = dict(zip(positional, attribute.value.parts[1 : 1 + count], strict=False))
    given.update(zip(attribute.value.keys, attribute.value.parts[1 + count :], strict=True))
    argument = given.get(parameter)
    if argument is None or argument.op != "name":
        return None
    text = _unalias(program, delegate.owner, argument.text)
    names = {p.name for p in outer[1].params[1:]}
    if text.partition(".")[0] != parameter or parameter not in names or _rebound(outer[1], parameter):
        return None
    return callee.text, text


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
