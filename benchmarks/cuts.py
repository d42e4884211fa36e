"""Takes one member out of a class of a source file, without moving a line."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from shimgen.source import ClassSite, read
from shimgen.syntax import FunctionNode, first_line
from shimgen.verify.members import Member, Statement

INIT = "shimgen_init"


@dataclass(frozen=True, slots=True)
class Cut:
    """A member as it stood in `path`: class, name, the lines it took, and its statements as verification reads them.

    `assigned`: it was no member of the class but an assignment of the constructor; then the statements are one
    method, which makes that assignment.
    """

    path: str
    cls: str
    name: str
    spans: tuple[tuple[int, int, int], ...]
    member: Member
    assigned: bool = False


def find(path: str, content: bytes, cls: str, name: str) -> Cut | None:
    """The member `name` of `cls`, a statement of its body or an assignment of its constructor; None when absent."""
    for site in read(content).named(cls):
        body = tuple(s for s in site.node.body if isinstance(s, Statement) and _binds(s, name))
        if body:
            return Cut(path, cls, name, tuple(map(_span, body)), _described(site, body))
        made = [s for s in ast.walk(site.node) if isinstance(s, ast.Assign) and _assigns(s, name)]
        if made:
            init = ast.parse(f"def {INIT}(self):\n    {ast.unparse(made[0])}").body[0]
            assert isinstance(init, ast.FunctionDef)
            return Cut(path, cls, name, (_span(made[0]),), Member(site, (init,), (init,), "method", init), True)
    return None


def without(content: bytes, cuts: list[Cut]) -> bytes:
    """The file without these members: `pass` stands where each began, and every other line where it was."""
    lines = content.split(b"\n")
    for first, last, column in sorted({span for cut in cuts for span in cut.spans}):
        lines[first - 1 : last] = [b" " * column + b"pass", *[b""] * (last - first)]
    return b"\n".join(lines)


def removed(files: Mapping[str, bytes], cuts: list[Cut]) -> dict[str, bytes]:
    """The files that change when all of `cuts` are taken out."""
    paths = {cut.path for cut in cuts}
    return {path: without(files[path], [c for c in cuts if c.path == path]) for path in sorted(paths)}


def _binds(statement: Statement, name: str) -> bool:
    if isinstance(statement, FunctionNode):
        return statement.name == name
    if isinstance(statement, ast.AnnAssign):
        return statement.value is not None and _is(statement.target, name)
    return any(_is(target, name) for target in statement.targets)


def _is(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _assigns(statement: ast.Assign, name: str) -> bool:
    """self.name = self.something..."""
    return [ast.unparse(t) for t in statement.targets] == [f"self.{name}"] and ast.unparse(statement.value).startswith(
        "self."
    )


def _span(statement: ast.stmt) -> tuple[int, int, int]:
    return first_line(statement), statement.end_lineno or statement.lineno, statement.col_offset


def _described(site: ClassSite, statements: tuple[Statement, ...]) -> Member:
    functions = [s for s in statements if isinstance(s, FunctionNode)]
    if not functions:
        return Member(site, statements, statements, "attribute", None)
    listed = {ast.unparse(d) for d in functions[0].decorator_list}
    kind = next((k for k in ("property", "classmethod", "staticmethod") if k in listed), "method")
    return Member(site, statements, statements, kind, functions[0])
