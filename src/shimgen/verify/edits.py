"""Whether an edit only inserts shims: the file before, plus their lines, apart from imports and a lone `pass`."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, zip_longest

from shimgen.verify.members import FUNCTIONS, byte_lines, parse, text_lines

Imported = tuple[str, int, str, str | None]
Span = tuple[int, int]
Import = (ast.Import, ast.ImportFrom)


def disturbed(before: bytes, after: bytes, texts: Iterable[str], spans: Collection[Span]) -> str:
    """The first thing that the edit did besides inserting shims, "" when there is none.

    `texts` are the shims as generated, `spans` the first and last lines of their statements in `after`.
    Raises SyntaxError or ValueError when one of the files does not parse.
    """
    old, new = parse(before), parse(after)
    return (
        _lost(before, after, {*_import_lines(old), *_lone_passes(old)})
        or _strange(text_lines(before), text_lines(after), _import_lines(new), texts)
        or _lost_import(old, new)
        or _unlike(_Skeleton(old, text_lines(before), ()), _Skeleton(new, text_lines(after), spans))
    )


def _lost(before: bytes, after: bytes, free: Collection[int]) -> str:
    """The first line that is no longer there, in its order; the line numbers in `free` may go. A last line without
    a line end is the same line when it gets one."""
    old = byte_lines(before)
    rest = iter(byte_lines(after))
    for number, line in enumerate(old, 1):
        open_end = number == len(old) and line == line.rstrip(b"\r\n")
        same = (line == (c.rstrip(b"\r\n") if open_end else c) for c in rest)
        if number not in free and not any(same):
            return f"line {number} is not as it was: {_shown(text_lines(before)[number - 1])}"
    return ""


def _strange(old: list[str], new: list[str], imports: Iterable[int], texts: Iterable[str]) -> str:
    """The first new line that belongs neither to a shim nor to an import."""
    ours = {line for text in texts for line in text.splitlines()} | {new[n - 1] for n in imports}
    for line in Counter(new) - Counter(old):
        if line.strip() and line not in ours and not _for_types(line):
            return f"a line was added that is no part of a shim: {_shown(line)}"
    return ""


def _for_types(line: str) -> bool:
    return line.strip() in ("if TYPE_CHECKING:", "if typing.TYPE_CHECKING:")


def _lost_import(old: ast.Module, new: ast.Module) -> str:
    lost = Counter(_imported(old)) - Counter(_imported(new))
    return f"the import of {'.'.join(filter(None, next(iter(lost))[:3:2]))} is gone" if lost else ""


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    yield from (n for n in ast.walk(tree) if isinstance(n, Import))


def _import_lines(tree: ast.Module) -> set[int]:
    return set(chain.from_iterable(range(n.lineno, (n.end_lineno or n.lineno) + 1) for n in _imports(tree)))


def _imported(tree: ast.Module) -> Iterator[Imported]:
    """Every name that an import statement binds: module, level, name, alias."""
    for node in _imports(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", node.level, a.name, a.asname) for a in node.names)
        else:
            yield from ((a.name, 0, "", a.asname) for a in node.names)


def _lone_passes(tree: ast.Module) -> Iterator[int]:
    """The lines of every `pass` that is all a class has, a docstring aside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if len(body) == 1 and isinstance(body[0], ast.Pass):
                yield body[0].lineno


class _Skeleton:
    """The top-level statements of a file without imports, each with its text; `spans` are left out inside them."""

    def __init__(self, tree: ast.Module, lines: list[str], spans: Collection[Span]) -> None:
        self._spans = set(spans)
        self.statements = [s for s in tree.body if not _only_imports(s)]
        self.texts = ["\n".join(lines[s.lineno - 1 : s.end_lineno]) for s in self.statements]

    def shape(self, number: int) -> str:
        """The syntax of a statement without shims, imports and `pass` in class bodies."""
        statement = copy.deepcopy(self.statements[number])
        for node in ast.walk(statement):
            if isinstance(node, ast.ClassDef):
                node.body = [s for s in node.body if not self._is_shim(s) and not isinstance(s, ast.Pass)]
        return ast.dump(statement)

    def _is_shim(self, statement: ast.stmt) -> bool:
        return (statement.lineno, statement.end_lineno) in self._spans


def _only_imports(node: ast.stmt) -> bool:
    """An import, or an `if` with nothing but imports for the type checker."""
    if isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        return all(isinstance(s, (*Import, ast.Pass)) for s in node.body)
    return isinstance(node, Import)


def _unlike(old: _Skeleton, new: _Skeleton) -> str:
    """The first statement whose syntax, shims aside, is another; equal text needs no second look."""
    for number, (left, right) in enumerate(zip_longest(old.texts, new.texts)):
        if left is None or right is None:
            return "the file has another number of statements than before"
        if left != right and old.shape(number) != new.shape(number):
            node = old.statements[number]
            named = isinstance(node, (*FUNCTIONS, ast.ClassDef))
            return f"{getattr(node, 'name', '') if named else f'line {node.lineno}'} is changed by more than a shim"
    return ""


def _shown(line: str) -> str:
    return line.strip()[:80]
