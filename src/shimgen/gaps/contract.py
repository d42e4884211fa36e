"""What a protocol asks of the models that have it as a base, and what it gives them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from shimgen.model.domain import ClassRef
from shimgen.model.facts import Function
from shimgen.model.program import Program


class Contract(msgspec.Struct, frozen=True):
    """The public members of a protocol and of the protocols it builds on, by how they are written there.

    `left` are those that models must bring: empty methods, and None for bare annotations. `bodies` are methods that
    work as they stand, each with its class. `values` are attributes with a value. `classes` is where all this is
    written. `marks` are the values that say no more than that a model supports it.
    """

    protocol: ClassRef
    classes: tuple[ClassRef, ...]
    left: Mapping[str, Function | None]
    bodies: Mapping[str, tuple[ClassRef, Function]]
    values: frozenset[str]
    marks: frozenset[str]

    @property
    def brought(self) -> frozenset[str]:
        """The members that are the business of models that support the protocol, and of no others."""
        return frozenset((*self.left, *self.bodies))

    @property
    def names(self) -> tuple[str, ...]:
        """All its members, sorted."""
        return tuple(sorted((*self.left, *self.bodies, *self.values)))

    @property
    def is_mark(self) -> bool:
        """Whether nothing in it says what a model must be able to do."""
        return not self.bodies and not any(function is not None for function in self.left.values())


def contract_of(program: Program, protocol: ClassRef) -> Contract:
    """The contract of a protocol; the nearest definition in its MRO counts."""
    classes = program.mro(protocol).classes
    left: dict[str, Function | None] = {}
    bodies: dict[str, tuple[ClassRef, Function]] = {}
    values: set[str] = set()
    marks: set[str] = set()
    for cls in classes:
        facts = program.cls(cls)
        known = {*left, *bodies, *values}
        for attribute in facts.attributes:
            if attribute.value is not None and attribute.name not in known:
                values.add(attribute.name)
                marks |= {attribute.name} if attribute.value.text == "True" else set()
        for function in facts.functions:
            if _is_public(function.name) and function.name not in known and not _is_overload(function):
                left.pop(function.name, None)
                if function.stub:
                    left[function.name] = function
                else:
                    bodies[function.name] = (cls, function)
        for attribute in facts.attributes:
            if attribute.value is None and _is_public(attribute.name) and attribute.name not in {*known, *values}:
                left.setdefault(attribute.name, None)
    left = {name: function for name, function in left.items() if name not in values}
    return Contract(protocol, classes, left, bodies, frozenset(values), frozenset(marks))


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _is_overload(function: Function) -> bool:
    return any(decorator.rpartition(".")[2] == "overload" for decorator in function.decorators)
