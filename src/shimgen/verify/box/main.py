"""The sandbox's entry: reads cases as JSON from stdin, writes one line of JSON for each to stdout."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from . import classlevel, methods, properties, recipes
from .bench import Bench
from .case import Case, CheckError, TooLong, read
from .confine import confine
from .torch_checks import untouched
from .torchlike import Module
from .wrappers import BASES

Result = tuple[str, bool, str]


def main() -> None:
    """Run every case. A fault of a case is a result of that case; nothing is raised for it."""
    request = json.load(sys.stdin)
    out = sys.stdout
    signal.signal(signal.SIGALRM, _late)
    confine(request["memory"], request["seconds"])
    for number, raw in enumerate(request["cases"]):
        signal.setitimer(signal.ITIMER_REAL, request["each"], request["each"])
        try:
            results = prove(raw)
        except TooLong:
            results = [("time", False, f"it did not end within {request['each']} s")]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        out.write(json.dumps({"case": number, "results": results}) + "\n")
        out.flush()


def prove(raw: dict[str, Any]) -> list[Result]:
    """All checks of one case; a check that fails on one base or provider is reported once."""
    try:
        case = read(raw)
    except (ValueError, KeyError, TypeError) as error:
        return [("case", False, f"the case makes no sense: {error}")]
    found: dict[str, Result] = {}
    for name, action in _actions(case):
        failed = found.get(name, ("", True, ""))
        if failed[1]:
            found[name] = (name, *_try(action))
    return list(found.values())


def _actions(case: Case) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every check as a thunk. Each gets a bench of its own, so that none sees what another left behind."""
    if case.recipe is not None:
        yield from _bound(partial(recipes.RecipeBench, case, case.recipe), recipes.checks)
        return
    if not case.providers:
        yield "providers", _nobody
    for provider in case.providers:
        if case.kind in ("classmethod", "staticmethod", "attribute"):
            yield from _bound(partial(classlevel.ClassBench, case, provider), classlevel.checks)
            continue
        for base in BASES:
            make = partial(Bench, case, provider, base)
            yield from _bound(make, methods.checks if provider.called else properties.checks)
            if base is Module:
                yield "module", partial(_apply, untouched, make)


def _bound(make: Callable[[], Any], checks: Callable[[Any], Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """The checks of a bench, each on a fresh one. A bench that can not be made leaves it at that one check."""
    yield "class", make
    with suppress(Exception):
        yield from [(name, partial(_apply, check, make)) for name, check in checks(make())]


def _apply(check: Callable[[Any], None], make: Callable[[], Any]) -> None:
    check(make())


def _try(action: Callable[[], object]) -> tuple[bool, str]:
    try:
        action()
    except CheckError as broken:
        return False, str(broken)[:500]
    except TooLong:
        raise
    except BaseException as error:
        return False, f"{type(error).__name__}: {error}"[:500]
    return True, ""


def _nobody() -> None:
    raise CheckError("no candidate provides it")


def _late(number: int, frame: object) -> None:
    raise TooLong
