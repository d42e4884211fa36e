"""A Python file, parsed once: its lines as Python counts them, its syntax, its classes."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import msgspec

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_SIMPLE = frozenset((ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Raise, ast.Assert, ast.Pass))
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Source(msgspec.Struct, frozen=True):
    """`raw` are the lines with their line ends, `lines` the same as text without them. `classes` are the class
    statements by qualified name ("Outer.Inner", "make.<locals>.C"); branches may hold several of one name."""

    tree: ast.Module
    raw: tuple[bytes, ...]
    lines: tuple[str, ...]
    classes: Mapping[str, tuple[ClassSite, ...]]

    def text(self, node: ast.stmt) -> str:
        """The lines of a statement, decorators included."""
        return "\n".join(self.lines[first_line(node) - 1 : node.end_lineno])


class ClassSite(msgspec.Struct, frozen=True):
    """A class statement, and the functions around it."""

    node: ast.ClassDef
    around: tuple[Function, ...]


@lru_cache(maxsize=4)
def read(content: bytes) -> Source:
    """The file of those bytes. Raises SyntaxError or ValueError when it is no Python.

    Kept for a while: the checks of one file follow each other, and the trees of all files would fill the memory.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(content)
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    raw = tuple(_LINE.findall(content))
    lines = tuple(line.rstrip(b"\r\n").decode(encoding, "replace") for line in raw)
    sites: dict[str, tuple[ClassSite, ...]] = {}
    for name, site in _named(tree.body, "", ()):
        sites[name] = (*sites.get(name, ()), site)
    return Source(tree, raw, lines, sites)


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement, those inside others included."""
    for node in body:
        yield node
        yield from statements(blocks(node))


def blocks(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements directly in the blocks of a compound statement."""
    if node.__class__ in _SIMPLE:
        return
    for field in ("body", "orelse", "finalbody"):
        yield from getattr(node, field, ())
    for block in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield from block.body


def first_line(node: ast.stmt) -> int:
    """The line a statement begins on, decorators included."""
    listed: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in listed)])


def literal(text: str) -> bool:
    """Whether a default is a literal, whose value everyone agrees on."""
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _named(body: Iterable[ast.stmt], prefix: str, around: tuple[Function, ...]) -> Iterator[tuple[str, ClassSite]]:
    """Every class below `body` with its qualified name."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield prefix + node.name, ClassSite(node, around)
            yield from _named(node.body, f"{prefix}{node.name}.", around)
        elif isinstance(node, Function):
            yield from _named(node.body, f"{prefix}{node.name}.<locals>.", (*around, node))
        else:
            yield from _named(blocks(node), prefix, around)
