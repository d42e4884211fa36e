"""What a forward hands back: its returned values, with local names exchanged for everything they are assigned."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, cast

from shimgen.index.values import OTHER, expr_of
from shimgen.model.facts import Expr
from shimgen.syntax import INNER, FunctionNode, push_children

_DEPTH = 4
_SCOPES = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))


def results(node: FunctionNode) -> tuple[Expr, ...]:
    """The value of each return statement. A local name becomes the choice of its assignments; it is "other" when
    something else than a plain assignment binds it, or when a part of it is assigned or deleted."""
    bound: dict[str, list[ast.expr | None]] = {}
    returned: list[ast.expr] = []
    stack: list[ast.AST] = list(node.body)
    while stack:
        item = stack.pop()
        kind = item.__class__
        if kind is ast.Return:
            returned.extend(filter(None, (cast(ast.Return, item).value,)))
        elif kind in _BINDINGS:
            for name, value in _BINDINGS[kind](item):
                bound.setdefault(name, []).append(value)
        if kind not in _SCOPES:
            push_children(item, stack, INNER)
    return tuple(_followed(value, bound, _DEPTH) for value in returned)


def _assigned(node: ast.Assign) -> Iterator[tuple[str, ast.expr | None]]:
    names = [target.id for target in node.targets if isinstance(target, ast.Name)]
    if len(names) == len(node.targets):
        yield from ((name, node.value) for name in names)
    else:
        yield from ((name, None) for target in node.targets for name in _roots(target))


def _one_assigned(node: ast.AnnAssign | ast.NamedExpr) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(node.target, ast.Name):
        yield node.target.id, node.value


def _changed(*targets: ast.expr | None) -> Iterator[tuple[str, None]]:
    yield from ((name, None) for target in targets if target is not None for name in _roots(target))


def _called(node: ast.Expr) -> Iterator[tuple[str, None]]:
    """x.add_(1), x.append(y)"""
    if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        yield from _changed(node.value.func.value)


# The names that a node binds or changes, each with its new value, None for one that cannot be told.
_BINDINGS: dict[type[ast.AST], Callable[[Any], Iterator[tuple[str, ast.expr | None]]]] = {
    ast.Assign: _assigned,
    ast.AnnAssign: _one_assigned,
    ast.NamedExpr: _one_assigned,
    ast.AugAssign: lambda node: _changed(node.target),
    ast.For: lambda node: _changed(node.target),
    ast.AsyncFor: lambda node: _changed(node.target),
    ast.comprehension: lambda node: _changed(node.target),
    ast.withitem: lambda node: _changed(node.optional_vars),
    ast.Delete: lambda node: _changed(*node.targets),
    ast.Expr: _called,
    ast.ExceptHandler: lambda node: iter([(node.name, None)] if node.name else []),
    ast.MatchAs: lambda node: iter([(node.name, None)] if node.name else []),
    ast.MatchStar: lambda node: iter([(node.name, None)] if node.name else []),
    ast.FunctionDef: lambda node: iter([(node.name, None)]),
    ast.AsyncFunctionDef: lambda node: iter([(node.name, None)]),
    ast.ClassDef: lambda node: iter([(node.name, None)]),
}


def _roots(target: ast.expr) -> Iterator[str]:
    """The names at the roots of a target: x of x[0], of x.y and of (x, y)."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
        yield from _roots(target.value)
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _roots(element)


def _followed(value: ast.expr, bound: dict[str, list[ast.expr | None]], depth: int) -> Expr:
    if not isinstance(value, ast.Name) or value.id not in bound:
        return expr_of(value, 4)  # deep enough for super().forward(x)
    if not depth:
        return OTHER
    parts = tuple(OTHER if v is None else _followed(v, bound, depth - 1) for v in bound[value.id])
    return parts[0] if len(parts) == 1 else Expr("choice", "", parts)
