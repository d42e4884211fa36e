"""The stack's registry of models: a table of names, each with the module and the class that stand for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shimgen.model.calling import assigned
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Expr
from shimgen.model.program import Program

_DEPTH = 4


def registered(program: Program, paths: Mapping[str, str], registry: str) -> Mapping[str, ClassRef]:
    """The classes of the table at the dotted name `registry`, by the names they are registered under.

    `paths` maps module names to files. Modules of the table are counted from the registry's own folder; tables that
    it takes up with ** are part of it. What is no (module, class) pair of the checkout is left out.
    """
    module, _, variable = registry.rpartition(".")
    path = paths.get(module)
    if path is None:
        return {}
    package = module if path.endswith("/__init__.py") else module.rpartition(".")[0]
    found: dict[str, ClassRef] = {}
    for name, inner, cls in _rows(program, path, Expr("name", variable), _DEPTH):
        target = paths.get(f"{package}.{inner}") or paths.get(inner)
        ref = program.resolve(target, cls).ref if target is not None else None
        if ref is not None:
            found[name] = ref
    return found


def _rows(program: Program, path: str, value: Expr, depth: int) -> Iterator[tuple[str, str, str]]:
    """Name, module and class of each entry, in the order of the source: of one name the last entry counts."""
    if value.op == "name" and depth:
        for given in assigned(program, path, value.text):
            yield from _rows(program, path, given, depth - 1)
    for key, part in zip(value.keys, value.parts, strict=True) if value.op == "dict" else ():
        if key == "**":
            yield from _rows(program, path, part, depth)
        elif part.op == "seq" and len(part.parts) == 2 and all(item.op == "const" for item in part.parts):
            module, cls = (item.literal for item in part.parts)
            yield key.strip("'\""), module, cls
