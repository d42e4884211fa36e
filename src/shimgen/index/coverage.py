"""Whether a set of conditional assignments covers every way through a function."""

from __future__ import annotations

from collections.abc import Sequence

from shimgen.model.facts import Function, Store


def always_assigned(stores: Sequence[tuple[Store, Function]]) -> bool:
    """True when after the function at least one of the assignments has run, or an exception left it.

    Arms are the paths of `Store.branch`. An arm that ends in raise (or return) does not fall through.
    """
    arms = {store.branch for store, _ in stores}
    leaving = {arm for _, function in stores for arm in function.leaving}
    return _covered("", arms, leaving)


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
