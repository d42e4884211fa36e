"""Readings of syntax that are made for every node of many files, and are therefore short cuts of the `ast` module's."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any

# Fields that hold no node, or only a context or an operator.
_PLAIN = frozenset(
    ("ctx", "op", "ops", "id", "attr", "conversion", "kind", "is_async", "type_comment", "simple", "level")
)
_FIELDS = {
    cls: tuple(field for field in cls._fields if field not in _PLAIN)
    for cls in vars(ast).values()
    if isinstance(cls, type) and issubclass(cls, ast.AST)
}
NODES = frozenset(_FIELDS)
"""All types of nodes."""
LEAVES = frozenset((ast.Name, ast.Constant))
"""Those without children."""
INNER = NODES - LEAVES
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def chain_of(node: ast.AST | None) -> str:
    """The dotted text of a Name or of attributes of a Name, "" for anything else."""
    text = ""
    while isinstance(node, ast.Attribute):
        text = f".{node.attr}{text}"
        node = node.value
    return node.id + text if isinstance(node, ast.Name) else ""


def root_of(node: ast.expr) -> str:
    """The first name of what `chain_of` gives."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def push_children(node: ast.AST, stack: list[ast.AST], wanted: Collection[type] = NODES) -> None:
    """Puts the child nodes of the types in `wanted` on `stack`: much faster than iter_child_nodes. For a keyword
    argument its value is taken."""
    for field in _FIELDS[node.__class__]:
        value: Any = getattr(node, field, None)
        if value.__class__ in wanted:
            stack.append(value)
        elif value.__class__ is list:
            for item in value:
                if item.__class__ is ast.keyword:
                    item = item.value
                if item.__class__ in wanted:
                    stack.append(item)


def source_of(node: ast.AST) -> str:
    """What `ast.unparse` gives, at a tenth of its cost for the forms that annotations and defaults mostly have."""
    text = _simple(node)
    return ast.unparse(node) if text is None else text


def _simple(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant):
        return None if node.kind or isinstance(node.value, float | complex) else _constant(node.value)
    chain = chain_of(node)
    if chain:
        return chain
    if isinstance(node, ast.Subscript):
        return _subscript(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and not isinstance(node.right, ast.BinOp):
        left, right = _simple(node.left), _simple(node.right)
        return None if left is None or right is None else f"{left} | {right}"
    return None


def _constant(value: object) -> str:
    return "..." if value is ... else repr(value)


def _subscript(node: ast.Subscript) -> str | None:
    container = chain_of(node.value)
    if not container:
        return None
    if not isinstance(node.slice, ast.Tuple):
        inner = _simple(node.slice)
        return None if inner is None else f"{container}[{inner}]"
    parts = [_simple(item) for item in node.slice.elts]
    texts = [part for part in parts if part is not None]
    return f"{container}[{', '.join(texts)}]" if len(texts) == len(parts) > 1 else None


def captured(pattern: ast.AST) -> str | None:
    """The name that a part of a pattern binds."""
    if isinstance(pattern, ast.MatchAs | ast.MatchStar):
        return pattern.name
    return pattern.rest if isinstance(pattern, ast.MatchMapping) else None
