"""Calls that together exercise every parameter of a signature, by position and by name."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .case import Token

P = inspect.Parameter


@dataclass(frozen=True)
class Call:
    """What is passed in one call."""

    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        parts = [repr(a) for a in self.args] + [f"{name}={value!r}" for name, value in self.kwargs]
        return f"({', '.join(parts)})"


def calls(signature: inspect.Signature) -> Iterator[Call]:
    """Minimal by position and by name, full by position and by name, each optional parameter alone, surplus
    positionals and keywords where taken, and None for everything."""
    params = list(signature.parameters.values())
    needed = [p for p in params if p.default is P.empty and p.kind not in (P.VAR_POSITIONAL, P.VAR_KEYWORD)]
    named = [p for p in params if p.kind not in (P.VAR_POSITIONAL, P.VAR_KEYWORD)]
    yield _call(needed, by_name=False)
    yield _call(needed, by_name=True)
    yield _call(named, by_name=False)
    yield _call(named, by_name=True)
    for param in named:
        if param not in needed:
            yield from _with_one(params, needed, param)
    yield from _surplus(params, named, needed)
    full = _call(named, by_name=False)
    yield Call(tuple(None for _ in full.args), tuple((name, None) for name, _ in full.kwargs))


def shaped(shape: tuple[int, Sequence[str]]) -> Call:
    """A call as the engine makes it."""
    count, names = shape
    return Call(tuple(Token(f"<{n}>") for n in range(count)), tuple((n, Token(f"<{n}>")) for n in names))


def _call(chosen: Sequence[P], by_name: bool) -> Call:
    """Pass `chosen`, which hold no gap in the positionals when `by_name` is false."""
    args: list[Any] = []
    kwargs: list[tuple[str, Any]] = []
    for param in chosen:
        token = Token(f"<{param.name}>")
        if param.kind is P.POSITIONAL_ONLY or (not by_name and param.kind is P.POSITIONAL_OR_KEYWORD):
            args.append(token)
        else:
            kwargs.append((param.name, token))
    return Call(tuple(args), tuple(kwargs))


def _with_one(params: Sequence[P], needed: Sequence[P], extra: P) -> Iterator[Call]:
    """The needed parameters and one more, by name; by position as well, filling up to it."""
    if extra.kind is not P.POSITIONAL_ONLY:
        yield _call([p for p in params if p in needed or p is extra], by_name=True)
    if extra.kind is not P.KEYWORD_ONLY:
        last = params.index(extra)
        filled = [p for n, p in enumerate(params) if p in needed or (n <= last and p.kind is not P.KEYWORD_ONLY)]
        yield _call(filled, by_name=False)


def _surplus(params: Sequence[P], named: Sequence[P], needed: Sequence[P]) -> Iterator[Call]:
    kinds = {p.kind for p in params}
    more = (Token("<surplus 1>"), Token("<surplus 2>"))
    other = (("shimgen_other", Token("<other>")),)
    full, least = _call(named, by_name=False), _call(needed, by_name=True)
    if P.VAR_POSITIONAL in kinds:
        yield Call(full.args + more, full.kwargs)
    if P.VAR_KEYWORD in kinds:
        yield Call(least.args, least.kwargs + other)
    if kinds >= {P.VAR_POSITIONAL, P.VAR_KEYWORD}:
        yield Call(full.args + more, full.kwargs + other)
