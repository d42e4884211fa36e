"""Classes that make an instance of another class when they are called."""

from __future__ import annotations

from collections.abc import Iterator

from shimgen.model.calling import values_of
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Expr, last_named
from shimgen.model.program import Program


def made_instead(program: Program, ref: ClassRef) -> tuple[ClassRef, ...]:
    """The classes of its own file that a class names in `__new__`, from which it may return an instance."""
    function = last_named(program.cls(ref).functions, "__new__")
    if function is None:
        return ()
    values = [s.value for s in function.stores if s.value is not None]
    texts = (name for value in (*values, *function.returned) for name in names(value))
    return tuple(dict.fromkeys(found for text in texts for found in _classes(program, ref.path, text)))


def is_never_made(program: Program, ref: ClassRef) -> bool:
    """Whether calling a class gives an instance of one of the classes that its `__new__` names, and never its own."""
    function = last_named(program.cls(ref).functions, "__new__")
    if function is None or ref in made_instead(program, ref):
        return False
    skipped = ("", function.first)
    made = [value for value in function.returned if value.op == "call" and _callee(value.parts[0]) not in skipped]
    return bool(made_instead(program, ref)) and len(made) == len(function.returned)


def names(expr: Expr) -> Iterator[str]:
    """All dotted names in a value."""
    if expr.op == "name":
        yield expr.text
    for part in expr.parts:
        yield from names(part)


def _callee(expr: Expr) -> str:
    """The plain name that is called, "" for a call of anything else, such as `super().__new__`."""
    return expr.text if expr.op == "name" and "." not in expr.text else ""


def _classes(program: Program, path: str, name: str) -> Iterator[ClassRef]:
    """The class called `name` in a file, or those in the table of that name (also in `table.get`)."""
    found = program.resolve(path, name)
    if found.kind == "unknown" and "." in name:
        found = program.resolve(path, name.rpartition(".")[0])
    if found.ref is not None and found.ref.path == path:
        yield found.ref
    for value in values_of(program, found) if found.path == path else ():
        inner = (program.resolve(path, text).ref for text in names(value))
        yield from (ref for ref in inner if ref is not None and ref.path == path)
