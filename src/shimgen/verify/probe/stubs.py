"""Stand-ins for modules that this machine can not have, such as GPU kernels: importable, and nothing else."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any


class StubError(RuntimeError):
    """A stub was asked for a fact (a device, a version), which only the real module knows."""


class StubBase:
    """What a class derives from that derives from a stub."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Takes what the real base would have taken."""


def _answer(self: Any, name: str) -> Any:
    """A new stub for each name, but for those of Python itself."""
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    made = Stub(f"{self.__name__}.{name}")
    setattr(self, name, made)
    return made


class Stub:
    """Answers everything with another stub: an attribute, a call, an item, an operator. As a decorator it gives
    back what it decorates, as a base class it is an empty one, and nothing is an instance of it."""

    def __init__(self, name: str) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = name.rpartition(".")[0]

    __getattr__ = _answer

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return args[0]
        if not args and not kwargs:
            raise StubError(f"{self.__name__} is a stub and can not say anything")
        return Stub(f"{self.__name__}()")

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return () if any(b is not self and isinstance(b, (Stub, type)) for b in bases) else (StubBase,)

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    __subclasscheck__ = __instancecheck__

    def __getitem__(self, item: Any) -> Any:
        return self

    def __or__(self, other: Any) -> Any:
        return Any

    __ror__ = __or__

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __int__(self) -> int:
        return 0

    __index__ = __len__ = __int__

    def __bool__(self) -> bool:
        return False

    def __lt__(self, other: Any) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__


class StubModule(types.ModuleType):
    """A module with every name."""

    __version__ = "0.0.0"
    __path__: list[str] = []  # noqa: RUF012  what makes it a package

    __getattr__ = _answer


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the named modules and everything below them, before anything that is installed."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if any(fullname == n or fullname.startswith(f"{n}.") for n in self._names):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> types.ModuleType:
        return StubModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """A stub has no code."""


def install(names: Sequence[str]) -> None:
    """Let the named modules be stubs from here on."""
    sys.meta_path.insert(0, StubFinder(names))
