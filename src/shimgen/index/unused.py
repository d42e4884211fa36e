"""Parameters that a method takes and never mentions, where that could matter: it hands a call on to what it holds."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from shimgen.model.facts import Call
from shimgen.syntax import NODES, FunctionNode, push_children

_NODES = NODES - {ast.Constant}


def unused_parameters(node: FunctionNode, calls: Iterable[Call]) -> tuple[str, ...]:
    """Parameters after the first that the body never mentions; none when it asks for all of them at once, or when
    none of its `calls` goes to something that its object holds."""
    if not any(_goes_on(node, call) for call in calls):
        return ()
    args = node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args)][1:] + [a.arg for a in args.kwonlyargs]
    left = set(names)
    stack: list[ast.AST] = list(node.body)
    while stack and left:
        item = stack.pop()
        if isinstance(item, ast.Name):
            if item.id in left:
                left.discard(item.id)
            elif item.id == "locals":
                return ()
        else:
            push_children(item, stack, _NODES)
    return tuple(name for name in names if name in left)


def _goes_on(node: FunctionNode, call: Call) -> bool:
    """`self.held.member()`, or `self.held()` in forward."""
    callee = call.expr.parts[0]
    own = node.args.args[0].arg if node.args.args else ""
    if callee.op != "name" or not callee.text.startswith(f"{own}."):
        return False
    return callee.text.count(".") > 1 or node.name in ("forward", "__call__")
