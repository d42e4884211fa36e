"""Finds a shim's own statements in the edited file, and reads from them what it is."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from shimgen.model.domain import FileChange, Shim
from shimgen.model.facts import Param

Statement = ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class NotFoundError(Exception):
    """The shim's statements could not be told from the rest of the file; the text says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """The statements of one shim in the edited file. `kind`: "method", "property", "classmethod",
    "staticmethod" or "attribute"; `function` is the def that is called (a property's getter).
    `everything` are the statements with their overloads, `foreign` the decorators that do not make a kind."""

    cls: ast.ClassDef
    everything: tuple[Statement, ...]
    statements: tuple[Statement, ...]
    kind: str
    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    foreign: tuple[str, ...] = ()

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters a caller fills, without self or cls."""
        if self.function is None:
            return ()
        found = parameters(self.function.args)
        return found if self.kind == "staticmethod" else found[1:]


def parse(content: bytes) -> ast.Module:
    """The syntax tree of a file's bytes. Raises SyntaxError or ValueError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(content)


def byte_lines(content: bytes) -> list[bytes]:
    """The lines as Python counts them, each with its line end."""
    return _LINE.findall(content)


def text_lines(content: bytes) -> list[str]:
    """The lines as Python reads them, without line ends."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    return [line.rstrip(b"\r\n").decode(encoding, "replace") for line in byte_lines(content)]


def member(change: FileChange, shim: Shim, tree: ast.Module) -> Member:
    """The statements that `shim` put into the class of `tree`, the edited file. Raises NotFoundError."""
    found = [(cls, _bindings(cls, shim.member)) for cls in classes(tree, shim.place.name)]
    found = [(cls, statements) for cls, statements in found if statements]
    if not found:
        raise NotFoundError(f"{shim.member} is not in {shim.place.name} after the change")
    lines = text_lines(change.after)
    inserted = {line.strip() for line in shim.text.splitlines()}
    for cls, statements in found:
        spans = [lines[first_line(s) - 1 : s.end_lineno] for s in statements]
        if all(line.strip() in inserted for span in spans for line in span):
            return _described(cls, statements, shim.member)
    raise NotFoundError(f"{shim.place.name} defines {shim.member} in other words than shimgen generated")


def classes(tree: ast.Module, qualified: str) -> Iterator[ast.ClassDef]:
    """The class statements of that qualified name ("Outer.Inner", "make.<locals>.C"); branches may hold several."""
    yield from (node for name, node in _named(tree.body, "") if name == qualified)


def parameters(args: ast.arguments) -> tuple[Param, ...]:
    """The parameters of a def in order, defaults as canonical source."""
    positional = args.posonlyargs + args.args
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
    defaults += args.defaults
    kinds = ["posonly"] * len(args.posonlyargs) + ["pos"] * len(args.args)
    out = [_param(a, k, d) for a, k, d in zip(positional, kinds, defaults, strict=True)]
    out += [_param(args.vararg, "var", None)] if args.vararg else []
    out += [_param(a, "kwonly", d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    out += [_param(args.kwarg, "varkw", None)] if args.kwarg else []
    return tuple(out)


def first_line(statement: ast.stmt) -> int:
    """The line a statement begins on, decorators included."""
    listed: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in listed)])


def decorators(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """The decorators of a def as canonical source."""
    return tuple(ast.unparse(d) for d in function.decorator_list)


def is_overload(statement: Statement) -> bool:
    """A def that only tells the type checker something."""
    return isinstance(statement, FUNCTIONS) and any(d.split(".")[-1] == "overload" for d in decorators(statement))


def blocks(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements in the blocks of an if, try, with, loop or match."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            yield from child.body


def literal(text: str) -> bool:
    """Whether a default is a literal, whose value everyone agrees on."""
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _param(arg: ast.arg, kind: str, default: ast.expr | None) -> Param:
    text = None if default is None else ast.unparse(default)
    return Param(arg.arg, kind, text, ast.unparse(arg.annotation) if arg.annotation else None)


def _named(body: Iterable[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    """Every class below `body` with its qualified name."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield prefix + node.name, node
            yield from _named(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, FUNCTIONS):
            yield from _named(node.body, f"{prefix}{node.name}.<locals>.")
        else:
            yield from _named(blocks(node), prefix)


def _bindings(cls: ast.ClassDef, name: str) -> tuple[Statement, ...]:
    """The statements of the class body that bind `name`."""
    return tuple(s for s in cls.body if isinstance(s, (*FUNCTIONS, ast.Assign, ast.AnnAssign)) and name in _targets(s))


def _targets(statement: Statement) -> tuple[str, ...]:
    if isinstance(statement, FUNCTIONS):
        return (statement.name,)
    targets: Sequence[ast.expr] = statement.targets if isinstance(statement, ast.Assign) else (statement.target,)
    return tuple(t.id for t in targets if isinstance(t, ast.Name))


def _described(cls: ast.ClassDef, statements: tuple[Statement, ...], name: str) -> Member:
    real = [s for s in statements if not is_overload(s)]
    functions = [s for s in real if isinstance(s, FUNCTIONS)]
    if not functions:
        return Member(cls, statements, tuple(real), "attribute", None)
    known = {"property", "classmethod", "staticmethod", f"{name}.setter", f"{name}.deleter"}
    kind = next((d for d in decorators(functions[0]) if d in known), "method")
    foreign = [d for f in functions for d in decorators(f) if d not in known]
    return Member(cls, statements, tuple(real), kind, functions[0], tuple(foreign))
