"""The comment by which shimgen knows its own work: what is written, found again and taken out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from shimgen.model.facts import MARKER
from shimgen.shims.headers import bases_of, names_of
from shimgen.shims.lists import Edit, applied
from shimgen.source import Source, read
from shimgen.syntax import FunctionNode, first_line, last_line

PREFIX = f"{MARKER}forwards to "
# What shimgen writes above its members: a forward, or a recipe of a profile.
_MARKER = re.compile(rf"{MARKER}(?:forwards to \S.*|[\w-]+ \(self\.[\w.]+\))")
# What it writes above a class that takes up a base.
_ADOPTION = re.compile(rf"{MARKER}(?P<imported>imports and )?adopts (?P<name>\w+)(?: \((?P<notes>.+)\))?")
_BASES, _IMPORT = "its bases stood ", "its import stood "


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


def adoption_marker(name: str, imported: bool, bases: str, names: str) -> str:
    """The comment above a class that takes up the base `name`, and where the lists stood that had to be wrapped."""
    notes = "; ".join([*([_BASES + bases] if bases else []), *([_IMPORT + names] if names else [])])
    return f"{MARKER}{'imports and ' if imported else ''}adopts {name}" + (f" ({notes})" if notes else "")


class Adopted(msgspec.Struct, frozen=True):
    """What the comment above a class says: see `adoption_marker`."""

    name: str
    imported: bool
    bases: str
    names: str


def adopted(line: str) -> Adopted | None:
    """What a line of source says of an adoption, None when it is no such comment."""
    match = _ADOPTION.fullmatch(line.strip())
    if match is None:
        return None
    notes = (match["notes"] or "").split("; ")
    was = {head: next((n.removeprefix(head) for n in notes if n.startswith(head)), "") for head in (_BASES, _IMPORT)}
    return Adopted(match["name"], match["imported"] is not None, was[_BASES], was[_IMPORT])


class ExistingShim(msgspec.Struct, frozen=True):
    """A shim found in a file: `cls` is the class's qualified name, at `class_line`; `line` is the marker's.

    `source[start:end]` is what was inserted: the blank line above and all lines down to the shim's last, which
    `text` holds without that blank line. Of an adoption it is the marker's line, and `text` goes on to the end of the
    class statement; `adopted` says what else was changed.
    """

    cls: str
    class_line: int
    member: str
    line: int
    start: int
    end: int
    text: str
    adopted: Adopted | None = None


def find_shims(source: bytes) -> tuple[ExistingShim, ...]:
    """The shims in a file, in the order of their lines; () for a file that is no Python."""
    if MARKER.encode() not in source:
        return ()
    try:
        parsed = read(source)
    except (SyntaxError, ValueError):
        return ()
    found = [shim for site in parsed.classes for shim in _in_class(parsed, site.name, site.node)]
    found += [shim for site in parsed.classes for shim in _above_class(parsed, site.name, site.node)]
    return tuple(sorted(found, key=lambda shim: shim.start))


def remove_shims(source: bytes, shims: Iterable[ExistingShim]) -> bytes:
    """The file without those shims (as `find_shims` gave them for this very source), as if never inserted."""
    taken = tuple(shims)
    edits = [Edit(shim.start, shim.end, b"") for shim in taken]
    if any(shim.adopted is not None for shim in taken):
        edits += _disowned(read(source), taken, find_shims(source))
    result = applied(source, edits)
    if not source.endswith((b"\n", b"\r")):
        result = result.removesuffix(b"\n").removesuffix(b"\r")
    return result


def take_out(before: bytes, after: bytes, current: bytes) -> bytes | None:
    """`current` without those of the shims that made `after` of `before` that still stand in it, wherever that is.

    None where shims are not all that was changed, or where some marked line is neither of them nor of `before`.
    """
    old = {_key(shim) for shim in find_shims(before)}
    new = [shim for shim in find_shims(after) if _key(shim) not in old]
    if remove_shims(after, new) != before:
        return None
    texts = {_key(shim): shim.text for shim in new}
    here = find_shims(current)
    if len(here) != current.count(MARKER.encode()):
        return None
    mine = [shim for shim in here if _key(shim) not in old]
    if any(shim.text != texts.get(_key(shim)) for shim in mine):
        return None
    return remove_shims(current, mine)


def _key(shim: ExistingShim) -> tuple[str, str]:
    return shim.cls, shim.member


def is_marked(source: Source, node: ast.stmt) -> bool:
    """Whether shimgen wrote this statement: the line above it is a marker."""
    above = first_line(node) - 1
    return above >= 1 and _MARKER.fullmatch(source.line(above).strip()) is not None


def bound_name(node: ast.stmt) -> str:
    """The name that a def or a plain assignment binds, "" for other statements."""
    if isinstance(node, FunctionNode | ast.ClassDef):
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


def _above_class(source: Source, name: str, node: ast.ClassDef) -> Iterator[ExistingShim]:
    """The adoptions of a class: comments directly above its statement."""
    line = first_line(node) - 1
    while line >= 1 and (said := adopted(source.line(line))) is not None:
        start, end = source.starts[line - 1], source.after(line)
        text = source.data[start : source.after(first_line(node.body[0]) - 1)].decode(source.encoding, "replace")
        if any(isinstance(base, ast.Name) and base.id == said.name for base in node.bases):
            yield ExistingShim(name, node.lineno, said.name, line, start, end, text, said)
        line -= 1


def _disowned(source: Source, taken: Sequence[ExistingShim], standing: Sequence[ExistingShim]) -> Iterator[Edit]:
    """The edits that take adopted bases out of class statements, and out of imports what only they needed."""
    every = [shim for shim in standing if shim.adopted is not None]
    mine = [shim for shim in every if any(shim.start == other.start for other in taken)]
    for site in source.classes:
        here = [s for s in every if (s.cls, s.class_line) == (site.name, site.node.lineno)]
        gone = [s for s in here if s in mine]
        if gone:
            was = gone[0].adopted.bases if gone[0].adopted is not None and len(gone) == len(here) else ""
            yield from bases_of(source, site.node).shrunk([s.member.encode() for s in gone], was)
    left = {shim.member for shim in every if shim not in mine}
    names = {s.member: s.adopted.names for s in mine if s.adopted is not None and s.adopted.imported}
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom):
            gone_names = [a.name for a in node.names if a.name in names and a.asname is None and a.name not in left]
            if gone_names and len(gone_names) == len(node.names):
                yield Edit(source.starts[first_line(node) - 1], source.after(last_line(node)), b"")
            elif gone_names:
                was = names[gone_names[0]]
                yield from names_of(source, node).shrunk([name.encode() for name in gone_names], was)
