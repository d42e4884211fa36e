"""A Python file as bytes, lines and syntax, whose line numbers agree."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import pairwise

import msgspec

from shimgen.collector import collector_off
from shimgen.syntax import FunctionNode, blocks, first_line, parsed

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")


class ClassSite(msgspec.Struct, frozen=True):
    """A class statement by its qualified name ("Outer.Inner", "make.<locals>.C"); `scopes` are the functions and
    classes around it, from the outside in."""

    name: str
    node: ast.ClassDef
    scopes: tuple[FunctionNode | ast.ClassDef, ...]


class Source(msgspec.Struct, frozen=True, dict=True):
    """`starts` holds the offset of each line's first byte; `ends` that of its terminator. A byte order mark is no part
    of the first line's text. `classes` are all class statements; branches may hold several of one name."""

    data: bytes
    tree: ast.Module
    classes: tuple[ClassSite, ...]
    encoding: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many lines there are; a file that ends in a line end has no further, empty line."""
        return len(self.starts)

    @cached_property
    def raw(self) -> tuple[bytes, ...]:
        """The lines with their terminators."""
        return tuple(self.data[start:end] for start, end in pairwise((*self.starts, len(self.data))))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their terminators."""
        return tuple(map(self.line, range(1, self.count + 1)))

    def line(self, number: int) -> str:
        """A line without its terminator, counted from 1. Bytes that do not decode are replaced."""
        text = self.data[self.starts[number - 1] : self.ends[number - 1]].decode(self.encoding, "replace")
        return text.removeprefix("\ufeff") if number == 1 else text

    def indent(self, number: int) -> str:
        """The indentation of a line."""
        line = self.line(number)
        return line[: len(line) - len(line.lstrip(" \t\f"))].replace("\f", "")

    def terminator(self, number: int) -> str:
        """The line end of a line, "" for a last line that has none."""
        return self.data[self.ends[number - 1] : self.after(number)].decode("ascii")

    def after(self, number: int) -> int:
        """The offset behind a line and its terminator."""
        return self.starts[number] if number < self.count else len(self.data)

    def offset(self, number: int, column: int) -> int:
        """The offset of a place as the syntax tree gives it: a line, and a column in bytes of UTF-8."""
        start = self.starts[number - 1]
        line = self.data[start : self.ends[number - 1]]
        mark = len(_BOM) if number == 1 and line.startswith(_BOM) else 0
        before = line[mark:].decode(self.encoding, "replace").encode()[:column].decode("utf-8", "replace")
        return start + mark + len(before.encode(self.encoding))

    def text(self, node: ast.stmt) -> str:
        """The lines of a statement, decorators included."""
        return "\n".join(self.lines[first_line(node) - 1 : node.end_lineno])

    def named(self, name: str) -> list[ClassSite]:
        """The class statements of that qualified name."""
        return [site for site in self.classes if site.name == name]


@lru_cache(maxsize=4)
def read(data: bytes) -> Source:
    """The file of those bytes. Raises SyntaxError or ValueError when it is no Python.

    Kept for a while: what is done with one file follows each other, and the trees of all files would fill the memory.
    """
    with collector_off():
        tree = parsed(data)
    encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0].removesuffix("-sig")
    starts, ends = [0], []
    for match in _LINE_END.finditer(data):
        ends.append(match.start())
        starts.append(match.end())
    if starts[-1] == len(data) and len(starts) > 1:
        starts.pop()
    else:
        ends.append(len(data))
    return Source(data, tree, tuple(_sites(tree.body, "", ())), encoding, tuple(starts), tuple(ends))


def _sites(
    body: Iterable[ast.stmt], prefix: str, scopes: tuple[FunctionNode | ast.ClassDef, ...]
) -> Iterator[ClassSite]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield ClassSite(prefix + node.name, node, scopes)
            yield from _sites(node.body, f"{prefix}{node.name}.", (*scopes, node))
        elif isinstance(node, FunctionNode):
            yield from _sites(node.body, f"{prefix}{node.name}.<locals>.", (*scopes, node))
        else:
            yield from _sites(blocks(node), prefix, scopes)
