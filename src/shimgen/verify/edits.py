"""Whether an edit only inserts shims: the file before, plus their lines, apart from imports, a lone `pass`, and class
statements that take up a base."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest

import msgspec

from shimgen.model.domain import Shim
from shimgen.source import Source
from shimgen.syntax import FunctionNode, ImportNode, blocks, bodies, first_line, imported_as, last_line
from shimgen.verify.members import Member

_FOR_TYPES = ("if TYPE_CHECKING:", "if typing.TYPE_CHECKING:")
Imported = tuple[str, int, str, str | None]


def only_inserted(before: bytes, after: Source, shims: Sequence[tuple[str, Member]]) -> bool:
    """Whether the file without the texts of its shims, where these are found to stand, is to the byte the one before.

    Mostly it is so, and nothing else has to be looked at. A text has its statements, comments and empty lines.
    """
    left = list(after.raw)
    for text, found in sorted(shims, key=lambda pair: _begins(pair[1]), reverse=True):
        lines = text.splitlines()
        start = _begins(found) - next((n for n, line in enumerate(lines) if not _idle(line)), 0)
        block = range(start, start + len(lines))
        if [*after.lines[start - 1 : block.stop - 1]] != lines or not _alone(found, block, lines):
            return False
        del left[start - 1 : block.stop - 1]
    return b"".join(left) == before


def _alone(found: Member, block: range, lines: Sequence[str]) -> bool:
    """Whether these lines of the class hold the statements of the member, and nothing else."""
    own = {n for s in found.everything for n in range(first_line(s), last_line(s) + 1)}
    idle = {n for n, line in zip(block, lines, strict=True) if _idle(line)}
    there = [s for s in found.site.node.body if first_line(s) < block.stop and last_line(s) >= block.start]
    return own | idle == set(block) and there == [*found.everything]


def _begins(found: Member) -> int:
    return min(map(first_line, found.everything))


def _idle(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def disturbed(
    before: Source,
    after: Source,
    texts: Iterable[str],
    shims: Collection[ast.stmt],
    bases: Mapping[str, frozenset[str]] | None = None,
) -> str:
    """The first thing that the edit did besides inserting shims, "" when there is none.

    `texts` are the shims as generated, `shims` their statements in `after`; `bases` are the bases that classes take
    up, by the class's name.
    """
    old, new = _Inside(before), _Inside(after)
    own = bases or {}
    return (
        _lost(before, after, old.import_lines | old.lone_passes | _head_lines(before, own))
        or _strange(before.lines, after.lines, new.import_lines, texts)
        or _lost_import(old.imports, new.imports)
        or _Comparison(before, after, {id(s) for s in shims}, own).bodies(before.tree.body, after.tree.body)
    )


def _head_lines(source: Source, names: Collection[str]) -> set[int]:
    """The lines of these classes' statements, from `class` to the first line of the body."""
    nodes = (site.node for name in names for site in source.named(name))
    return {line for node in nodes for line in range(node.lineno, first_line(node.body[0]))}


class _Inside:
    """What a file has of imports and lone passes."""

    def __init__(self, source: Source) -> None:
        every = list(_statements(source.tree.body))
        self.imports = [s for s in every if isinstance(s, ImportNode)]
        spans = (range(s.lineno, last_line(s) + 1) for s in self.imports)
        self.import_lines = set(chain.from_iterable(spans))
        self.lone_passes = {line for s in every if isinstance(s, ast.ClassDef) for line in _lone_pass(s)}


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement, those inside others included."""
    for node in body:
        yield node
        yield from _statements(blocks(node))


def _lone_pass(cls: ast.ClassDef) -> Iterator[int]:
    """The line of a `pass` that is all the class has, a docstring aside."""
    body = cls.body[1:] if ast.get_docstring(cls) is not None else cls.body
    if len(body) == 1 and isinstance(body[0], ast.Pass):
        yield body[0].lineno


def _lost(before: Source, after: Source, free: Collection[int]) -> str:
    """The first line that is no longer there, in its order; the line numbers in `free` may go. A last line without
    a line end is the same line when it gets one."""
    rest = iter(after.raw)
    for number, line in enumerate(before.raw, 1):
        open_end = number == len(before.raw) and line == line.rstrip(b"\r\n")
        same = (line == (c.rstrip(b"\r\n") if open_end else c) for c in rest)
        if number not in free and not any(same):
            return f"line {number} is not as it was: {_shown(before.lines[number - 1])}"
    return ""


def _strange(old: Iterable[str], new: Sequence[str], imports: Iterable[int], texts: Iterable[str]) -> str:
    """The first new line that belongs neither to a shim nor to an import."""
    ours = {line for text in texts for line in text.splitlines()} | {new[n - 1] for n in imports}
    for line in Counter(new) - Counter(old):
        if line.strip() and line not in ours and line.strip() not in _FOR_TYPES:
            return f"a line was added that is no part of a shim: {_shown(line)}"
    return ""


def _lost_import(old: Iterable[ImportNode], new: Iterable[ImportNode]) -> str:
    lost = Counter(chain.from_iterable(map(_imported, old))) - Counter(chain.from_iterable(map(_imported, new)))
    return f"the import of {'.'.join(filter(None, next(iter(lost))[:3:2]))} is gone" if lost else ""


def _imported(node: ImportNode) -> Iterator[Imported]:
    """Every name that an import statement binds: module, level, name, alias."""
    if isinstance(node, ast.ImportFrom):
        yield from ((node.module or "", node.level, a.name, a.asname) for a in node.names)
    else:
        yield from ((a.name, 0, "", a.asname) for a in node.names)


class _Comparison(msgspec.Struct, frozen=True):
    """Statement by statement: equal text is equal, and only where it is not the syntax is looked at."""

    before: Source
    after: Source
    shims: Collection[int]
    bases: Mapping[str, frozenset[str]]

    def bodies(self, old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> str:
        """The first statement that is another, shims, imports and `pass` aside; "" when all are the same."""
        for left, right in zip_longest(self._kept(old), self._kept(new)):
            if left is None or right is None:
                return f"a statement came or went at line {first_line(left or right)}"
            if self.before.text(left) != self.after.text(right):
                fault = self._unlike(left, right)
                if fault:
                    return fault
        return ""

    def _kept(self, body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        return (s for s in body if id(s) not in self.shims and not isinstance(s, ast.Pass) and not _only_imports(s))

    def _unlike(self, left: ast.stmt, right: ast.stmt) -> str:
        """Two statements of different text are the same when only shims inside their bodies differ."""
        if type(left) is type(right) and _head(left) == _head(self._without_bases(right)):
            pairs = zip(bodies(left), bodies(right), strict=True)
            return next(filter(None, (self.bodies(old, new) for old, new in pairs)), "")
        named = isinstance(left, FunctionNode | ast.ClassDef)
        return f"{getattr(left, 'name', '') if named else f'line {left.lineno}'} is changed by more than a shim"

    def _without_bases(self, node: ast.stmt) -> ast.stmt:
        """A class statement without what it takes up, if that stands behind its other bases."""
        new = self.bases.get(node.name, frozenset()) if isinstance(node, ast.ClassDef) else frozenset()
        if not new or not isinstance(node, ast.ClassDef):
            return node
        kept, last = node.bases[: -len(new)], node.bases[-len(new) :]
        if {ast.unparse(base) for base in last} != new:
            return node
        fields = {**dict(ast.iter_fields(node)), "bases": kept}
        return ast.ClassDef(**fields)


def _only_imports(node: ast.stmt) -> bool:
    """An import, or an `if` with nothing but imports for the type checker."""
    if isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        return all(isinstance(s, ImportNode | ast.Pass) for s in node.body)
    return isinstance(node, ImportNode)


def _head(node: ast.stmt) -> str:
    """The syntax of a statement without the statements in its blocks."""
    return ast.dump(_emptied(node)) if any(bodies(node)) else ast.dump(node)


def _emptied(node: ast.AST) -> ast.AST:
    fields = dict(ast.iter_fields(node))
    for name in ("body", "orelse", "finalbody"):
        if name in fields:
            fields[name] = []
    for name in ("handlers", "cases"):
        if name in fields:
            fields[name] = [_emptied(block) for block in fields[name]]
    return type(node)(**fields)


def _shown(line: str) -> str:
    return line.strip()[:80]


def new_bases(shims: Iterable[Shim]) -> Mapping[str, frozenset[str]]:
    """The bases that classes take up, by the class's qualified name."""
    found: dict[str, set[str]] = {}
    for shim in shims:
        if shim.gap.takes_base:
            found.setdefault(shim.place.name, set()).add(shim.member)
    return {name: frozenset(bases) for name, bases in found.items()}


def taken_up(shim: Shim, after: Source) -> str:
    """What is wrong with a base in the edited file, "" when nothing is."""
    sites = [site.node for site in after.named(shim.place.name)]
    holding = [node for node in sites if shim.member in map(ast.unparse, node.bases)]
    if not holding:
        return f"{shim.member} is no base of {shim.place.name} after the change"
    bound = (line for node in after.tree.body for name, line in _bound_by(node) if name == shim.member)
    if min(bound, default=holding[0].lineno) >= holding[0].lineno:
        return f"{shim.member} is not bound before the class statement runs"
    return ""


def _bound_by(node: ast.stmt) -> Iterable[tuple[str, int]]:
    """The names that a statement of a module binds for sure, with its line."""
    if isinstance(node, ImportNode):
        return [(imported_as(alias), node.lineno) for alias in node.names]
    return [(node.name, node.lineno)] if isinstance(node, ast.ClassDef) else []
