"""One function -> `Function`: its signature, and what its body reads, stores, calls and returns."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from shimgen.index.body import Body
from shimgen.index.results import results
from shimgen.index.suffixes import name_parameters
from shimgen.model.facts import Call, Function
from shimgen.syntax import NODES, FunctionNode, chain_of, parameters, push_children, source_of

_KINDS = {
    "property": "property",
    "cached_property": "cached_property",
    "functools.cached_property": "cached_property",
    "classmethod": "classmethod",
    "staticmethod": "staticmethod",
    "abc.abstractproperty": "property",
}


def function_facts(node: FunctionNode, scope: str = "", in_class: bool = True) -> Function:
    """Facts of one function. `scope` tells the statement it is nested in, `in_class` whether it is a member."""
    decorators = tuple(source_of(d) for d in node.decorator_list)
    kind = _member_kind(node.name, decorators) if in_class else "function"
    body = Body(node)
    return Function(
        node.name,
        node.lineno,
        node.end_lineno or node.lineno,
        kind,
        _flavour(node, body.yields),
        decorators,
        parameters(node.args),
        source_of(node.returns) if node.returns else None,
        _stub(node),
        scope,
        tuple(body.reads),
        tuple(body.stores),
        tuple(body.calls),
        tuple(body.returned),
        tuple(name_parameters(node)),
        tuple(body.raising),
        tuple(body.returning),
        tuple(body.caught),
        unused_parameters(node, body.calls) if in_class else (),
        () if body.follow_calls else results(node),
        tuple(body.returned_at),
        tuple(body.handed),
        tuple(_inner(body)) if body.nested and body.returned else (),
        tuple(body.continuing),
    )


def _inner(body: Body) -> Iterator[Function]:
    """The functions inside it that a function returns, or returns what they give."""
    called = (v.parts[0] if v.op == "call" else v for v in body.returned)
    names = {value.text for value in called if value.op == "name"}
    yield from (function_facts(node, "function", in_class=False) for node in body.nested if node.name in names)


def _member_kind(name: str, decorators: tuple[str, ...]) -> str:
    for decorator in decorators:
        if decorator in _KINDS:
            return _KINDS[decorator]
        if decorator == f"{name}.setter" or decorator.endswith(".setter"):
            return "setter"
        if decorator.endswith((".deleter", ".getter")):
            return "deleter" if decorator.endswith(".deleter") else "property"
    # These three are classmethods and a staticmethod without saying so (language reference, 3.3).
    if name in ("__init_subclass__", "__class_getitem__"):
        return "classmethod"
    return "staticmethod" if name == "__new__" else "method"


def _flavour(node: FunctionNode, yields: bool) -> str:
    if isinstance(node, ast.AsyncFunctionDef):
        return "asyncgen" if yields else "async"
    return "generator" if yields else ""


def _stub(node: FunctionNode) -> str:
    """ "empty" when the body does nothing at all, "raises" when it only raises NotImplementedError."""
    for statement in node.body:
        if isinstance(statement, ast.Pass):
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
            return "raises" if chain_of(raised) == "NotImplementedError" else ""
        return ""
    return "empty"


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
