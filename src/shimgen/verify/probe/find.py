"""Imports a module and finds a class in it, or says in one line why not."""

from __future__ import annotations

import functools
import importlib
import traceback
from typing import Any


class FindError(Exception):
    """A class could not be had; the text says why."""


def find_class(module: str, qualified: str) -> type:
    """The class of that qualified name. Raises FindError."""
    found: Any = _imported(module)
    if isinstance(found, str):
        raise FindError(found)
    for part in qualified.split("."):
        found = vars(found).get(part)
    if not isinstance(found, type):
        raise FindError(f"{module} has no class {qualified} once it is imported")
    return found


@functools.cache
def _imported(module: str) -> Any:
    """The module, or why it can not be imported: what was raised, and where."""
    try:
        return importlib.import_module(module)
    except BaseException as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename]
        where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
        missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
        hint = f"; --stub {missing.partition('.')[0]} may do" if missing else ""
        first = str(error).strip().partition("\n")[0]
        return f"{module} can not be imported: {type(error).__name__}: {first}{where}{hint}"
