"""Checks of members that are read from an instance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from .bench import Bench, describe, raised_by
from .case import CheckError, Token
from .delegates import change
from .torchlike import Module
from .wrappers import holder

Check = Callable[[Bench], None]


def checks(bench: Bench) -> Iterator[tuple[str, Check]]:
    """The checks that hold for this shim, each with its name."""
    yield "kind", kind
    yield "result", result
    yield "live", live
    if bench.provider.kind not in ("instance attribute", "class attribute"):
        yield "exception", exception
    yield "setter", setter
    yield "deleter", deleter
    yield "lacking", lacking
    if bench.case.optional:
        yield "none", none
    if bench.base is Module:
        yield "registered", registered


def kind(bench: Bench) -> None:
    """What is read on the provider is read on the shim."""
    held = vars(bench.cls).get(bench.case.member)
    if not isinstance(held, property):
        raise CheckError(f"the provider has a {bench.provider.kind}, the shim is a {describe(held)}")


def result(bench: Bench) -> None:
    """The very object comes back."""
    _expect(bench, bench.script.value)


def live(bench: Bench) -> None:
    """A new value of the delegate is seen at once, one that is false included, and so is a new delegate."""
    for value in (Token("<new value>"), None, 0, ""):
        change(bench.provider, bench.case.member, bench.delegate, bench.script, value)
        _expect(bench, value)
    other = Bench(bench.case, bench.provider, bench.base)
    setattr(*holder(bench.wrapper, bench.case.attribute), other.delegate)
    _expect(bench, other.script.value)


def exception(bench: Bench) -> None:
    """What the delegate's property raises comes out; over nn.Module an AttributeError becomes the module's own."""
    for error in (RuntimeError("inner"), AttributeError("inner")):
        bench.script.error = error
        found = raised_by(lambda: getattr(bench.wrapper, bench.case.member))
        replaced = bench.base is Module and isinstance(error, AttributeError) and isinstance(found, AttributeError)
        if found is not error and not replaced:
            raise CheckError(f"the delegate raises {type(error).__name__}, out of the shim comes {describe(found)}")


def setter(bench: Bench) -> None:
    """What is assigned to the wrapper is then the delegate's. Needed where the engine assigns, right where it is."""
    held = vars(bench.cls).get(bench.case.member)
    if not isinstance(held, property) or held.fset is None:
        if bench.case.writes:
            raise CheckError("the engine assigns it, and the shim has no setter")
        return
    value = Token("<assigned>")
    error = raised_by(lambda: setattr(bench.wrapper, bench.case.member, value))
    if error is not None:
        raise CheckError(f"it can not be assigned: {type(error).__name__}: {error}")
    if getattr(bench.delegate, bench.case.member) is not value:
        raise CheckError("what is assigned does not reach the delegate")
    _expect(bench, value)
    if bench.case.member in vars(bench.wrapper):
        raise CheckError("what is assigned is kept on the wrapper as well")


def deleter(bench: Bench) -> None:
    """Where the engine deletes it, the delegate's is deleted."""
    if not bench.case.deletes or bench.provider.kind != "instance attribute":
        return
    error = raised_by(lambda: delattr(bench.wrapper, bench.case.member))
    if error is not None:
        raise CheckError(f"the engine deletes it, and that fails: {type(error).__name__}: {error}")
    if hasattr(bench.delegate, bench.case.member):
        raise CheckError("deleting it does not reach the delegate")


def lacking(bench: Bench) -> None:
    """A probe says no when the delegate lacks the member."""
    bare = bench.with_delegate(bench.base())
    found = raised_by(lambda: getattr(bare, bench.case.member))
    if not isinstance(found, AttributeError):
        raise CheckError(f"a delegate without it gives {describe(found)}, and a probe says yes")
    default = Token("<default>")
    if getattr(bare, bench.case.member, default) is not default:
        raise CheckError("getattr with a default does not give the default")


def none(bench: Bench) -> None:
    """A probe says no without a delegate, and the error names wrapper and member; over nn.Module, which words the
    error itself, that is all it can name. Nothing can be assigned either."""
    member = bench.case.member
    also = () if bench.base is Module else (bench.case.attribute.rpartition(".")[2],)
    for bare in bench.without_delegate():
        if getattr(bare, member, None) is not None or hasattr(bare, member):
            raise CheckError("a probe says yes although there is no delegate")
        bench.named(raised_by(partial(getattr, bare, member)), also)
        if vars(bench.cls)[member].fset is not None:
            bench.named(raised_by(partial(setattr, bare, member, Token("<assigned>"))))


def registered(bench: Bench) -> None:
    """A child module of the delegate is found through the shim, and the wrapper does not list it as its own."""
    if bench.provider.kind != "instance attribute":
        return
    child = Module()
    change(bench.provider, bench.case.member, bench.delegate, bench.script, child)
    _expect(bench, child)
    if bench.case.member in bench.wrapper.__dict__["_modules"]:
        raise CheckError("the delegate's child is registered on the wrapper too")


def _expect(bench: Bench, value: Any) -> None:
    found = raised_by(lambda: getattr(bench.wrapper, bench.case.member))
    if found is not None:
        raise CheckError(f"reading it fails: {type(found).__name__}: {found}")
    read = getattr(bench.wrapper, bench.case.member)
    if read is not value:
        raise CheckError(f"the delegate has {describe(value)}, the shim gives {describe(read)}")
