"""The comment by which shimgen knows its own work: what is written, found again and taken out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

import msgspec

from shimgen.model.facts import MARKER
from shimgen.shims.source import Function, Source, class_sites, first_line, last_line, parse

PREFIX = f"{MARKER}forwards to "
# What shimgen writes above its members: a forward, or a recipe of a profile.
_MARKER = re.compile(rf"{MARKER}(?:forwards to \S.*|[\w-]+ \(self\.[\w.]+\))")


def recipe_marker(name: str, attribute: str) -> str:
    """The comment above a member that a recipe of the profile assembles."""
    return f"{MARKER}{name} (self.{attribute})"


def marker(target: str, classes: Iterable[str], width: int) -> str:
    """The comment above a shim: what it forwards to and who provides the member, as far as `width` allows.

    No line numbers and no versions stand in it, so that it changes only when the forward does.
    """
    names = [name for name in dict.fromkeys(classes) if name != target]
    every = f" ({', '.join(names)})" if names else ""
    some = f" ({names[0]} and {len(names) - 1} more)" if len(names) > 1 else ""
    return next(
        (PREFIX + target + text for text in (every, some) if len(PREFIX + target + text) <= width), PREFIX + target
    )


class ExistingShim(msgspec.Struct, frozen=True):
    """A shim found in a file: `cls` is the class's qualified name, at `class_line`; `line` is the marker's.

    `source[start:end]` is what was inserted: the blank line above and all lines down to the shim's last, which
    `text` holds without that blank line.
    """

    cls: str
    class_line: int
    member: str
    line: int
    start: int
    end: int
    text: str


def find_shims(source: bytes) -> tuple[ExistingShim, ...]:
    """The shims in a file, in the order of their lines; () for a file that is no Python."""
    if MARKER.encode() not in source:
        return ()
    try:
        parsed = parse(source)
    except (SyntaxError, ValueError):
        return ()
    found = [shim for site in class_sites(parsed.tree) for shim in _in_class(parsed, site.name, site.node)]
    return tuple(sorted(found, key=lambda shim: shim.start))


def remove_shims(source: bytes, shims: Iterable[ExistingShim]) -> bytes:
    """The file without those shims (as `find_shims` gave them for this very source), as if never inserted."""
    result = source
    for shim in sorted(shims, key=lambda s: s.start, reverse=True):
        result = result[: shim.start] + result[shim.end :]
    if not source.endswith((b"\n", b"\r")):
        result = result.removesuffix(b"\n").removesuffix(b"\r")
    return result


def is_marked(source: Source, node: ast.stmt) -> bool:
    """Whether shimgen wrote this statement: the line above it is a marker."""
    above = first_line(node) - 1
    return above >= 1 and _MARKER.fullmatch(source.line(above).strip()) is not None


def bound_name(node: ast.stmt) -> str:
    """The name that a def or a plain assignment binds, "" for other statements."""
    if isinstance(node, Function | ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def accessors(body: list[ast.stmt], position: int) -> int:
    """The index of the last setter or deleter that directly follows the property at `position`."""
    name = bound_name(body[position])
    while position + 1 < len(body) and _is_accessor(body[position + 1], name):
        position += 1
    return position


def _is_accessor(node: ast.stmt, name: str) -> bool:
    if not isinstance(node, ast.FunctionDef) or node.name != name:
        return False
    return any(ast.unparse(d) in (f"{name}.setter", f"{name}.deleter") for d in node.decorator_list)


def _in_class(source: Source, name: str, node: ast.ClassDef) -> Iterator[ExistingShim]:
    for position, statement in enumerate(node.body):
        member, line = bound_name(statement), first_line(statement) - 1
        inside = position > 0 and line <= last_line(node.body[position - 1])
        if not member or inside or not is_marked(source, statement):
            continue
        last = last_line(node.body[accessors(node.body, position)])
        blank = line > 1 and not source.line(line - 1).strip()
        start, end = source.starts[line - 1 - blank], source.after(last)
        text = source.data[source.starts[line - 1] : end].decode(source.encoding, "replace")
        yield ExistingShim(name, node.lineno, member, line, start, end, text)
