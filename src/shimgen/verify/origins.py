"""Whether a default means in the wrapper's module what it means in the provider's."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from shimgen.model.facts import Param
from shimgen.syntax import FunctionNode, ImportNode, blocks, is_literal


def other_meaning(params: tuple[Param, ...], here: ast.Module, path: str, there: ast.Module, origin: str) -> str:
    """The first default of `params` with a name that the module `here` (at `path`) and the provider's module
    `there` (at `origin`) do not take from the same place, "" when there is none."""
    for param in params:
        if param.default is None or is_literal(param.default):
            continue
        for name in _names(param.default):
            ours, theirs = set(_origins(here.body, path, name)), set(_origins(there.body, origin, name))
            if not ours and not theirs and hasattr(builtins, name):
                continue
            if not ours or not _covered(ours, theirs) or not _covered(theirs, ours):
                return f"the default {param.default} of {param.name} may be another {name} here than in {origin}"
    return ""


def _names(default: str) -> list[str]:
    """The names an expression reads, sorted."""
    return sorted({n.id for n in ast.walk(ast.parse(default, mode="eval")) if isinstance(n, ast.Name)})


def _covered(some: set[str], others: set[str]) -> bool:
    return all(any(_alike(one, other) for other in others) for one in some)


def _alike(one: str, other: str) -> bool:
    """Dotted names of one thing; that of a file begins with the folders above its package."""
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _origins(body: list[ast.stmt], path: str, name: str) -> Iterator[str]:
    """The dotted names that `name` may stand for at module level: one for each statement that binds it."""
    for node in body:
        if isinstance(node, ImportNode):
            yield from (full for bound, full in _imported(node, path) if bound == name)
        elif isinstance(node, FunctionNode | ast.ClassDef):
            if node.name == name:
                yield f"{_module(path)}.{name}"
        else:
            if any(isinstance(n, ast.Name) and n.id == name for n in _targets(node)):
                yield f"{_module(path)}.{name}"
            yield from _origins(list(blocks(node)), path, name)


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []


def _imported(node: ImportNode, path: str) -> Iterator[tuple[str, str]]:
    """Each name an import binds, and the dotted name of what it stands for."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
        else:
            yield alias.asname or alias.name, ".".join(filter(None, [_source(node, path), alias.name]))


def _source(node: ast.ImportFrom, path: str) -> str:
    """The absolute dotted name of the module that is imported from."""
    if not node.level:
        return node.module or ""
    folders = path.split("/")[: -node.level]
    return ".".join([*folders, *([node.module] if node.module else [])])


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
