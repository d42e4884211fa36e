"""How blocks of statements end: by leaving, by an error, by catching one."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from shimgen.index.use.record import Catch, source

CATCHING = frozenset(("AttributeError", "Exception", "BaseException"))


def ends(block: Sequence[ast.stmt]) -> bool:
    """Whether control never leaves the block at its end."""
    last = block[-1] if block else None
    if isinstance(last, ast.If):
        return ends(last.body) and ends(last.orelse)
    if isinstance(last, ast.With | ast.AsyncWith):
        return ends(last.body)
    return isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break)


def error_of(block: Sequence[ast.stmt]) -> str | None:
    """The text of the error that the block always ends with, None when it may end otherwise."""
    last = block[-1] if block else None
    if not isinstance(last, ast.Raise | ast.If | ast.With | ast.AsyncWith):
        return None
    if any(isinstance(n, ast.Return) for statement in block[:-1] for n in ast.walk(statement)):
        return None
    if isinstance(last, ast.Raise):
        return message_of(last.exc)
    if isinstance(last, ast.If):
        first, second = error_of(last.body), error_of(last.orelse)
        return None if second is None else first
    return error_of(last.body)


def message_of(node: ast.expr | None) -> str:
    """The text of an error or of an assert's message, with {placeholders} as written."""
    if node is None:
        return ""
    if isinstance(node, ast.Call) and node.args:
        return message_of(node.args[0])
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_piece(value) for value in node.values)
    return source(node)


def _piece(node: ast.expr) -> str:
    if isinstance(node, ast.FormattedValue):
        return "{" + source(node.value) + "}"
    return str(node.value) if isinstance(node, ast.Constant) else ""


def catch_of(handlers: list[ast.ExceptHandler]) -> Catch | None:
    """How the handlers treat an AttributeError: None when it passes through or is raised again for any error."""
    for handler in handlers:
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type] if handler.type else []
        names = [source(t).rpartition(".")[2] for t in types]
        if names and not CATCHING.intersection(names):
            continue
        text = f"try/except {', '.join(names)}".rstrip()
        error = error_of(handler.body)
        if error is not None and "AttributeError" in names:
            return Catch(text, True, error)
        raising = any(isinstance(n, ast.Raise) for statement in handler.body for n in ast.walk(statement))
        return None if raising else Catch(text)
    return None
