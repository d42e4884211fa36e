"""Whether a call binds to a signature (language reference 6.3.4, Calls), and whether two signatures bind alike."""

from __future__ import annotations

from collections.abc import Sequence

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
