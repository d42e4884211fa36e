"""The lists that taking up a base changes: the bases of a class statement, and the names of an import."""

from __future__ import annotations

import ast
import re

from shimgen.shims.lists import Listing
from shimgen.shims.refusal import no_place
from shimgen.source import Source
from shimgen.syntax import first_line

_CLASS = re.compile(rb"class\s+[^\s(\[:]+\s*\(")
_REST = re.compile(rb"(?:\s|,|\\|#[^\n]*)*")


def bases_of(source: Source, node: ast.ClassDef) -> Listing:
    """The bases of a class statement. Raises RefusedError where there is no list to grow."""
    match = _CLASS.match(source.data, source.offset(node.lineno, node.col_offset))
    if match is None or not node.bases:
        raise no_place("its class statement names no bases")
    return _listing(source, node, node.bases, match.end(), names=False)


def names_of(source: Source, node: ast.ImportFrom) -> Listing:
    """The names of `from module import ...`."""
    first = source.offset(node.names[0].lineno, node.names[0].col_offset)
    start = source.offset(node.lineno, node.col_offset)
    opening = source.data.find(b"(", start, first)
    return _listing(source, node, node.names, opening + 1, names=True)


def _listing(
    source: Source,
    node: ast.ClassDef | ast.ImportFrom,
    items: list[ast.expr] | list[ast.alias],
    opened: int,
    names: bool,
) -> Listing:
    """`opened` is the offset behind the opening parenthesis, 0 when there is none."""
    places = tuple(
        (source.offset(i.lineno, i.col_offset), source.offset(i.end_lineno or i.lineno, i.end_col_offset or 0))
        for i in items
    )
    rest = _REST.match(source.data, places[-1][1])
    close = rest.end() if rest and opened else places[-1][1]
    indent = source.indent(node.lineno)
    unit = source.indent(first_line(node.body[0]))[len(indent) :] if isinstance(node, ast.ClassDef) else ""
    newline = source.terminator(node.lineno) or "\n"
    return Listing(
        source.data,
        opened or places[0][0],
        close,
        places,
        names,
        not opened,
        indent.encode(),
        (unit or "    ").encode(),
        newline.encode(),
    )
