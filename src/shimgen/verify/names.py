"""Whether every name that a shim uses means something in the wrapper's module, at the moment it is used, and in a
default what it means in the provider's."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from shimgen.model.facts import Param
from shimgen.syntax import (
    FunctionNode,
    ImportNode,
    blocks,
    every_argument,
    expression,
    imported_as,
    is_lazy,
    is_literal,
    is_type_checking,
    locals_of,
)
from shimgen.verify.members import Member

BUILTIN = frozenset(dir(builtins))


class Module:
    """The names that a module binds at its top level, and at which line at the earliest; `typing_only` those
    that only a type checker sees; `open` says that a star import may bind any other."""

    def __init__(self, tree: ast.Module) -> None:
        self.bound: dict[str, int] = {}
        self.typing_only: dict[str, int] = {}
        self.open = False
        self.deferred = is_lazy(tree)
        self._read(tree.body, self.bound)

    def missing(self, name: str, line: int | None = None) -> bool:
        """Whether `name` is unbound at run time, for code that runs when `line` is reached (None: after import)."""
        if name in BUILTIN or self.open:
            return False
        return name not in self.bound or (line is not None and self.bound[name] > line)

    def _read(self, body: Iterable[ast.stmt], into: dict[str, int]) -> None:
        for node in body:
            if isinstance(node, ast.If) and is_type_checking(node.test):
                self._read(node.body, self.typing_only)
                self._read(node.orelse, into)
                continue
            for name in _bound(node):
                if name == "*":
                    self.open = True
                into.setdefault(name, node.lineno)
            if not isinstance(node, FunctionNode | ast.ClassDef):
                self._read(blocks(node), into)


def unbound(found: Member, module: Module) -> str:
    """What in the shim would raise a NameError, "" when nothing does."""
    near = set(_near(found))
    for node, line in _uses(found, module):
        if node.id not in near and module.missing(node.id, line):
            when = "when the class is made" if line is not None else "when it is called"
            return f"{node.id} is not defined in the module {when}"
    for text in _quoted(found, module):
        for name in _loads(text):
            if name.id not in near and name.id not in module.typing_only and module.missing(name.id):
                return f"the annotation {ast.unparse(text)} names {name.id}, which the module does not have"
    return ""


def _near(found: Member) -> Iterator[str]:
    """The names that the functions around the class bind, wherever inside: more than there are, never less."""
    for scope in found.site.scopes:
        yield from locals_of(scope) if isinstance(scope, FunctionNode) else ()


def _uses(found: Member, module: Module) -> Iterator[tuple[ast.Name, int | None]]:
    """The names read at run time, each with the line by which it must be bound."""
    for statement in found.statements:
        if not isinstance(statement, FunctionNode):
            for name in _loads(statement.value) if statement.value is not None else ():
                yield name, statement.lineno
            continue
        local = locals_of(statement)
        for part in statement.body:
            yield from ((n, None) for n in _loads(part) if n.id not in local)
        args = statement.args
        at_once = [*args.defaults, *(d for d in args.kw_defaults if d is not None), *statement.decorator_list]
        if not module.deferred:
            at_once += _annotations(statement)
        for each in at_once:
            yield from ((n, statement.lineno) for n in _loads(each) if n.id != statement.name)


def _quoted(found: Member, module: Module) -> Iterator[ast.expr]:
    """The annotations that nobody evaluates at import: strings, and all of them where that is deferred."""
    for statement in found.statements:
        for annotation in _annotations(statement) if isinstance(statement, FunctionNode) else ():
            if module.deferred:
                yield annotation
            for node in ast.walk(annotation):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    inner = expression(node.value)  # None when it is some other string (inside Literal)
                    yield from () if inner is None else (inner,)


def _annotations(function: FunctionNode) -> list[ast.expr]:
    found = [a.annotation for a in every_argument(function.args) if a.annotation is not None]
    return found + ([function.returns] if function.returns is not None else [])


def _loads(node: ast.AST) -> Iterator[ast.Name]:
    return (n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that one statement binds itself, without the blocks inside it."""
    if isinstance(node, FunctionNode | ast.ClassDef):
        yield node.name
    elif isinstance(node, ImportNode):
        yield from map(imported_as, node.names)
    else:
        heads = [c for c in ast.iter_child_nodes(node) if not isinstance(c, (ast.stmt, ast.excepthandler))]
        for head in heads:
            yield from (n.id for n in ast.walk(head) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def other_meaning(params: tuple[Param, ...], here: ast.Module, path: str, there: ast.Module, origin: str) -> str:
    """The first default of `params` with a name that the module `here` (at `path`) and the provider's module
    `there` (at `origin`) do not take from the same place, "" when there is none."""
    for param in params:
        if param.default is None or is_literal(param.default):
            continue
        for name in _names(param.default):
            ours, theirs = set(_origins(here.body, path, name)), set(_origins(there.body, origin, name))
            if not ours and not theirs and hasattr(builtins, name):
                continue
            if not ours or not _covered(ours, theirs) or not _covered(theirs, ours):
                return f"the default {param.default} of {param.name} may be another {name} here than in {origin}"
    return ""


def _names(default: str) -> list[str]:
    """The names an expression reads, sorted."""
    return sorted({n.id for n in ast.walk(ast.parse(default, mode="eval")) if isinstance(n, ast.Name)})


def _covered(some: set[str], others: set[str]) -> bool:
    return all(any(_alike(one, other) for other in others) for one in some)


def _alike(one: str, other: str) -> bool:
    """Dotted names of one thing; that of a file begins with the folders above its package."""
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _origins(body: list[ast.stmt], path: str, name: str) -> Iterator[str]:
    """The dotted names that `name` may stand for at module level: one for each statement that binds it."""
    for node in body:
        if isinstance(node, ImportNode):
            yield from (full for bound, full in _imported(node, path) if bound == name)
        elif isinstance(node, FunctionNode | ast.ClassDef):
            if node.name == name:
                yield f"{_module(path)}.{name}"
        else:
            if any(isinstance(n, ast.Name) and n.id == name for n in _targets(node)):
                yield f"{_module(path)}.{name}"
            yield from _origins(list(blocks(node)), path, name)


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []


def _imported(node: ImportNode, path: str) -> Iterator[tuple[str, str]]:
    """Each name an import binds, and the dotted name of what it stands for."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
        else:
            yield alias.asname or alias.name, ".".join(filter(None, [_source(node, path), alias.name]))


def _source(node: ast.ImportFrom, path: str) -> str:
    """The absolute dotted name of the module that is imported from."""
    if not node.level:
        return node.module or ""
    folders = path.split("/")[: -node.level]
    return ".".join([*folders, *([node.module] if node.module else [])])


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
