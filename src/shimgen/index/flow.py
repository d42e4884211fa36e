"""What statements and tests say about the way that a function takes, and whether assignments cover every way."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

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


def always_assigned(arms: Collection[str], leaving: Iterable[str]) -> bool:
    """True when at least one of the assignments under `arms` has run in the end, or one of `leaving` was taken.

    Arms are paths as those of `Store.branch`. One in `leaving` does not go on.
    """
    return _covered("", set(arms), set(leaving))


def _covered(arm: str, arms: set[str], leaving: set[str]) -> bool:
    if arm in arms:
        return True
    prefix = f"{arm}/" if arm else ""
    below = {a[len(prefix) :].split("/")[0] for a in arms | leaving if a.startswith(prefix) and a != arm}
    statements = {part.split(":")[0] for part in below if part}
    for line in statements:
        first, second = f"{prefix}{line}:0", f"{prefix}{line}:1"
        if all(_covered(a, arms, leaving) or a in leaving for a in (first, second)):
            used = any(x == a or x.startswith(f"{a}/") for x in arms for a in (first, second))
            if used:
                return True
    return False
