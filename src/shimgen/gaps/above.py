"""Which method of a class above a call reaches, in each way that Python has to say so."""

from __future__ import annotations

from shimgen.model.domain import ClassRef
from shimgen.model.facts import Expr, Function
from shimgen.model.program import Program


def method_above(
    program: Program, ref: ClassRef, owner: ClassRef | None, where: str, callee: Expr
) -> tuple[ClassRef, Function, bool] | None:
    """The class and method that `super().name`, `super(X, self).name` or `X.name` reach on an instance of `ref`, and
    whether the object is passed by hand, as in the last; None for any other callee.

    The call stands in the file `where`, in a method of `owner` where it stands in one.
    """
    order = program.mro(ref).classes
    if callee.op == "attr" and is_super(callee.parts[0]):
        given = callee.parts[0].parts[1:]
        after = program.resolve(where, given[0].text).ref if given and given[0].text != "__class__" else owner
        name, classes, by_hand = callee.text, order[order.index(after) + 1 :] if after in order else (), False
    elif callee.op == "name":
        head, _, name = callee.text.rpartition(".")
        base = program.resolve(where, head).ref if head else None
        classes, by_hand = program.mro(base).classes if base is not None and base in order else (), True
    else:
        return None
    named = ((cls, f, by_hand) for cls in classes for f in reversed(program.cls(cls).functions) if f.name == name)
    return next(named, None)


def is_super(value: Expr) -> bool:
    """Whether a value is a call of `super`, with arguments or without."""
    return value.op == "call" and value.parts[0].op == "name" and value.parts[0].text == "super"
