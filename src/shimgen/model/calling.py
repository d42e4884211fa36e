"""Calls, on facts: which argument each parameter gets, which method a callee reaches, and the classes that make an
instance of another class when they are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from shimgen.model.domain import ClassRef
from shimgen.model.facts import Call, Expr, Function, Param, last_named
from shimgen.model.program import Program, Resolved

POSITIONAL = ("posonly", "pos")
"""The kinds of parameters that take an argument by its position."""


def positional(call: Expr) -> tuple[Expr, ...]:
    """The arguments of a call that are passed by position."""
    return call.parts[1 : len(call.parts) - len(call.keys)]


def keywords(call: Expr) -> list[tuple[str, Expr]]:
    """The arguments of a call that are passed by name; "**" is the name of a mapping."""
    return list(zip(call.keys, call.parts[len(call.parts) - len(call.keys) :], strict=True))


def given(call: Expr, params: Sequence[Param]) -> list[tuple[str, Expr]]:
    """Which parameter each argument of a call goes to, by its name, as far as there are such parameters."""
    names = (p.name for p in params if p.kind in POSITIONAL)
    return [*zip(names, positional(call), strict=False), *keywords(call)]


def definition(program: Program, classes: Iterable[ClassRef], name: str) -> tuple[ClassRef, Function] | None:
    """The first definition of a method in `classes`, be it a stub, and its class."""
    found = ((cls, last_named(program.cls(cls).functions, name)) for cls in classes)
    return next(((cls, function) for cls, function in found if function is not None), None)


def methods(program: Program, ref: ClassRef) -> Iterator[tuple[ClassRef, Function]]:
    """The functions of a class and of those that it inherits from, the nearest first, each with its class."""
    for cls in program.mro(ref).classes:
        for function in program.cls(cls).functions:
            yield cls, function


def is_plain(value: Expr) -> bool:
    """A literal that is not None: a number, a string, a list, a dict."""
    return value.op in ("seq", "dict") or (value.op == "const" and value.text != "None")


def holds_plain(program: Program, ref: ClassRef, name: str) -> bool:
    """Whether every assignment in the classes' own code gives an instance's attribute such a literal."""
    stores = [
        store
        for _, function in methods(program, ref)
        for store in function.stores
        if function.params and store.target == f"{function.first}.{name}"
    ]
    return bool(stores) and all(s.value is not None and is_plain(s.value) for s in stores)


def assigned(program: Program, path: str, name: str) -> list[Expr]:
    """The values that statements of a module assign to a name."""
    return [s.value for s in program.module(path).stores if s.target == name and s.value is not None]


def values_of(program: Program, named: Resolved) -> list[Expr]:
    """The values that a name of a module stands for, none where it stands for something else."""
    return assigned(program, named.path, named.name) if named.kind == "value" else []


def routine(program: Program, named: Resolved) -> Function | None:
    """The function of a module that a name stands for, None where it stands for something else."""
    return last_named(program.module(named.path).functions, named.name) if named.kind == "function" else None


class Taker(msgspec.Struct, frozen=True):
    """A function that gets another one's object: `function` has the parameter first that stands for it."""

    path: str
    function: Function
    owner: ClassRef | None = None


def takers(program: Program, giver: Taker, call: Call) -> Sequence[Taker]:
    """The function, no method of it, to which a method hands its object by a call, and those it is handed on to."""
    found: list[Taker] = []
    if giver.function.kind not in ("classmethod", "staticmethod"):
        _take(program, giver, call, found)
    return found


def _take(program: Program, giver: Taker, call: Call, found: list[Taker]) -> None:
    taker = _taker(program, giver, call)
    if taker is not None and taker not in found:
        found.append(taker)
        for onward in taker.function.calls:
            _take(program, taker, onward, found)


def _taker(program: Program, giver: Taker, call: Call) -> Taker | None:
    callee = call.expr.parts[0]
    head = callee.text.partition(".")[0]
    if callee.op != "name" or giver.function.binds(head):
        return None
    named = program.resolve(giver.path, callee.text, giver.function)
    owner, function, bound = named.ref, routine(program, named), named.ref is not None
    if owner is not None:
        made = definition(program, program.mro(owner).classes, "__init__")
        owner, function = made if made is not None else (owner, None)
    elif function is None and "." in callee.text:
        above, _, name = callee.text.rpartition(".")
        owner = program.resolve(giver.path, above, giver.function).ref
        known = owner is not None and (giver.owner is None or owner not in program.mro(giver.owner).classes)
        found = definition(program, program.mro(owner).classes, name) if owner is not None and known else None
        owner, function = found if found is not None else (None, None)
        bound = function is not None and function.kind == "classmethod"
    if function is None:
        return None
    params = function.params[bound:]
    names = [name for name, value in given(call.expr, params) if value == Expr("name", giver.function.first)]
    own = next((p for p in params if p.name in names), None)
    if own is None:
        return None
    moved = replace(function, kind="function", params=(own, *(p for p in function.params if p != own)))
    return Taker(owner.path if owner is not None else named.path, moved, owner)


def method_above(
    program: Program, ref: ClassRef, owner: ClassRef | None, where: str, callee: Expr
) -> tuple[ClassRef, Function, bool] | None:
    """The class and method that `super().name`, `super(X, self).name` or `X.name` reach on an instance of `ref`, and
    whether the object is passed by hand, as in the last; None for any other callee.

    The call stands in the file `where`, in a method of `owner` where it stands in one.
    """
    order = program.mro(ref).classes
    if callee.op == "attr" and is_super(callee.parts[0]):
        named = callee.parts[0].parts[1:]
        after = program.resolve(where, named[0].text).ref if named and named[0].text != "__class__" else owner
        found = definition(program, order[order.index(after) + 1 :] if after in order else (), callee.text)
        return (*found, False) if found else None
    if callee.op == "name":
        head, _, name = callee.text.rpartition(".")
        base = program.resolve(where, head).ref if head else None
        found = definition(program, program.mro(base).classes if base is not None and base in order else (), name)
        return (*found, True) if found else None
    return None


def is_super(value: Expr) -> bool:
    """Whether a value is a call of `super`, with arguments or without."""
    return value.op == "call" and value.parts[0].op == "name" and value.parts[0].text == "super"


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
