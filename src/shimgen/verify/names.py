"""Whether every name that a shim uses means something in the wrapper's module, at the moment it is used."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from shimgen.verify.members import Member
from shimgen.verify.source import Function, blocks

BUILTIN = frozenset(dir(builtins))


class Module:
    """The names that a module binds at its top level, and at which line at the earliest; `typing_only` those
    that only a type checker sees; `open` says that a star import may bind any other."""

    def __init__(self, tree: ast.Module) -> None:
        self.bound: dict[str, int] = {}
        self.typing_only: dict[str, int] = {}
        self.open = False
        self.deferred = any(
            isinstance(n, ast.ImportFrom) and n.module == "__future__" and any(a.name == "annotations" for a in n.names)
            for n in tree.body
        )
        self._read(tree.body, self.bound)

    def missing(self, name: str, line: int | None = None) -> bool:
        """Whether `name` is unbound at run time, for code that runs when `line` is reached (None: after import)."""
        if name in BUILTIN or self.open:
            return False
        return name not in self.bound or (line is not None and self.bound[name] > line)

    def _read(self, body: Iterable[ast.stmt], into: dict[str, int]) -> None:
        for node in body:
            if isinstance(node, ast.If) and _for_types(node.test):
                self._read(node.body, self.typing_only)
                self._read(node.orelse, into)
                continue
            for name in _bound(node):
                if name == "*":
                    self.open = True
                into.setdefault(name, node.lineno)
            if not isinstance(node, Function | ast.ClassDef):
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
    for function in found.site.around:
        yield from _locals(function)


def _uses(found: Member, module: Module) -> Iterator[tuple[ast.Name, int | None]]:
    """The names read at run time, each with the line by which it must be bound."""
    for statement in found.statements:
        if not isinstance(statement, Function):
            for name in _loads(statement.value) if statement.value is not None else ():
                yield name, statement.lineno
            continue
        local = _locals(statement)
        for part in statement.body:
            yield from ((n, None) for n in _loads(part) if n.id not in local)
        args = statement.args
        at_once = [*args.defaults, *(d for d in args.kw_defaults if d is not None), *statement.decorator_list]
        if not module.deferred:
            at_once += _annotations(statement)
        for expression in at_once:
            yield from ((n, statement.lineno) for n in _loads(expression) if n.id != statement.name)


def _quoted(found: Member, module: Module) -> Iterator[ast.expr]:
    """The annotations that nobody evaluates at import: strings, and all of them where that is deferred."""
    for statement in found.statements:
        for annotation in _annotations(statement) if isinstance(statement, Function) else ():
            if module.deferred:
                yield annotation
            for node in ast.walk(annotation):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from _parsed(node.value)


def _parsed(text: str) -> Iterator[ast.expr]:
    """A string annotation as an expression; nothing when it is some other string (inside Literal)."""
    try:
        yield ast.parse(text, mode="eval").body
    except SyntaxError:
        return


def _annotations(function: Function) -> list[ast.expr]:
    args = function.args
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    found = [a.annotation for a in every if a is not None and a.annotation is not None]
    return found + ([function.returns] if function.returns is not None else [])


def _loads(node: ast.AST) -> Iterator[ast.Name]:
    return (n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _locals(function: Function) -> set[str]:
    """Parameters, and whatever the body binds."""
    args = function.args
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    names = {a.arg for a in every if a is not None}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(_bound(node))
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that one statement binds itself, without the blocks inside it."""
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from ((a.asname or a.name).split(".")[0] for a in node.names)
    else:
        heads = [c for c in ast.iter_child_nodes(node) if not isinstance(c, (ast.stmt, ast.excepthandler))]
        for head in heads:
            yield from (n.id for n in ast.walk(head) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _for_types(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
