"""Packages that offer names whose modules are imported when they are first used (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def exported(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package; `homes` gives for each of its modules the names that it offers of it.

    What is asked for otherwise raises AttributeError.
    """
    known = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{known[name]}"), name)

    return find
