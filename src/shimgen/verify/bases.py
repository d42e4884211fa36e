"""Bases that classes take up: whether they stand in the class statement, last of all, and are bound before it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from shimgen.model.domain import Shim
from shimgen.source import Source
from shimgen.syntax import ImportNode, imported_as


def new_bases(shims: Iterable[Shim]) -> Mapping[str, frozenset[str]]:
    """The bases that classes take up, by the class's qualified name."""
    found: dict[str, set[str]] = {}
    for shim in shims:
        if shim.gap.takes_base:
            found.setdefault(shim.place.name, set()).add(shim.member)
    return {name: frozenset(bases) for name, bases in found.items()}


def taken_up(shim: Shim, after: Source) -> str:
    """What is wrong with a base in the edited file, "" when nothing is."""
    sites = [site.node for site in after.named(shim.place.name)]
    holding = [node for node in sites if shim.member in map(ast.unparse, node.bases)]
    if not holding:
        return f"{shim.member} is no base of {shim.place.name} after the change"
    bound = (line for node in after.tree.body for name, line in _bound(node) if name == shim.member)
    if min(bound, default=holding[0].lineno) >= holding[0].lineno:
        return f"{shim.member} is not bound before the class statement runs"
    return ""


def _bound(node: ast.stmt) -> Iterable[tuple[str, int]]:
    """The names that a statement of a module binds for sure, with its line."""
    if isinstance(node, ImportNode):
        return [(imported_as(alias), node.lineno) for alias in node.names]
    return [(node.name, node.lineno)] if isinstance(node, ast.ClassDef) else []
