"""What names mean where a shim is defined: which are bound when the class statement runs, and which are hidden."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

import msgspec

from shimgen.model.program import Program
from shimgen.shims.place import names_in_class
from shimgen.source import ClassSite, Source
from shimgen.syntax import FunctionNode, ImportNode, blocks, imported_as, is_lazy, locals_of

_BUILTINS = frozenset(dir(builtins))


class Scope(msgspec.Struct, frozen=True):
    """The names seen from a class body in the module at `path`.

    `early` are bound by the module, for sure, before the class statement; `late` are bound somewhere in the module,
    perhaps for type checkers only. `hidden` are bound by the class or by what stands around it. `evaluated` are the
    dotted names in annotations that the module evaluates; `lazy`: it evaluates none.
    """

    path: str
    early: frozenset[str]
    late: frozenset[str]
    hidden: frozenset[str]
    lazy: bool
    evaluated: frozenset[str]

    def means(self, root: str) -> str:
        """ "early" or "late" when the module binds the name, "builtin", or "" when that cannot be told."""
        if root in self.hidden:
            return ""
        if root in self.early:
            return "early"
        if root in self.late:
            return "late"
        return "builtin" if root in _BUILTINS else ""


def scope_of(path: str, source: Source, site: ClassSite, members: Iterable[str] = ()) -> Scope:
    """The scope of a class body that will have `members` besides its own."""
    outermost = site.scopes[0] if site.scopes else site.node
    early = {name for name, line in _bound(source.tree.body, certain=True) if line < outermost.lineno}
    late = {name for name, _ in _bound(source.tree.body, certain=False)}
    hidden = {*hidden_in(site), *members}
    lazy = is_lazy(source.tree)
    evaluated = frozenset() if lazy else frozenset(_evaluated(source.tree, outermost.lineno))
    return Scope(path, frozenset(early), frozenset(late), frozenset(hidden), lazy, evaluated)


def hidden_in(site: ClassSite) -> set[str]:
    """The names that are not the module's in a class body: its own, and those of the functions around it."""
    hidden = set(names_in_class(site.node))
    for around in site.scopes:
        hidden |= locals_of(around) if isinstance(around, FunctionNode) else set()
    return hidden


def _evaluated(tree: ast.Module, before: int) -> Iterator[str]:
    """Dotted names in the annotations of defs above a line, those of modules and classes."""
    stack: list[ast.AST] = [node for node in tree.body if isinstance(node, ast.ClassDef | FunctionNode)]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.ClassDef):
            stack += [inner for inner in node.body if isinstance(inner, ast.ClassDef | FunctionNode)]
        elif isinstance(node, FunctionNode) and node.lineno < before:
            args = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            for annotation in [*(a.annotation for a in args), node.returns]:
                if annotation is not None:
                    yield from (ast.unparse(n) for n in ast.walk(annotation) if isinstance(n, ast.Attribute))


def same(program: Program, scope: Scope, other: str, dotted: str) -> bool:
    """Whether a dotted name means the same in `scope` as in the module at `other`."""
    root = dotted.partition(".")[0]
    here, there = program.resolve(scope.path, dotted), program.resolve(other, dotted)
    if scope.means(root) == "builtin":
        return program.resolve(other, root).kind == "unknown" and root in _BUILTINS
    return bool(scope.means(root)) and here.kind != "unknown" and here == there


def _bound(body: Iterable[ast.stmt], certain: bool) -> Iterator[tuple[str, int]]:
    """Names that module-level statements bind, with their lines; `certain` leaves out what is conditional."""
    for node in body:
        if isinstance(node, FunctionNode | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ImportNode):
            yield from ((imported_as(alias), node.lineno) for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from _assigned(node)
        elif not certain:
            yield from _bound(blocks(node), certain)


def _assigned(node: ast.Assign | ast.AnnAssign) -> Iterator[tuple[str, int]]:
    if node.value is None:
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        yield from ((n.id, node.lineno) for n in ast.walk(target) if isinstance(n, ast.Name))
