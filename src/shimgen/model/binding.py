"""Whether a call binds to a signature (language reference 6.3.4, Calls), and one signature for several."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from shimgen.model.calling import POSITIONAL
from shimgen.model.domain import Provider
from shimgen.model.facts import CallShape, Param


def binds(shape: CallShape, params: Sequence[Param]) -> bool:
    """Whether a call of `shape` binds to `params` (without self), as far as is known."""
    return not mismatch(params, shape)


def mismatch(params: Sequence[Param], shape: CallShape) -> str:
    """Why a call of `shape` does not bind to `params` (without self), "" when it does.

    A call with * or ** may supply anything that is still missing, so only what it surely passes can clash.
    """
    positional = [p for p in params if p.kind in POSITIONAL]
    kinds = {p.kind for p in params}
    if shape.positional > len(positional) and "var" not in kinds:
        return f"{shape.positional} positional arguments for {len(positional)} parameters"
    filled = {p.name for p in positional[: shape.positional]}
    by_name = {p.name for p in params if p.kind in ("pos", "kwonly")}
    for keyword in shape.keywords:
        if keyword in filled and keyword in by_name:
            return f"{keyword} is passed twice"
        if keyword not in by_name and "varkw" not in kinds:
            return f"there is no parameter {keyword}"
    return _missing(params, shape, filled | (by_name & set(shape.keywords)))


def _missing(params: Sequence[Param], shape: CallShape, given: set[str]) -> str:
    """The first parameter without default that a call leaves out."""
    for param in params:
        if param.kind in ("var", "varkw") or param.default is not None or param.name in given:
            continue
        starred = shape.star and param.kind != "kwonly"
        doubled = shape.double_star and param.kind != "posonly"
        if not starred and not doubled:
            return f"{param.name} is missing"
    return ""


def same_signature(first: Sequence[Param], second: Sequence[Param]) -> bool:
    """Whether names, kinds, order and defaults agree; annotations do not change what binds."""
    return [(p.name, p.kind, p.default) for p in first] == [(p.name, p.kind, p.default) for p in second]


def same_call(first: Provider, second: Provider) -> bool:
    """Whether one forward fits both methods: what they take agrees, and whether it is awaited or iterated."""
    return first.flavour == second.flavour and same_signature(first.params, second.params)


def fills(shape: CallShape, params: Sequence[Param], name: str) -> bool:
    """Whether a call of this shape may give a value to the parameter `name`."""
    positional = [p.name for p in params if p.kind in POSITIONAL]
    return name in positional[: shape.positional] or name in shape.keywords or shape.star or shape.double_star


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
