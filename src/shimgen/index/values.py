"""Syntax of a value -> `Expr`: the small language in which the analysis follows classes and instances."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from shimgen.model.facts import Expr
from shimgen.syntax import chain_of

_DEPTH = 6
OTHER = Expr("other")


def expr_of(node: ast.expr | None, depth: int = _DEPTH) -> Expr:
    """The value of an expression, cut below `depth` levels of nesting; what is not followed becomes "other"."""
    if depth == 0:
        return OTHER
    build = _BUILDERS.get(node.__class__)
    return build(node, depth - 1) if build is not None else OTHER


def _attribute(node: ast.Attribute, depth: int) -> Expr:
    chain = chain_of(node)
    return Expr("name", chain) if chain else Expr("attr", node.attr, (expr_of(node.value, depth),))


def _call(node: ast.Call, depth: int) -> Expr:
    parts = [expr_of(node.func, depth)]
    parts += [expr_of(arg, depth) for arg in node.args]
    if not node.keywords:
        return Expr("call", "", tuple(parts))
    parts += [expr_of(keyword.value, depth) for keyword in node.keywords]
    return Expr("call", "", tuple(parts), tuple([keyword.arg or "**" for keyword in node.keywords]))


def _constant(node: ast.Constant, _: int) -> Expr:
    return Expr("const", repr(node.value)[:80])


def _dict(node: ast.Dict, depth: int) -> Expr:
    keys = tuple(repr(k.value) if isinstance(k, ast.Constant) else chain_of(k) if k else "**" for k in node.keys)
    return Expr("dict", "", tuple(expr_of(value, depth) for value in node.values), keys)


def _sequence(node: ast.List | ast.Tuple | ast.Set, depth: int) -> Expr:
    return Expr("seq", "", tuple(expr_of(item, depth) for item in node.elts))


_BUILDERS: dict[type[ast.expr | None], Callable[[Any, int], Expr]] = {
    ast.Name: lambda n, _: Expr("name", n.id),
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Constant: _constant,
    ast.Dict: _dict,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.IfExp: lambda n, d: Expr("choice", "", (expr_of(n.body, d), expr_of(n.orelse, d))),
    ast.BoolOp: lambda n, d: Expr("choice", "", tuple(expr_of(v, d) for v in n.values)),
    ast.Subscript: lambda n, d: Expr("item", "", (expr_of(n.value, d), expr_of(n.slice, d))),
    ast.NamedExpr: lambda n, d: expr_of(n.value, d),
    ast.Await: lambda n, d: expr_of(n.value, d),
    ast.Starred: lambda n, d: Expr("star", "", (expr_of(n.value, d),)),
    ast.Lambda: lambda n, d: Expr("lambda", "", (expr_of(n.body, d),)),
}
