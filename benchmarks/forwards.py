"""The forwards that upstream wrote by hand in a release.

A member of a wrapper is one when it reads the same member of the delegate or of something below it, or when all that
it returns is read below (`assembled`: a pair put together from the delegate's embedding and head).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from shimgen.model.domain import Wrapper
from shimgen.model.program import Program
from shimgen.model.source import Tree
from shimgen.source import read
from shimgen.syntax import FunctionNode

Names = dict[str, str]


@dataclass(frozen=True, slots=True, order=True)
class Forward:
    """A hand-written forward. `kind`: "method", "property", "classmethod", "staticmethod", "class-attr" or
    "init-assign" (`self.x = self.delegate.x` in the constructor). `assembled`: it does not read the same member."""

    path: str
    cls: str
    member: str
    kind: str
    line: int
    assembled: bool = False


def forwards(tree: Tree, program: Program, wrapper: Wrapper) -> Iterator[Forward]:
    """The forwards in the class body of a wrapper, in the order of their lines."""
    candidates = {c.name for candidate in wrapper.delegate.candidates for c in program.mro(candidate).classes}
    for site in read(tree.read(wrapper.cls.path)).named(wrapper.cls.name):
        if site.node.lineno == wrapper.cls.line:
            for found in _found(site.node, wrapper, candidates):
                yield Forward(wrapper.cls.path, wrapper.cls.name, *found)


def _found(node: ast.ClassDef, wrapper: Wrapper, candidates: set[str]) -> Iterator[tuple[str, str, int, bool]]:
    below = {f"self.{wrapper.delegate.attribute}", *candidates}
    for statement in node.body:
        if isinstance(statement, FunctionNode):
            if statement.name == "__init__":
                yield from _assigned(statement, below)
            elif _reads(statement, below | _first(statement, wrapper), statement.name):
                yield statement.name, _kind(statement), statement.lineno, False
            elif _returns(statement, below | _first(statement, wrapper)):
                yield statement.name, _kind(statement), statement.lineno, True
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and _reads(statement.value, below, target.id):
                yield target.id, "class-attr", statement.lineno, False


def _first(function: FunctionNode, wrapper: Wrapper) -> set[str]:
    """The delegate by the name that this function gives to self."""
    positional = [*function.args.posonlyargs, *function.args.args]
    return {f"{positional[0].arg}.{wrapper.delegate.attribute}"} if positional else set()


def _assigned(init: FunctionNode, below: set[str]) -> Iterator[tuple[str, str, int, bool]]:
    for statement in ast.walk(init):
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            own, _, name = ast.unparse(statement.targets[0]).partition(".")
            if own == "self" and _reads(statement.value, below, name):
                yield name, "init-assign", statement.lineno, False


def _reads(node: ast.AST, below: set[str], name: str = "", aliases: Names | None = None) -> bool:
    """Whether `name`, or anything when it is "", is read of the delegate or of something below it."""
    known = _aliases(node, below) if aliases is None else aliases
    return any(
        chain in below or any(chain.startswith(f"{b}.") for b in below)
        for chain, member in (_access(n, known) for n in ast.walk(node))
        if name in ("", member)
    )


def _returns(function: FunctionNode, below: set[str]) -> bool:
    """Whether it gives something, and all of that is read below, constants aside."""
    aliases = _aliases(function, below)
    values = [s.value for s in ast.walk(function) if isinstance(s, ast.Return) and s.value is not None]
    given = [part for v in values for part in (v.elts if isinstance(v, ast.Tuple) else [v])]
    real = [part for part in given if not isinstance(part, ast.Constant)]
    return bool(real) and all(_reads(part, below, aliases=aliases) for part in real)


def _aliases(node: ast.AST, below: set[str]) -> Names:
    """Local names of the delegate: `model = self.model`, `model = getattr(self, "model", None)`."""
    found: Names = {}
    for statement in ast.walk(node):
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            chain, member = _access(statement.value, found)
            if f"{chain}.{member}" in below:
                found[statement.targets[0].id] = f"{chain}.{member}"
    return found


def _access(node: ast.AST, aliases: Names) -> tuple[str, str]:
    """(chain, member) of an attribute access, written as such or with getattr; ("", "") for anything else."""
    if isinstance(node, ast.Attribute):
        return _chain(node.value, aliases), node.attr
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr" and len(node.args) > 1:
        name = node.args[1]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            return _chain(node.args[0], aliases), name.value
    return "", ""


def _chain(node: ast.AST, aliases: Names) -> str:
    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id)
    chain, member = _access(node, aliases)
    return f"{chain}.{member}" if chain else ""


def _kind(function: FunctionNode) -> str:
    listed = {ast.unparse(d) for d in function.decorator_list}
    return next((k for k in ("property", "classmethod", "staticmethod") if k in listed), "method")
