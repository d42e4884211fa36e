"""What a forward hands back: its returned values, with local names exchanged for everything they are assigned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from shimgen.index.values import OTHER, expr_of
from shimgen.model.facts import Expr

_DEPTH = 4
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def results(node: FunctionNode) -> tuple[Expr, ...]:
    """The value of each return statement. A local name becomes the choice of its assignments; it is "other" when
    something else than a plain assignment binds it, or when a part of it is assigned or deleted."""
    bound: dict[str, list[ast.expr | None]] = {}
    returned: list[ast.expr] = []
    for inner in _own_nodes(node):
        if isinstance(inner, ast.Return) and inner.value is not None:
            returned.append(inner.value)
        for name, value in _bindings(inner):
            bound.setdefault(name, []).append(value)
    return tuple(_followed(value, bound, _DEPTH) for value in returned)


def _own_nodes(node: FunctionNode) -> Iterator[ast.AST]:
    """All nodes of the body, those of functions inside it aside."""
    stack: list[ast.AST] = list(node.body)
    while stack:
        item = stack.pop()
        yield item
        if not isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            stack.extend(ast.iter_child_nodes(item))


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """The names that a node binds or changes, each with its new value, None for one that cannot be told."""
    if isinstance(node, ast.Assign) and all(isinstance(target, ast.Name) for target in node.targets):
        yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
    elif isinstance(node, ast.Assign):
        yield from ((name, None) for target in node.targets for name in _roots(target))
    elif isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor | ast.comprehension):
        yield from ((name, None) for name in _roots(node.target))
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from ((name, None) for name in _roots(node.optional_vars))
    elif isinstance(node, ast.Delete):
        yield from ((name, None) for target in node.targets for name in _roots(target))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        yield from ((name, None) for name in _roots(node.value.func.value))  # x.add_(1), x.append(y)


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
        return expr_of(value, 3)
    if not depth:
        return OTHER
    parts = tuple(OTHER if v is None else _followed(v, bound, depth - 1) for v in bound[value.id])
    return parts[0] if len(parts) == 1 else Expr("choice", "", parts)
