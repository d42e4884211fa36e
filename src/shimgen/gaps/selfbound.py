"""Values of a class that mean something else once another class has them: they bind to what they are read on."""

from __future__ import annotations

from shimgen.model.calling import definition, values_of
from shimgen.model.domain import ClassRef
from shimgen.model.facts import SLOT, Expr
from shimgen.model.program import Program

_DEPTH = 4
# Descriptors of Python, by the last part of their names.
_DESCRIPTORS = frozenset(("property", "classmethod", "staticmethod", "cached_property", "partialmethod"))


def binds_itself(program: Program, cls: ClassRef, member: str) -> bool:
    """Whether the value that a class gives a member is a function or another descriptor, as far as can be seen."""
    values = [a.value for a in program.cls(cls).attributes if a.name == member and a.value is not None]
    return bool(values) and _binds(program, cls, values[-1], _DEPTH)


def _binds(program: Program, cls: ClassRef, value: Expr, depth: int) -> bool:
    if value.op == "choice":
        return any(_binds(program, cls, part, depth) for part in value.parts)
    if value.op == "call":
        return _gives_descriptors(program, cls.path, value.parts[0].text)
    return (
        value.op == "lambda"
        or value == SLOT
        or (value.op == "name" and depth > 0 and _names_one(program, cls, value.text, depth - 1))
    )


def _names_one(program: Program, cls: ClassRef, name: str, depth: int) -> bool:
    facts = program.cls(cls)
    if any(function.name == name for function in facts.functions):
        return True
    own = [a.value for a in facts.attributes if a.name == name and a.value is not None]
    if own:
        return _binds(program, cls, own[-1], depth)
    named = program.resolve(cls.path, name)
    return named.kind == "function" or any(value.op == "lambda" for value in values_of(program, named))


def _gives_descriptors(program: Program, path: str, callee: str) -> bool:
    """Whether what a class or function of that name gives is a descriptor."""
    named = program.resolve(path, callee)
    if named.ref is None:
        return (named.name or callee).rpartition(".")[2] in _DESCRIPTORS
    order = program.mro(named.ref)
    above = {name.rpartition(".")[2] for name in (*order.externals, *order.unresolved)}
    return definition(program, order.classes, "__get__") is not None or bool(above & _DESCRIPTORS)
