"""What a module's names are: imported, or constants."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import msgspec

from shimgen.index.use.constants import Constants


class Names(msgspec.Struct, frozen=True):
    """The dotted package of a module, what its names are imported from, and its constants."""

    package: str
    imports: Mapping[str, str]
    constants: Constants


def imported(node: ast.Import | ast.ImportFrom, package: str) -> dict[str, str]:
    """Local name -> dotted import name. `package` is the dotted package of the importing module."""
    if isinstance(node, ast.Import):
        return {
            a.asname or a.name.partition(".")[0]: a.name if a.asname else a.name.partition(".")[0] for a in node.names
        }
    module = node.module or ""
    if node.level:
        parents = package.split(".")[: len(package.split(".")) - node.level + 1]
        module = ".".join([*parents, module] if module else parents)
    return {a.asname or a.name: f"{module}.{a.name}" for a in node.names}


def names_of(module: ast.Module, package_path: str, classes: Sequence[ast.ClassDef]) -> Names:
    """The module's own imports, those under `if` and `try` included, and the constants of it and of its `classes`."""
    package = package_path.rpartition("/")[0].replace("/", ".")
    found: dict[str, str] = {}
    pending: list[ast.stmt] = list(reversed(module.body))
    while pending:
        statement = pending.pop()
        if isinstance(statement, ast.Import | ast.ImportFrom):
            found.update(imported(statement, package))
        elif isinstance(statement, ast.If):
            pending.extend(reversed((*statement.body, *statement.orelse)))
        elif isinstance(statement, ast.Try):
            pending.extend(reversed((*statement.body, *(s for h in statement.handlers for s in h.body))))
    return Names(package, found, Constants(module, classes, found))
