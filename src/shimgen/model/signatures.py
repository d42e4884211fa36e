"""One signature for several: what a caller may pass to every one of them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from shimgen.model.calling import POSITIONAL
from shimgen.model.facts import Param


def common_params(signatures: Sequence[tuple[Param, ...]]) -> tuple[Param, ...] | None:
    """Parameters whose every call binds on each of `signatures` and means the same there; None when there are none.

    The positional parameters that all begin with in one order, and the keyword-only ones that all have. What only
    some have must be optional there, and is left out. A default is kept when all have the same; where defaults
    differ, the caller has to give a value. Annotations that differ are left out.
    """
    positional = _positional(signatures)
    cut = any(len([p for p in s if p.kind in POSITIONAL]) > len(positional) for s in signatures)
    kept = [_merged([s[i] for s in signatures]) for i in range(len(positional))]
    kept = _required_first(kept)
    for kind in ("var", "kwonly", "varkw"):
        for param in signatures[0]:
            same = [p for s in signatures for p in s if p.kind == kind and p.name == param.name]
            if param.kind == kind and len(same) == len(signatures) and not (kind == "var" and cut):
                kept.append(_merged(same))
    names = {p.name for p in kept}
    dropped = [p for s in signatures for p in s if p.name not in names and p.kind not in ("var", "varkw")]
    return tuple(kept) if all(p.default is not None for p in dropped) else None


def _positional(signatures: Sequence[tuple[Param, ...]]) -> list[Param]:
    """The positional parameters that all signatures share, name by name, from the first on."""
    shared: list[Param] = []
    for group in zip(*signatures, strict=False):
        first = group[0]
        if first.kind not in POSITIONAL or any((p.name, p.kind) != (first.name, first.kind) for p in group):
            break
        shared.append(first)
    return shared


def _merged(group: Sequence[Param]) -> Param:
    first = group[0]
    default = first.default if all(p.default == first.default for p in group) else None
    annotation = first.annotation if all(p.annotation == first.annotation for p in group) else None
    return replace(first, default=default, annotation=annotation)


def _required_first(params: list[Param]) -> list[Param]:
    """A parameter without default makes those before it required as well (language reference 8.7)."""
    last = max((n for n, p in enumerate(params) if p.default is None), default=-1)
    return [replace(p, default=None) if n < last else p for n, p in enumerate(params)]
