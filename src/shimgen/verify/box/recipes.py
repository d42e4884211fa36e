"""Checks of members that a recipe assembles: what they return and write is what the recipe promises."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from .bench import describe, raised_by
from .case import Case, CheckError, Recipe, Token
from .wrappers import Plain, wrapper_class


class Answers:
    """Stands for a module: whatever is called on it does nothing."""

    def __getattr__(self, name: str) -> Answers:
        return self

    def __call__(self, *args: object, **kwargs: object) -> None:
        return None


@dataclass
class RecipeBench:
    """A wrapper whose parts are made of the recipe's chains; the last name of each holds a value like no other."""

    case: Case
    recipe: Recipe

    def __post_init__(self) -> None:
        self.cls = wrapper_class(self.case, Plain, {name: Answers() for name in self.recipe.names})
        self.wrapper: Any = self.cls()
        self.values = {chain: Token(chain) for chain in (*self.recipe.returns, *self.recipe.writes)}
        for chain, value in self.values.items():
            holder, last = self.holder(chain)
            setattr(holder, last, value)

    def holder(self, chain: str) -> tuple[Any, str]:
        """The object at the end of a chain but for its last name, made on the way."""
        *path, last = chain.split(".")
        owner = self.wrapper
        for name in path:
            if not hasattr(owner, name):
                setattr(owner, name, Plain())
            owner = getattr(owner, name)
        return owner, last

    def at(self, chain: str) -> object:
        holder, last = self.holder(chain)
        return getattr(holder, last)


def checks(bench: RecipeBench) -> Iterator[tuple[str, Callable[[RecipeBench], None]]]:
    """The checks of an assembled member, each with its name."""
    yield "signature", signature
    yield "returns", returns
    yield "writes", writes
    if bench.case.optional:
        yield "none", none


def signature(bench: RecipeBench) -> None:
    """The parameters are the recipe's, in their order, and none has a default."""
    held = vars(bench.cls).get(bench.case.member)
    if not inspect.isfunction(held):
        raise CheckError(f"the recipe gives a method, the shim is a {describe(held)}")
    found = inspect.signature(held).parameters
    if list(found)[1:] != list(bench.recipe.parameters) or any(p.default is not p.empty for p in found.values()):
        raise CheckError(f"the shim takes {tuple(found)}, the recipe {bench.recipe.parameters}")


def returns(bench: RecipeBench) -> None:
    """What comes back are the very objects at the recipe's chains."""
    value = _ask(bench)
    expected = [bench.values[chain] for chain in bench.recipe.returns]
    found = list(value) if isinstance(value, tuple) else [] if value is None else [value]
    if len(found) != len(expected) or any(a is not b for a, b in zip(found, expected, strict=True)):
        raise CheckError(f"it returns {describe(value)} instead of {', '.join(bench.recipe.returns) or 'nothing'}")


def writes(bench: RecipeBench) -> None:
    """The chains that the recipe names hold the arguments afterwards, and no other part has changed."""
    arguments = _arguments(bench)
    getattr(bench.wrapper, bench.case.member)(*arguments.values())
    for chain, value in bench.values.items():
        name = bench.recipe.writes.get(chain)
        if bench.at(chain) is not (arguments[name] if name else value):
            raise CheckError(f"{chain} does not hold {name or 'what it held'} afterwards")


def none(bench: RecipeBench) -> None:
    """Without a delegate comes an AttributeError that names wrapper, delegate and member."""
    for wrapper in (bench.cls(), _with(bench, None)):
        member = getattr(wrapper, bench.case.member)
        error = raised_by(partial(member, *_arguments(bench).values()))
        wanted = (bench.case.wrapper, bench.case.attribute, bench.case.member)
        if not isinstance(error, AttributeError) or any(name not in str(error) for name in wanted):
            raise CheckError(f"without a delegate comes {describe(error)}: {error}")


def _with(bench: RecipeBench, value: object) -> Any:
    made = bench.cls()
    setattr(made, bench.case.attribute, value)
    return made


def _arguments(bench: RecipeBench) -> dict[str, Token]:
    return {name: Token(name) for name in bench.recipe.parameters}


def _ask(bench: RecipeBench) -> object:
    return getattr(bench.wrapper, bench.case.member)(*_arguments(bench).values())
