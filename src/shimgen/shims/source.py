"""A Python file as bytes, lines and syntax tree, whose line numbers agree."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator

import msgspec

from shimgen.collector import collector_off
from shimgen.shims.refusal import no_place

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_SIMPLE = frozenset((ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Raise, ast.Assert, ast.Pass))
"""What most statements are, of those that have no blocks."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


class ClassSite(msgspec.Struct, frozen=True):
    """A class statement; `scopes` are the functions and classes around it, from the outside in."""

    name: str
    node: ast.ClassDef
    scopes: tuple[Function | ast.ClassDef, ...]


class Source(msgspec.Struct, frozen=True):
    """`starts` holds the offset of each line's first byte; `ends` that of its terminator. A byte order mark counts as
    part of the first line. `classes` are all class statements in the order of the source."""

    data: bytes
    tree: ast.Module
    classes: tuple[ClassSite, ...]
    encoding: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def line(self, number: int) -> str:
        """A line without its terminator, counted from 1. Bytes that do not decode are replaced."""
        return self.data[self.starts[number - 1] : self.ends[number - 1]].decode(self.encoding, "replace")

    def terminator(self, number: int) -> str:
        """The line end of a line, "" for a last line that has none."""
        stop = self.starts[number] if number < len(self.starts) else len(self.data)
        return self.data[self.ends[number - 1] : stop].decode("ascii")

    def after(self, number: int) -> int:
        """The offset behind a line and its terminator."""
        return self.starts[number] if number < len(self.starts) else len(self.data)

    def offset(self, number: int, column: int) -> int:
        """The offset of a place as the syntax tree gives it: a line, and a column in bytes of UTF-8."""
        start = self.starts[number - 1]
        line = self.data[start : self.ends[number - 1]]
        mark = len(_BOM) if number == 1 and line.startswith(_BOM) else 0
        before = line[mark:].decode(self.encoding, "replace").encode()[:column].decode("utf-8", "replace")
        return start + mark + len(before.encode(self.encoding))

    @property
    def count(self) -> int:
        """How many lines there are; a file that ends in a line end has no further, empty line."""
        return len(self.starts)


def parse(data: bytes) -> Source:
    """The file's lines and tree. Raises SyntaxError or ValueError when it is no Python."""
    with warnings.catch_warnings(), collector_off():
        warnings.simplefilter("ignore")
        tree = ast.parse(data)
    encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0].removesuffix("-sig")
    starts, ends = [0], []
    for match in _LINE_END.finditer(data):
        ends.append(match.start())
        starts.append(match.end())
    if starts[-1] == len(data) and len(starts) > 1:
        starts.pop()
    else:
        ends.append(len(data))
    return Source(data, tree, tuple(_class_sites(tree.body, "", ())), encoding, tuple(starts), tuple(ends))


def _class_sites(
    body: Iterable[ast.stmt], prefix: str, scopes: tuple[Function | ast.ClassDef, ...]
) -> Iterator[ClassSite]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield ClassSite(prefix + node.name, node, scopes)
            yield from _class_sites(node.body, f"{prefix}{node.name}.", (*scopes, node))
        elif isinstance(node, Function):
            yield from _class_sites(node.body, f"{prefix}{node.name}.<locals>.", (*scopes, node))
        elif node.__class__ not in _SIMPLE:
            yield from _class_sites(blocks(node), prefix, scopes)


def blocks(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements in the blocks of an if, try, with, loop or match."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for item in getattr(node, name, ()):
            yield from [item] if isinstance(item, ast.stmt) else item.body


def find_class(source: Source, name: str, line: int) -> ClassSite:
    """The class of that qualified name, at that line when there are several. Raises RefusedError."""
    found = [site for site in source.classes if site.name == name]
    exact = [site for site in found if site.node.lineno == line]
    if len(exact) == 1:
        return exact[0]
    if len(found) == 1 and not line:
        return found[0]
    raise no_place(f"no class {name} begins at line {line}")


def first_line(node: ast.stmt) -> int:
    """The line on which a statement begins, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def last_line(node: ast.stmt) -> int:
    """The line on which a statement ends."""
    return node.end_lineno or node.lineno
