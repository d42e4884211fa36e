"""The case as the sandbox reads it, and the objects that stand in for values of the real program."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass, field
from typing import Any

KINDS = {
    "posonly": inspect.Parameter.POSITIONAL_ONLY,
    "pos": inspect.Parameter.POSITIONAL_OR_KEYWORD,
    "var": inspect.Parameter.VAR_POSITIONAL,
    "kwonly": inspect.Parameter.KEYWORD_ONLY,
    "varkw": inspect.Parameter.VAR_KEYWORD,
}


class CheckError(Exception):
    """A check failed; the text is what the user reads."""


class TooLong(BaseException):
    """One shim used up its time; raised again and again until it gives up."""


class Token:
    """A value like no other. Reading an attribute gives a token of its own, the same one each time."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.inner: dict[str, Token] = {}

    def __getattr__(self, name: str) -> Token:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.inner.setdefault(name, Token(f"{self.label}.{name}"))

    def __repr__(self) -> str:
        return self.label


@dataclass(frozen=True)
class Provider:
    """A way in which candidates provide the member. `names`: the candidates' class names; `flavour`: "", "async",
    "generator" or "asyncgen"; `setter`: it can be assigned."""

    names: tuple[str, ...]
    kind: str
    flavour: str
    signature: inspect.Signature
    setter: bool

    @property
    def called(self) -> bool:
        """Whether the member is something to call."""
        return self.kind in ("method", "classmethod", "staticmethod")


@dataclass(frozen=True)
class Recipe:
    """What an assembled member promises: the values of the chains in `returns`, and that each chain in `writes` holds
    the argument of that parameter afterwards. `names` are modules that its code speaks to."""

    parameters: tuple[str, ...]
    names: tuple[str, ...]
    returns: tuple[str, ...]
    writes: dict[str, str]


@dataclass(frozen=True)
class Case:
    """One shim. `source`: a class statement with the shim's members and the base `shimgen_base`; `kind`: what
    the shim is ("method", "property", "classmethod", "staticmethod", "attribute"); `attribute`: where the wrapper
    holds the delegate, which may be missing (`optional`); `handed`: a property hands out the delegate's method, since
    a probe may have to say no; `shapes`: how the engine calls it; `writes`, `deletes`: the engine does that to the
    member; `projection`: class-level parameter to the chain that must arrive; `names`: what its defaults are called,
    and their values."""

    wrapper: str
    member: str
    source: str
    kind: str
    attribute: str
    optional: bool
    handed: bool
    providers: tuple[Provider, ...]
    shapes: tuple[tuple[int, tuple[str, ...]], ...]
    writes: bool
    deletes: bool
    projection: dict[str, str]
    names: dict[str, Any] = field(default_factory=dict)
    recipe: Recipe | None = None


def read(raw: dict[str, Any]) -> Case:
    """A case from its JSON form. A default that is no literal is a token, one for each source text."""
    tokens: dict[str, Token] = {}

    def value(text: str) -> Any:
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError):
            return tokens.setdefault(text, Token(text))

    return Case(
        wrapper=raw["wrapper"],
        member=raw["member"],
        source=raw["source"],
        kind=raw["kind"],
        attribute=raw["attribute"],
        optional=raw["optional"],
        handed=raw["handed"],
        providers=tuple(_provider(p, value) for p in raw["providers"]),
        shapes=tuple((count, tuple(names)) for count, names in raw["shapes"]),
        writes=raw["writes"],
        deletes=raw["deletes"],
        projection=raw["projection"],
        names={name: value(text) for name, text in raw["defaults"].items()},
        recipe=_recipe(raw["recipe"]) if raw.get("recipe") else None,
    )


def _recipe(raw: dict[str, Any]) -> Recipe:
    return Recipe(tuple(raw["parameters"]), tuple(raw["names"]), tuple(raw["returns"]), dict(raw["writes"]))


def _provider(raw: dict[str, Any], value: Any) -> Provider:
    empty = inspect.Parameter.empty
    params = [
        inspect.Parameter(name, KINDS[kind], default=empty if default is None else value(default))
        for name, kind, default in raw["params"]
    ]
    return Provider(tuple(raw["names"]), raw["kind"], raw["flavour"], inspect.Signature(params), raw["setter"])
