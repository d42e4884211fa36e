"""What imports of the probe find besides what is installed: edited files as they would be after the edit, from a
checkout that stays as it is, and stand-ins for modules that this machine can not have, such as GPU kernels."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType
from typing import Any


class PatchedLoader(importlib.machinery.SourceFileLoader):
    """A module whose source is given. Nothing is taken from a cache, and nothing is put there."""

    def __init__(self, fullname: str, path: str, content: bytes) -> None:
        super().__init__(fullname, path)
        self._content = content

    def get_data(self, path: str) -> bytes:
        return self._content

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self._content, self.path)
        return code


class PatchedFinder(importlib.abc.MetaPathFinder):
    """Finds modules where Python would, and exchanges the loader of those whose file is edited."""

    def __init__(self, edited: Mapping[str, bytes]) -> None:
        self._edited = {os.path.realpath(path): content for path, content in edited.items()}

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None:
            return spec
        content = self._edited.get(os.path.realpath(spec.origin))
        if content is not None:
            spec.loader = PatchedLoader(fullname, spec.origin, content)
        return spec


def import_edited(folder: str, edited: Mapping[str, bytes]) -> None:
    """Import from `folder` first, with the files of absolute path in `edited` as given there."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    before = [f for f in sys.meta_path if f is importlib.machinery.PathFinder]
    place = sys.meta_path.index(before[0]) if before else len(sys.meta_path)
    sys.meta_path.insert(place, PatchedFinder(edited))


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


def import_stubs(names: Sequence[str]) -> None:
    """Let the named modules be stubs from here on."""
    sys.meta_path.insert(0, StubFinder(names))
