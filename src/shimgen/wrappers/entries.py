"""Which classes the engine can hold: the stack's registry, read from source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shimgen.model.dispatching import made_instead, names
from shimgen.model.domain import ClassRef
from shimgen.model.profile import Models
from shimgen.model.program import Program


def entry_classes(program: Program, models: Models) -> frozenset[ClassRef]:
    """Classes that the profile's registry lists or the `entry_variable` of their module; every model class when the
    profile names neither."""
    listed = set(_entries(program, models))
    return frozenset(listed.union(*(made_instead(program, ref) for ref in listed)))


def _entries(program: Program, models: Models) -> Iterable[ClassRef]:
    if models.registry:
        return program.registered().values()
    if not models.entry_variable:
        return program.model_classes()
    paths = dict.fromkeys(ref.path for ref in program.model_classes())
    return (ref for path in paths for ref in _listed(program, path, models.entry_variable))


def _listed(program: Program, path: str, variable: str) -> Iterator[ClassRef]:
    for store in program.module(path).stores:
        if store.target == variable and store.value is not None:
            for name in names(store.value):
                ref = program.resolve(path, name).ref
                if ref is not None:
                    yield ref
