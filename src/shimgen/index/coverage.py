"""Whether a set of conditional assignments covers every way through a function."""

from __future__ import annotations

from collections.abc import Collection, Iterable


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
