"""Objects that get an attribute in passing: where a method goes through all modules, itself among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shimgen.model.calling import methods, routine
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Expr, Function, Param
from shimgen.model.program import Program

# Methods of torch.nn.Module that go through the module itself and all below it.
_WALKS = ("modules", "named_modules")


def set_in_passing(program: Program, ref: ClassRef, member: str) -> str:
    """Where a method of `ref` assigns `member` to what may be its own object by another name, "" when none does."""
    for cls in program.mro(ref).classes:
        for function in program.cls(cls).functions:
            for store in function.stores:
                if store.target == f"?.{member}" and store.how != "delete":
                    return cls.at(store.line)
        for path, function, others in _passing(program, cls):
            for store in function.stores:
                root, _, name = store.target.partition(".")
                if name == member and store.how != "delete" and all(p.name != root for p in others):
                    return f"{path}:{store.line}"
    return ""


def set_by_name(program: Program, ref: ClassRef, chain: str, value: Expr | None = None) -> str:
    """Where a method of `ref` assigns what a chain from its object leads to ("delegate.member"), be it `value` alone,
    "" when none does."""
    for cls, function in methods(program, ref):
        for store in function.stores:
            mine = store.target == f"{function.first}.{chain}" and store.how in ("assign", "other")
            if mine and value in (None, store.value):
                return cls.at(store.line)
    return ""


def _passing(program: Program, cls: ClassRef) -> Iterator[tuple[str, Function, Sequence[Param]]]:
    """The functions that may have the object under another name, and their parameters that are something else."""
    for function in program.cls(cls).functions:
        if function.name == "__new__" or any(_is_inside(function, c.expr.parts[0]) for c in function.handed):
            yield cls.path, function, function.params
        for call in function.calls:
            callee, *arguments = call.expr.parts
            own, _, name = callee.text.partition(".") if callee.op == "name" else ("", "", "")
            if own != function.first or not own:
                continue
            taker = arguments[0] if name == "apply" and len(arguments) == 1 else None
            if name in _WALKS or (taker is not None and _is_inside(function, taker)):
                yield cls.path, function, function.params
            elif taker is not None and taker.op == "name":
                yield from _applied(program, cls, function, taker.text)


def _is_inside(function: Function, taker: Expr) -> bool:
    """Whether what gets the object is a function or lambda that is written inside this function."""
    return taker.op == "lambda" or function.binds(taker.text)


def _applied(
    program: Program, cls: ClassRef, function: Function, text: str
) -> Iterator[tuple[str, Function, Sequence[Param]]]:
    """What `self.apply(f)` runs on the object: a method of its own, or a function of a module."""
    head, _, method = text.partition(".")
    found = program.find(cls, method) if method and head == function.first else None
    named = program.resolve(cls.path, text, function)
    taker = routine(program, named)
    if found is not None:
        yield found[0].path, found[1], found[1].params[:1]
    elif taker is not None:
        yield named.path, taker, taker.params[1:]
