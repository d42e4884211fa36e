"""Which classes the engine can hold: the stack's registry, read from source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shimgen.model.domain import ClassRef
from shimgen.model.facts import Expr
from shimgen.model.profile import Models
from shimgen.model.program import Program


def entry_classes(program: Program, models: Models) -> frozenset[ClassRef]:
    """Classes that the profile's registry lists or the `entry_variable` of their module; every model class when the
    profile names neither."""
    listed = set(_entries(program, models))
    return frozenset(listed.union(*(_made_instead(program, ref) for ref in listed)))


def _entries(program: Program, models: Models) -> Iterable[ClassRef]:
    if models.registry:
        return program.registered().values()
    if not models.entry_variable:
        return program.model_classes()
    paths = dict.fromkeys(ref.path for ref in program.model_classes())
    return (ref for path in paths for ref in _listed(program, path, models.entry_variable))


def _made_instead(program: Program, ref: ClassRef) -> Iterator[ClassRef]:
    """The classes of its own file that an entry class names in `__new__`, from which it may return an instance."""
    for function in program.cls(ref).functions:
        if function.name == "__new__":
            values = [s.value for s in function.stores if s.value is not None]
            for name in (n for value in (*values, *function.returned) for n in _names(value)):
                yield from _classes(program, ref.path, name)


def _classes(program: Program, path: str, name: str) -> Iterator[ClassRef]:
    """The class called `name` in a file, or those in the table of that name (also in `table.get`)."""
    found = program.resolve(path, name)
    if found.kind == "unknown" and "." in name:
        found = program.resolve(path, name.rpartition(".")[0])
    if found.ref is not None and found.ref.path == path:
        yield found.ref
    if found.kind == "value" and found.path == path:
        for store in program.module(path).stores:
            if store.target == found.name and store.value is not None:
                inner = (program.resolve(path, text).ref for text in _names(store.value))
                yield from (ref for ref in inner if ref is not None and ref.path == path)


def _listed(program: Program, path: str, variable: str) -> Iterator[ClassRef]:
    for store in program.module(path).stores:
        if store.target == variable and store.value is not None:
            for name in _names(store.value):
                ref = program.resolve(path, name).ref
                if ref is not None:
                    yield ref


def _names(expr: Expr) -> Iterator[str]:
    if expr.op == "name":
        yield expr.text
    for part in expr.parts:
        yield from _names(part)
