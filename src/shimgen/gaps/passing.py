"""Objects that get an attribute in passing: where a method goes through all modules, itself among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shimgen.model.calling import routine
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Function, Param
from shimgen.model.program import Program

# Methods of torch.nn.Module that go through the module itself and all below it.
_WALKS = ("modules", "named_modules")


def set_in_passing(program: Program, ref: ClassRef, member: str) -> str:
    """Where a method of `ref` assigns `member` to what may be its own object by another name, "" when none does."""
    for cls in program.mro(ref).classes:
        for path, function, others in _passing(program, cls):
            for store in function.stores:
                root, _, name = store.target.partition(".")
                if name == member and store.how != "delete" and all(p.name != root for p in others):
                    return f"{path}:{store.line}"
    return ""


def _passing(program: Program, cls: ClassRef) -> Iterator[tuple[str, Function, Sequence[Param]]]:
    """The functions that may have the object under another name, and their parameters that are something else."""
    for function in program.cls(cls).functions:
        if function.name == "__new__" or any(function.binds(c.expr.parts[0].text) for c in function.handed):
            yield cls.path, function, function.params
        for call in function.calls:
            callee, *arguments = call.expr.parts
            own, _, name = callee.text.partition(".") if callee.op == "name" else ("", "", "")
            if own != function.first or not own:
                continue
            if name in _WALKS:
                yield cls.path, function, function.params
            elif name == "apply" and len(arguments) == 1 and arguments[0].op == "name":
                yield from _applied(program, cls, function, arguments[0].text)


def _applied(
    program: Program, cls: ClassRef, function: Function, text: str
) -> Iterator[tuple[str, Function, Sequence[Param]]]:
    """What `self.apply(f)` runs on the object: a method of its own, a function inside this one, or a module's."""
    head, _, method = text.partition(".")
    found = program.find(cls, method) if method and head == function.first else None
    named = program.resolve(cls.path, text, function)
    taker = routine(program, named)
    if found is not None:
        yield found[0].path, found[1], found[1].params[:1]
    elif function.binds(text):
        yield cls.path, function, function.params
    elif taker is not None:
        yield named.path, taker, taker.params[1:]
