"""Whether a call binds to a signature (language reference 6.3.4, Calls), on facts."""

from __future__ import annotations

from shimgen.model.calling import POSITIONAL
from shimgen.model.domain import Provider
from shimgen.model.facts import CallShape, Param


def binds(shape: CallShape, params: tuple[Param, ...]) -> bool:
    """True when a call of this shape fits `params` (without self). A call with * or ** fits as far as is known."""
    positional = [p for p in params if p.kind in POSITIONAL]
    has_var = any(p.kind == "var" for p in params)
    has_varkw = any(p.kind == "varkw" for p in params)
    if shape.positional > len(positional) and not has_var:
        return False
    filled = {p.name for p in positional[: shape.positional]}
    by_name = {p.name for p in params if p.kind in ("pos", "kwonly")}
    for keyword in shape.keywords:
        if keyword in filled or (keyword not in by_name and not has_varkw):
            return False
        filled.add(keyword)
    missing = [p for p in params if p.kind in (*POSITIONAL, "kwonly") and p.default is None and p.name not in filled]
    if shape.double_star:
        missing = [p for p in missing if p.kind == "posonly"]
    if shape.star:
        missing = [p for p in missing if p.kind == "kwonly"]
    return not missing


def same_signature(first: tuple[Param, ...], second: tuple[Param, ...]) -> bool:
    """True when names, kinds, order and defaults agree; annotations do not change what binds."""
    return [(p.name, p.kind, p.default) for p in first] == [(p.name, p.kind, p.default) for p in second]


def same_call(first: Provider, second: Provider) -> bool:
    """Whether one forward fits both methods: what they take agrees, and whether it is awaited or iterated."""
    return first.flavour == second.flavour and same_signature(first.params, second.params)


def fills(shape: CallShape, params: tuple[Param, ...], name: str) -> bool:
    """Whether a call of this shape may give a value to the parameter `name`."""
    positional = [p.name for p in params if p.kind in POSITIONAL]
    return name in positional[: shape.positional] or name in shape.keywords or shape.star or shape.double_star
