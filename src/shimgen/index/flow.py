"""What statements and tests say about the way that a function takes."""

from __future__ import annotations

import ast

from shimgen.syntax import chain_of


def ends(body: list[ast.stmt]) -> bool:
    """Whether what runs these statements may come to their end, and so return None."""
    last = body[-1]
    if isinstance(last, ast.If):
        return not last.orelse or ends(last.body) or ends(last.orelse)
    if isinstance(last, ast.With | ast.AsyncWith):
        return ends(last.body)
    if isinstance(last, ast.Try | ast.TryStar):
        ways = [last.orelse or last.body, *(handler.body for handler in last.handlers)]
        return any(map(ends, ways)) and (not last.finalbody or ends(last.finalbody))
    if isinstance(last, ast.Match):
        return not is_total(last) or any(ends(case.body) for case in last.cases)
    endless = isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and bool(last.test.value)
    return not endless and not isinstance(last, ast.Return | ast.Raise)


def is_total(node: ast.Match) -> bool:
    """Whether one of the cases takes whatever comes."""
    last = node.cases[-1]
    return last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None


def absent(test: ast.expr) -> str:
    """The name that is None, or empty, where a test holds: `x is None`, `not x`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Name):
        return test.operand.id
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and isinstance(test.left, ast.Name):
        other = test.comparators[0]
        return test.left.id if isinstance(other, ast.Constant) and other.value is None else ""
    return ""


def catches(caught: ast.expr | None) -> bool:
    """Whether an except clause takes an AttributeError."""
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(k is None or chain_of(k) in ("AttributeError", "Exception", "BaseException") for k in kinds)
