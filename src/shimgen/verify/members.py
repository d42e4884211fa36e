"""Finds a shim's own statements in the edited file, and reads from them what it is."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import msgspec

from shimgen.model.domain import Shim
from shimgen.model.facts import Param
from shimgen.source import ClassSite, Source
from shimgen.syntax import FunctionNode, first_line, parameters

Statement = FunctionNode | ast.Assign | ast.AnnAssign


class NotFoundError(Exception):
    """The shim's statements could not be told from the rest of the file; the text says why."""


class Member(msgspec.Struct, frozen=True):
    """The statements of one shim in the edited file. `kind`: "method", "property", "classmethod",
    "staticmethod" or "attribute"; `function` is the def that is called (a property's getter).
    `everything` are the statements with their overloads, `foreign` the decorators that do not make a kind."""

    site: ClassSite
    everything: tuple[Statement, ...]
    statements: tuple[Statement, ...]
    kind: str
    function: FunctionNode | None
    foreign: tuple[str, ...] = ()

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters a caller fills, without self or cls."""
        if self.function is None:
            return ()
        found = parameters(self.function.args)
        return found if self.kind == "staticmethod" else found[1:]


def member(shim: Shim, after: Source) -> Member:
    """The statements that `shim` put into its class in the edited file. Raises NotFoundError."""
    found = [(site, _bindings(site.node, shim.member)) for site in after.named(shim.place.name)]
    found = [(site, statements) for site, statements in found if statements]
    if not found:
        raise NotFoundError(f"{shim.member} is not in {shim.place.name} after the change")
    inserted = {line.strip() for line in shim.text.splitlines()}
    for site, statements in found:
        spans = [after.lines[first_line(s) - 1 : s.end_lineno] for s in statements]
        if all(line.strip() in inserted for span in spans for line in span):
            return _described(site, statements, shim.member)
    raise NotFoundError(f"{shim.place.name} defines {shim.member} in other words than shimgen generated")


def decorators(function: FunctionNode) -> tuple[str, ...]:
    """The decorators of a def as canonical source."""
    return tuple(ast.unparse(d) for d in function.decorator_list)


def is_overload(statement: Statement) -> bool:
    """A def that only tells the type checker something."""
    return isinstance(statement, FunctionNode) and any(d.split(".")[-1] == "overload" for d in decorators(statement))


def _bindings(cls: ast.ClassDef, name: str) -> tuple[Statement, ...]:
    """The statements of the class body that bind `name`."""
    return tuple(s for s in cls.body if isinstance(s, Statement) and name in _targets(s))


def _targets(statement: Statement) -> tuple[str, ...]:
    if isinstance(statement, FunctionNode):
        return (statement.name,)
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return ()
    targets: Sequence[ast.expr] = statement.targets if isinstance(statement, ast.Assign) else (statement.target,)
    return tuple(t.id for t in targets if isinstance(t, ast.Name))


def _described(site: ClassSite, statements: tuple[Statement, ...], name: str) -> Member:
    real = [s for s in statements if not is_overload(s)]
    functions = [s for s in real if isinstance(s, FunctionNode)]
    if not functions:
        return Member(site, statements, tuple(real), "attribute", None)
    known = {"property", "classmethod", "staticmethod", f"{name}.setter", f"{name}.deleter"}
    kind = next((d for d in decorators(functions[0]) if d in known), "method")
    foreign = [d for f in functions for d in decorators(f) if d not in known]
    return Member(site, statements, tuple(real), kind, functions[0], tuple(foreign))
