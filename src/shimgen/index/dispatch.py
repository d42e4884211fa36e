"""Which method a call on an object under evaluation reaches."""

from __future__ import annotations

from shimgen.index.frames import Frame, first_parameter
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Expr, Function
from shimgen.model.program import Program


def called_method(program: Program, frame: Frame, callee: Expr) -> tuple[ClassRef, Function, bool] | None:
    """The method of the object under construction that `callee` names, and whether self is passed by hand."""
    ref = frame.self_type
    if ref is None:
        return None
    if callee.op == "attr" and callee.parts[0].op == "call" and callee.parts[0].parts[0].text == "super":
        found = next_definition(program, ref, frame.owner, callee.text)
        return (*found, False) if found else None
    if callee.op != "name" or "." not in callee.text:
        return None
    head, _, member = callee.text.rpartition(".")
    if head == first_parameter(frame.function):
        found = next_definition(program, ref, None, member)
        return (*found, False) if found else None
    base = program.resolve(frame.path, head).ref
    if base is not None and base in program.mro(ref).classes:
        found = next_definition(program, base, None, member)
        return (*found, True) if found else None
    return None


def next_definition(
    program: Program, ref: ClassRef, after: ClassRef | None, name: str
) -> tuple[ClassRef, Function] | None:
    """The first definition of `name` in the MRO of `ref`, behind the class `after` when that is given."""
    order = list(program.mro(ref).classes)
    if after is not None and after in order:
        order = order[order.index(after) + 1 :]
    for cls in order:
        for function in reversed(program.cls(cls).functions):
            if function.name == name:
                return cls, function
    return None
