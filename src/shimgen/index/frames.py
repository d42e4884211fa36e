"""What an evaluation goes through: values, and the function in whose light an expression is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from shimgen.model.calling import definition, method_above
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Expr, Function
from shimgen.model.program import Program

_DEPTH = 8


class Values(msgspec.Struct, frozen=True, gc=False):
    """What an expression may evaluate to: instances of classes, the classes themselves, None, or unknown.
    `registered`: a factory of the profile makes it."""

    instances: frozenset[ClassRef] = frozenset()
    classes: frozenset[ClassRef] = frozenset()
    external: frozenset[str] = frozenset()
    none: bool = False
    unknown: str = ""
    registered: bool = False

    def __or__(self, other: Values) -> Values:
        return Values(
            self.instances | other.instances,
            self.classes | other.classes,
            self.external | other.external,
            self.none or other.none,
            self.unknown or other.unknown,
            self.registered or other.registered,
        )


NOTHING = Values()


class Frame(msgspec.Struct, frozen=True):
    """A function under evaluation: for which object, defined by which class, with which arguments.

    `line` is where a method of `owner` calls it, of a function that is none of its methods and gets the object.
    """

    path: str
    function: Function
    bound: Mapping[str, Values]
    self_type: ClassRef | None = None
    owner: ClassRef | None = None
    depth: int = _DEPTH
    line: int = 0


MODULE = Function("<module>", 0, 0, "function")


def union(parts: Iterable[Values]) -> Values:
    """Everything that any of the parts may be."""
    result = NOTHING
    for part in parts:
        result = part if result is NOTHING else result | part
    return result


def first_parameter(function: Function) -> str:
    """The name of self or cls, "" where there is none."""
    return function.first if function.kind != "staticmethod" else ""


def self_attribute(function: Function, target: str) -> str:
    """The X of a target "self.X", "" for other targets."""
    head, _, name = target.partition(".")
    return name if head and "." not in name and head == first_parameter(function) else ""


def called_method(program: Program, frame: Frame, callee: Expr) -> tuple[ClassRef, Function, bool] | None:
    """The method of the object under evaluation that `callee` names, and whether self is passed by hand."""
    if frame.self_type is None:
        return None
    head, _, member = callee.text.rpartition(".")
    if callee.op == "name" and head and head == first_parameter(frame.function):
        found = definition(program, program.mro(frame.self_type).classes, member)
        return (*found, False) if found else None
    return method_above(program, frame.self_type, frame.owner, frame.path, callee)
