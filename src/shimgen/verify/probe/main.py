"""The probe's entry: reads shims as JSON from stdin, imports their classes, writes one line of JSON for each."""

from __future__ import annotations

import base64
import json
import os
import sys
from functools import partial
from typing import Any

from . import patched, stubs
from .checks import FaultError, Subject, checks, has_base
from .find import FindError, find_class
from .recipes import recipe_checks

Result = tuple[str, bool, str]


def main() -> None:
    """Look at every shim. A fault of a shim, of its module or of what that imports is a result of that shim."""
    request = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the modules print must not get among the results
    edited = {path: base64.b64decode(content) for path, content in request["edited"].items()}
    stubs.install(request["stubs"])
    patched.install(request["folder"], edited)
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
