"""The probe's entry: reads shims as JSON from stdin, imports their classes, writes one line of JSON for each."""

from __future__ import annotations

import base64
import importlib
import json
import os
import sys
import traceback
from functools import cache, partial
from typing import Any

from .checks import FaultError, Subject, checks, has_base
from .imports import import_edited, import_stubs
from .recipes import recipe_checks

Result = tuple[str, bool, str]


def main() -> None:
    """Look at every shim. A fault of a shim, of its module or of what that imports is a result of that shim."""
    request = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the modules print must not get among the results
    edited = {path: base64.b64decode(content) for path, content in request["edited"].items()}
    import_stubs(request["stubs"])
    import_edited(request["folder"], edited)
    for number, shim in enumerate(request["shims"]):
        out.write(json.dumps({"case": number, "results": look(shim)}) + "\n")
        out.flush()
    out.flush()
    os._exit(0)  # threads and exit handlers of the stack have no say


def look(shim: dict[str, Any]) -> list[Result]:
    """All checks of one shim."""
    try:
        wrapper = find_class(*shim["wrapper"])
        place = find_class(*shim["place"])
        candidates = [find_class(*c) for c in shim["candidates"]]
        base = find_class(*shim["base"]) if shim["base"] else None
    except FindError as error:
        return [("live import", False, str(error))]
    found: dict[str, Result] = {"live import": ("live import", True, "")}
    if base is not None:
        return [*found.values(), ("live base", *_try(partial(has_base, base), wrapper))]
    for candidate, assigned in zip(candidates, shim["assigned"]):  # noqa: B905  Python 3.9
        subject = Subject(wrapper, place, candidate, shim, assigned)
        for name, check in recipe_checks(subject, shim["recipe"]) if shim["recipe"] else checks(subject):
            if found.get(name, ("", True, ""))[1]:
                found[name] = (name, *_try(check, subject))
    return list(found.values())


def _try(check: Any, subject: Any) -> tuple[bool, str]:
    try:
        check(subject)
    except FaultError as fault:
        return False, str(fault)[:500]
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"[:500]
    return True, ""


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


@cache
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
