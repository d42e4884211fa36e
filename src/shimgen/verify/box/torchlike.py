"""A miniature of torch.nn.Module: how attributes are found, set and listed, and nothing that computes.

Modules, parameters and buffers live in three dictionaries outside `__dict__`; `__getattr__` looks there only after
ordinary lookup failed, which is also where a property that raised AttributeError ends up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

STORES = ("_parameters", "_buffers", "_modules")


class Tensor:
    """Something that can be a buffer."""


class Parameter(Tensor):
    """Something that is registered when it is assigned."""


class Module:
    """Attribute semantics of torch.nn.Module."""

    def __init__(self) -> None:
        for store in STORES:
            object.__setattr__(self, store, {})

    def __getattr__(self, name: str) -> Any:
        for store in STORES:
            held = self.__dict__.get(store, {})
            if name in held:
                return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._register(name, value, "_parameters")
        elif self._holds("_parameters", name):
            self._only_none(name, value, "_parameters")
        elif isinstance(value, Module):
            self._register(name, value, "_modules")
        elif self._holds("_modules", name):
            self._only_none(name, value, "_modules")
        elif self._holds("_buffers", name):
            self._assign_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for store in STORES:
            if self._holds(store, name):
                del self.__dict__[store][name]
                return
        object.__delattr__(self, name)

    def register_buffer(self, name: str, value: Tensor | None) -> None:
        """Make `name` a buffer."""
        self.__dict__["_buffers"][name] = value

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """This module and all below, with dotted names."""
        yield prefix, self
        for name, child in self.__dict__["_modules"].items():
            if child is not None:
                yield from child.named_modules(f"{prefix}.{name}" if prefix else name)

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """All parameters with dotted names."""
        yield from self._listed("_parameters")

    def state_dict(self) -> dict[str, Tensor]:
        """All parameters and buffers by dotted name."""
        return {**dict(self._listed("_parameters")), **dict(self._listed("_buffers"))}

    def _listed(self, store: str) -> Iterator[tuple[str, Any]]:
        for prefix, module in self.named_modules():
            for name, value in module.__dict__[store].items():
                if value is not None:
                    yield f"{prefix}.{name}" if prefix else name, value

    def _holds(self, store: str, name: str) -> bool:
        return name in self.__dict__.get(store, {})

    def _register(self, name: str, value: Any, store: str) -> None:
        """Torch takes the name out of every other place first, a property of the class excepted: it never asks it."""
        if store not in self.__dict__:
            raise AttributeError(f"cannot assign {name} before Module.__init__() call")
        self.__dict__.pop(name, None)
        for other in STORES:
            if other != store:
                self.__dict__[other].pop(name, None)
        self.__dict__[store][name] = value

    def _only_none(self, name: str, value: Any, store: str) -> None:
        if value is not None:
            raise TypeError(f"cannot assign '{type(value).__name__}' as '{name}' of {store}")
        self.__dict__[store][name] = None

    def _assign_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"cannot assign '{type(value).__name__}' as buffer '{name}'")
        self.__dict__["_buffers"][name] = value
