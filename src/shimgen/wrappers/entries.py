"""Which classes the engine can hold: the stack's registry, read from source."""

from __future__ import annotations

from collections.abc import Iterator

from shimgen.model.domain import ClassRef
from shimgen.model.facts import Expr
from shimgen.model.profile import Models
from shimgen.model.program import Program


def entry_classes(program: Program, models: Models) -> frozenset[ClassRef]:
    """Classes named by the profile's `entry_variable` of their module; every model class when there is none."""
    if not models.entry_variable:
        return frozenset(program.model_classes())
    paths = dict.fromkeys(ref.path for ref in program.model_classes())
    return frozenset(ref for path in paths for ref in _listed(program, path, models.entry_variable))


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
