"""Checks of members that are called on an instance."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from . import properties
from .bench import Bench, describe, finish, outcome, raised_by, same
from .calls import Call, calls, shaped
from .case import CheckError
from .delegates import fresh

Check = Callable[[Bench], None]


class Stopped(BaseException):
    """Something that no `except Exception` stops."""


def checks(bench: Bench) -> Iterator[tuple[str, Check]]:
    """The checks that hold for this shim, each with its name."""
    handed = bench.case.handed
    yield "kind", handle if handed else kind
    if not handed:
        yield "signature", signature
    yield "arguments", arguments
    yield "call sites", call_sites
    yield from {
        "async": (("await", result), ("exception", exception)),
        "generator": (("iterate", generator), ("exception", generator_exception)),
        "asyncgen": (("iterate", stream),),
    }.get(bench.provider.flavour, (("result", result), ("exception", exception)))
    yield "lacking", lacking
    if bench.case.optional:
        yield "none", properties.none if handed else none


def handle(bench: Bench) -> None:
    """A property hands out the delegate's own method."""
    held = vars(bench.cls).get(bench.case.member)
    if not isinstance(held, property):
        raise CheckError(f"a probe may have to say no, and the shim is a {describe(held)}, not a property")
    if getattr(bench.wrapper, bench.case.member) != getattr(bench.delegate, bench.case.member):
        raise CheckError("the property gives something else than the delegate's method")


def kind(bench: Bench) -> None:
    """A method is a function of the class; a coroutine function stays one."""
    held = vars(bench.cls).get(bench.case.member)
    if not inspect.isfunction(held):
        raise CheckError(f"the provider has a {bench.provider.kind}, the shim is a {describe(held)}")
    if (bench.provider.flavour == "async") != inspect.iscoroutinefunction(held):
        raise CheckError("one of shim and provider is a coroutine function and the other is not")


def signature(bench: Bench) -> None:
    """The shim's parameters are the provider's: names, kinds, order, and which have defaults."""
    if not alike(bench):
        return
    shim, provider = inspect.signature(getattr(bench.wrapper, bench.case.member)), bench.provider.signature
    ours, theirs = shape(shim), shape(provider)
    if ours != theirs:
        raise CheckError(f"the shim takes {shim}, the provider {provider}")


def alike(bench: Bench) -> bool:
    """Whether what the shim takes is what the provider takes: all candidates take the same, with the same defaults,
    or the delegate's own method is handed out."""
    first, *others = ([*shape(p.signature), *defaults(p.signature)] for p in bench.case.providers)
    return bench.case.handed or all(o == first for o in others)


def defaults(signature: inspect.Signature) -> list[tuple[str, object, bool]]:
    """The default of each parameter by its text."""
    return [(p.name, repr(p.default), True) for p in signature.parameters.values()]


def shape(signature: inspect.Signature) -> list[tuple[str, object, bool]]:
    """What two signatures must share to take the same calls."""
    return [(p.name, p.kind, p.default is p.empty) for p in signature.parameters.values()]


def arguments(bench: Bench) -> None:
    """Every parameter arrives as it does when the delegate is called directly, defaults included."""
    taken = bench.provider.signature if alike(bench) else inspect.signature(getattr(bench.wrapper, bench.case.member))
    for call in calls(taken):
        _arrives(bench, call)


def call_sites(bench: Bench) -> None:
    """Every way in which the engine calls the member arrives too."""
    for found in bench.case.shapes:
        _arrives(bench, shaped(found))


def result(bench: Bench) -> None:
    """The very object comes back."""
    fresh(bench.script)
    for value in (bench.script.result, None, (), False):
        bench.script.result = value
        found = outcome(bench.provider, bench.script, bench.ask(simplest(bench)))
        if found is not value:
            raise CheckError(f"the delegate gives {describe(value)}, the shim {describe(found)}")


def exception(bench: Bench) -> None:
    """The very exception comes out, an AttributeError and one that is no Exception included."""
    for error in (RuntimeError("inner"), AttributeError("inner"), Stopped("inner")):
        fresh(bench.script).error = error
        found = raised_by(lambda: outcome(bench.provider, bench.script, bench.ask(simplest(bench))))
        if found is not error:
            raise CheckError(f"the delegate raises {type(error).__name__}, out of the shim comes {describe(found)}")


def generator(bench: Bench) -> None:
    """Items come lazily and are the same, what is sent arrives, the return value comes back, close closes."""
    script = fresh(bench.script)
    running = bench.ask(simplest(bench))
    if not hasattr(running, "send"):
        raise CheckError(f"a call gives {describe(running)}, not a generator")
    given = [next(running)]
    if script.stage != 1:
        raise CheckError("the shim reads ahead of whoever iterates")
    given += [running.send("a"), running.send("b")]
    stop = raised_by(lambda: running.send("c"))
    if given != list(script.items) or not isinstance(stop, StopIteration):
        raise CheckError("the shim gives other items than the delegate")
    if script.received != ["a", "b", "c"]:
        raise CheckError("what is sent into the shim does not arrive")
    if stop.value is not script.result:
        raise CheckError("the generator's return value is lost")
    again = bench.ask(simplest(bench))
    next(again)
    again.close()
    if not script.closed:
        raise CheckError("closing the shim does not close the delegate's generator")


def generator_exception(bench: Bench) -> None:
    """What the generator raises comes out."""
    error = RuntimeError("inner")
    fresh(bench.script).error = error
    if raised_by(lambda: list(bench.ask(simplest(bench)))) is not error:
        raise CheckError("the exception of the delegate's generator does not come out")


def stream(bench: Bench) -> None:
    """An async generator gives the same items, one at a time, and its exception comes out."""
    script = fresh(bench.script)
    running = bench.ask(simplest(bench))
    if not hasattr(running, "__anext__"):
        raise CheckError(f"a call gives {describe(running)}, not an async iterator")
    given = [finish(running.__anext__(), script)]
    if script.stage != 1:
        raise CheckError("the shim reads ahead of whoever iterates")
    given += [finish(running.__anext__(), script) for _ in script.items[1:]]
    if given != list(script.items):
        raise CheckError("the shim gives other items than the delegate")
    script.error = RuntimeError("inner")
    if raised_by(lambda: running.__anext__().send(None)) is not script.error:
        raise CheckError("the exception of the delegate's generator does not come out")


def lacking(bench: Bench) -> None:
    """A delegate without the member gives an AttributeError, like any object without it."""
    bare = bench.with_delegate(bench.base())
    error = raised_by(partial(_run, bench, bare))
    if not isinstance(error, AttributeError):
        raise CheckError(f"a delegate without it gives {describe(error)} instead of an AttributeError")


def none(bench: Bench) -> None:
    """A delegate that is None or missing gives an AttributeError that names wrapper, delegate and member."""
    for bare in bench.without_delegate():
        error = raised_by(partial(_run, bench, bare))
        bench.named(error, (bench.case.attribute.rpartition(".")[2],))


def simplest(bench: Bench) -> Call:
    """A call that binds everywhere."""
    if bench.case.shapes and not alike(bench):
        return shaped(bench.case.shapes[0])
    return next(calls(bench.provider.signature))


def _run(bench: Bench, wrapper: Any) -> Any:
    """Call the member of another wrapper, and run what it gives to its end."""
    return outcome(bench.provider, bench.script, bench.ask(simplest(bench), wrapper))


def _arrives(bench: Bench, call: Call) -> None:
    script = fresh(bench.script)
    direct = raised_by(lambda: outcome(bench.provider, bench.script, bench.ask_delegate(call)))
    if direct is not None:
        raise CheckError(f"{call} does not bind to the provider: {direct}")
    through = raised_by(lambda: outcome(bench.provider, bench.script, bench.ask(call)))
    if through is not None:
        raise CheckError(f"{call} fails in the shim: {type(through).__name__}: {through}")
    if len(script.log) != 2:
        raise CheckError(f"{call} reaches the delegate {len(script.log) - 1} times")
    (_, expected), (who, found) = script.log
    if who is not bench.delegate and bench.provider.kind == "method":
        raise CheckError(f"{call} reaches another object than self.{bench.case.attribute}")
    if not same(expected, found):
        raise CheckError(f"{call} arrives as {found}, not as {expected}")
