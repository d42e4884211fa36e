"""Executes a shim's source in a class of its own, over a base that knows nothing of the serving stack."""

from __future__ import annotations

import builtins
import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from .case import Case, CheckError
from .torchlike import Module

HARMLESS = """
    AttributeError BaseException Exception False GeneratorExit KeyError LookupError None NotImplementedError
    RuntimeError StopAsyncIteration StopIteration True TypeError ValueError __build_class__ aiter anext bool
    bytes callable classmethod delattr dict dir float frozenset getattr hasattr id int isinstance issubclass
    iter len list next object property repr set setattr staticmethod str super tuple type vars
"""
BUILTINS = {name: getattr(builtins, name) for name in HARMLESS.split()}


class Plain:
    """A base without any attribute hooks."""


BASES: tuple[type, ...] = (Plain, Module)


def wrapper_class(case: Case, base: type, known: Mapping[str, Any]) -> type:
    """The class that the shim's source makes. `known` are the names it may find besides its own defaults.

    Builtins are the harmless ones, and an import only ever gives names out of `known`. Raises CheckError.
    """
    scope: dict[str, Any] = {**known, **case.names, "shimgen_base": base, "__name__": "shimgen_sandbox"}
    scope["__builtins__"] = {**BUILTINS, "__import__": importer(known)}
    try:
        exec(_compiled(case.source), scope)  # noqa: S102  the shim that shimgen generated itself
    except Exception as error:
        raise CheckError(f"the class does not come into being: {type(error).__name__}: {error}") from error
    made = scope[case.wrapper]
    if not isinstance(made, type):
        raise CheckError("the source makes no class")
    return made


@lru_cache(maxsize=4)
def _compiled(source: str) -> types.CodeType:
    """The code of a shim; each of its checks makes the class anew."""
    return compile(source, "<shim>", "exec")


def importer(known: Mapping[str, Any]) -> Any:
    """An `__import__` that finds the names of `known` in any module, and nothing else."""

    def load(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        unknown = [n for n in fromlist or () if n not in known]
        if unknown or not fromlist:
            raise ImportError(f"{', '.join(unknown) or name} is not there in the sandbox")
        return types.SimpleNamespace(**{n: known[n] for n in fromlist})

    return load


def hold(wrapper: Any, attribute: str, value: object) -> Any:
    """Give `wrapper` its delegate, below as many holders as the dotted `attribute` names. Returns `wrapper`."""
    *holders, last = (mangled(name, type(wrapper).__name__) for name in attribute.split("."))
    owner = wrapper
    for name in holders:
        child = Module() if isinstance(wrapper, Module) else Plain()
        setattr(owner, name, child)
        owner = child
    setattr(owner, last, value)
    return wrapper


def holder(wrapper: Any, attribute: str) -> tuple[Any, str]:
    """The object that has the delegate, and the attribute's name there."""
    *holders, last = (mangled(name, type(wrapper).__name__) for name in attribute.split("."))
    owner = wrapper
    for name in holders:
        owner = getattr(owner, name)
    return owner, last


def mangled(name: str, cls: str) -> str:
    """A private name as the class's own code spells it (language reference 6.2.1)."""
    private = name.startswith("__") and not name.endswith("__") and bool(cls.strip("_"))
    return f"_{cls.lstrip('_')}{name}" if private else name
