"""One function -> `Function`: its signature, and what its body reads, stores, calls and returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from shimgen.index.body import Body
from shimgen.index.results import results
from shimgen.index.suffixes import name_parameters
from shimgen.index.unused import unused_parameters
from shimgen.model.facts import Function
from shimgen.syntax import FunctionNode, chain_of, parameters, source_of

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
