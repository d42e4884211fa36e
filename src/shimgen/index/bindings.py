"""What the statements of a module or of the body of a class bind besides plain assignments, functions and classes."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator

from shimgen.syntax import ImportNode, captured, chain_of, first_line, imported_as, last_line

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_HIDDEN = (b":=", b"locals()", b"vars()", b"exec(")


def hiding(source: bytes) -> tuple[int, ...]:
    """The lines on which expressions may bind names, as far as the text tells: in few files there are any."""
    found = {source.count(b"\n", 0, place) + 1 for text in _HIDDEN for place in _places(source, text)}
    if found and source.count(b"\r") != source.count(b"\r\n"):  # a line may end in other ways
        return tuple(range(1, len(source.splitlines()) + 1))
    return tuple(sorted(found))


def _places(source: bytes, text: bytes) -> Iterator[int]:
    place = source.find(text)
    while place >= 0:
        yield place
        place = source.find(text, place + 1)


def may_bind(node: ast.stmt, lines: tuple[int, ...]) -> bool:
    """Whether one of the lines is the statement's own, and not in the body of a function, a class or a block."""
    at = bisect_left(lines, first_line(node))
    return at < len(lines) and lines[at] <= _last_of_head(node)


def _last_of_head(node: ast.stmt) -> int:
    body: list[ast.stmt] = [] if isinstance(node, ast.Match | ast.Try | ast.TryStar) else getattr(node, "body", [])
    return body[0].lineno if body else last_line(node)


def bound(node: ast.stmt) -> list[str]:
    """Names that a statement of a class body binds to something that is not followed."""
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if isinstance(node, ImportNode):
        return [imported_as(alias) for alias in node.names if alias.name != "*"]
    if isinstance(node, ast.For):
        return names_of(node.target)
    if isinstance(node, ast.With):
        return [n for item in node.items if item.optional_vars is not None for n in names_of(item.optional_vars)]
    if isinstance(node, ast.Match):
        return [name for case in node.cases for part in ast.walk(case.pattern) if (name := captured(part))]
    return []


def caught(node: ast.stmt) -> list[str]:
    """Names that `except ... as` binds for a while, and then deletes."""
    return [h.name for h in node.handlers if h.name] if isinstance(node, ast.Try | ast.TryStar) else []


def names_of(target: ast.expr) -> list[str]:
    """The names that an assignment to the target binds."""
    return [n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def embedded(node: ast.stmt) -> Iterator[tuple[ast.NamedExpr, bool]]:
    """The `:=` that a statement runs in its own scope, and whether it does so under a condition only."""
    for part, conditional in _run(node):
        if isinstance(part, ast.NamedExpr):
            yield part, conditional


def given(node: ast.stmt) -> Iterator[str]:
    """The names that a statement puts into the dictionary of its scope, `locals()["x"] = f`; "*" for any."""
    for part, _ in _run(node):
        if isinstance(part, ast.Call) and _is_namespace(part):
            yield from _keys(node, part)


def _is_namespace(call: ast.Call) -> bool:
    callee = chain_of(call.func)
    return callee == "exec" or (callee in ("locals", "vars") and not call.args)


def _keys(node: ast.stmt, call: ast.Call) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    keys = [t.slice for t in targets if isinstance(t, ast.Subscript) and t.value is call]
    return [k.value if isinstance(k, ast.Constant) and isinstance(k.value, str) else "*" for k in keys] or ["*"]


def _run(node: ast.stmt) -> Iterator[tuple[ast.AST, bool]]:
    """The expressions that a statement evaluates in its own scope, without those of statements inside."""
    pending: list[tuple[ast.AST, bool]] = [(node, False)]
    while pending:
        part, conditional = pending.pop()
        yield part, conditional
        for child in ast.iter_child_nodes(part):
            if isinstance(child, ast.stmt | ast.pattern) or isinstance(part, _COMPREHENSIONS):
                continue
            if isinstance(part, ast.Lambda) and child is part.body:
                continue
            first = not isinstance(part, ast.BoolOp | ast.IfExp) or child is (
                part.values[0] if isinstance(part, ast.BoolOp) else part.test
            )
            other = not first or isinstance(child, ast.ExceptHandler | ast.match_case)
            pending.append((child, conditional or other))
