"""Checks of members that are called on an instance."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from . import properties
from .bench import Bench, describe, finish, raised_by, shape
from .calls import calls, shaped
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
    if not bench.alike:
        return
    shim, provider = inspect.signature(getattr(bench.wrapper, bench.case.member)), bench.provider.signature
    ours, theirs = shape(shim), shape(provider)
    if ours != theirs:
        raise CheckError(f"the shim takes {shim}, the provider {provider}")


def arguments(bench: Bench) -> None:
    """Every parameter arrives as it does when the delegate is called directly, defaults included."""
    taken = bench.provider.signature if bench.alike else inspect.signature(getattr(bench.wrapper, bench.case.member))
    for call in calls(taken):
        bench.arrives(call)


def call_sites(bench: Any) -> None:
    """Every way in which the engine calls the member, of an instance or the class, arrives too."""
    for found in bench.case.shapes:
        bench.arrives(shaped(found))


def result(bench: Any) -> None:
    """The very object comes back."""
    fresh(bench.script)
    for value in (bench.script.result, None, (), False):
        bench.script.result = value
        found = bench.run(bench.simplest)
        if found is not value:
            raise CheckError(f"{bench.giver} gives {describe(value)}, the shim {describe(found)}")


def exception(bench: Any) -> None:
    """The very exception comes out, an AttributeError and one that is no Exception included."""
    for error in (RuntimeError("inner"), AttributeError("inner"), Stopped("inner")):
        fresh(bench.script).error = error
        found = raised_by(lambda: bench.run(bench.simplest))
        if found is not error:
            raise CheckError(f"the delegate raises {type(error).__name__}, out of the shim comes {describe(found)}")


def generator(bench: Bench) -> None:
    """Items come lazily and are the same, what is sent arrives, the return value comes back, close closes."""
    script = fresh(bench.script)
    running = bench.ask(bench.simplest)
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
    again = bench.ask(bench.simplest)
    next(again)
    again.close()
    if not script.closed:
        raise CheckError("closing the shim does not close the delegate's generator")


def generator_exception(bench: Bench) -> None:
    """What the generator raises comes out."""
    error = RuntimeError("inner")
    fresh(bench.script).error = error
    if raised_by(lambda: list(bench.ask(bench.simplest))) is not error:
        raise CheckError("the exception of the delegate's generator does not come out")


def stream(bench: Bench) -> None:
    """An async generator gives the same items, one at a time, and its exception comes out."""
    script = fresh(bench.script)
    running = bench.ask(bench.simplest)
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
    error = raised_by(partial(bench.run, bench.simplest, bare))
    if not isinstance(error, AttributeError):
        raise CheckError(f"a delegate without it gives {describe(error)} instead of an AttributeError")


def none(bench: Bench) -> None:
    """A delegate that is None or missing gives an AttributeError that names wrapper, delegate and member."""
    for bare in bench.without_delegate():
        error = raised_by(partial(bench.run, bench.simplest, bare))
        bench.named(error, (bench.case.attribute.rpartition(".")[2],))
