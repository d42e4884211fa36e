"""Whether an edit only inserts: the file before, plus lines, apart from an import that grows and a lone `pass`."""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Iterator
from itertools import chain

Imported = tuple[str, int, str, str | None]


def disturbed(before: bytes, after: bytes, tree_before: ast.Module, tree_after: ast.Module) -> str:
    """The first thing that the edit did besides inserting, "" when there is none."""
    old, new = _lines(before), _lines(after)
    passes, imports = set(_lone_passes(tree_before)), set(_import_lines(tree_before))
    for tag, start, end, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        touched = range(start + 1, end + 1) if tag in ("replace", "delete") else ()
        for line in touched:
            if line not in passes and line not in imports:
                return f"line {line} is not as it was: {old[line - 1].decode(errors='replace').strip()}"
    lost = Counter(_imported(tree_before)) - Counter(_imported(tree_after))
    if lost:
        return f"the import of {next(iter(lost))[2]} is gone"
    return ""


def _lines(content: bytes) -> list[bytes]:
    """The lines, by line feed alone; a last line without one is the same line when it gets one."""
    lines = content.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def _lone_passes(tree: ast.Module) -> Iterator[int]:
    """The lines of every `pass` that is all a class has, a docstring aside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if len(body) == 1 and isinstance(body[0], ast.Pass):
                yield body[0].lineno


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    yield from (n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)))


def _import_lines(tree: ast.Module) -> Iterator[int]:
    yield from chain.from_iterable(range(n.lineno, (n.end_lineno or n.lineno) + 1) for n in _imports(tree))


def _imported(tree: ast.Module) -> Iterator[Imported]:
    """Every name that an import statement binds: module, level, name, alias."""
    for node in _imports(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", node.level, a.name, a.asname) for a in node.names)
        else:
            yield from ((a.name, 0, "", a.asname) for a in node.names)
