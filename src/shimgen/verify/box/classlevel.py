"""Checks of members that the engine asks of the class, against a delegate's class that stands in."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from .bench import describe, outcome, raised_by, same, shape
from .calls import Call, calls
from .case import Case, CheckError, Provider
from .delegates import Script, delegate_class, fresh
from .methods import call_sites, exception, result
from .wrappers import Plain, wrapper_class


class ClassBench:
    """One shim against one candidate's class; the shim knows that class by its name."""

    giver = "the delegate's class"

    def __init__(self, case: Case, provider: Provider) -> None:
        self.case, self.provider, self.script = case, provider, Script()
        made = {n: delegate_class(provider, case.member, Plain, self.script, n) for n in provider.names}
        self.delegates = tuple(made.values())
        self.cls = wrapper_class(case, Plain, made)

    @property
    def simplest(self) -> Call:
        """A call that binds."""
        return next(calls(self.provider.signature))

    def run(self, call: Call) -> Any:
        """Call the member on the wrapper's class, and run what it gives to its end."""
        given = getattr(self.cls, self.case.member)(*call.args, **dict(call.kwargs))
        return outcome(self.provider, self.script, given)

    def expected(self, call: Call) -> dict[str, Any]:
        """The arguments that must arrive, projected where the delegate takes a part of what the wrapper takes."""
        bound = self.provider.signature.bind(*call.args, **dict(call.kwargs))
        bound.apply_defaults()
        for name, chain in self.case.projection.items():
            if name in bound.arguments and bound.arguments[name] is not None:
                for part in chain.split(".")[1:]:
                    bound.arguments[name] = getattr(bound.arguments[name], part)
        return bound.arguments

    def arrives(self, call: Call) -> None:
        """A call reaches the delegate's class once, with its arguments. Raises CheckError."""
        fresh(self.script)
        error = raised_by(lambda: self.run(call))
        if error is not None:
            raise CheckError(f"{call} fails in the shim: {type(error).__name__}: {error}")
        if len(self.script.log) != 1:
            raise CheckError(f"{call} reaches the delegate's class {len(self.script.log)} times")
        ((who, found),) = self.script.log
        if self.provider.kind == "classmethod" and who not in self.delegates:
            raise CheckError(f"{call} reaches another class than {' / '.join(self.provider.names)}")
        if not same(self.expected(call), found):
            raise CheckError(f"{call} arrives as {found}, not as {self.expected(call)}")


def checks(bench: ClassBench) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """The checks that hold for this shim, each with its name."""
    if bench.case.kind == "attribute":
        yield "result", value
        return
    yield "kind", kind
    yield "signature", signature
    yield "arguments", arguments
    yield "call sites", call_sites
    if bench.provider.flavour in ("", "async"):
        yield "result", result
        yield "exception", exception


def value(bench: ClassBench) -> None:
    """The class attribute is the very object of the delegate's class."""
    found = getattr(bench.cls, bench.case.member, None)
    if bench.provider.kind != "class attribute":
        raise CheckError(f"the provider has a {bench.provider.kind}, the shim is a class attribute")
    if found is not bench.script.value:
        raise CheckError(f"the delegate's class has {describe(bench.script.value)}, the shim gives {describe(found)}")


def kind(bench: ClassBench) -> None:
    """The provider can be asked on the class as well."""
    if bench.provider.kind not in ("classmethod", "staticmethod"):
        raise CheckError(f"the provider has a {bench.provider.kind}, the shim is a {bench.case.kind}")


def signature(bench: ClassBench) -> None:
    """The shim's parameters are the provider's."""
    shim = inspect.signature(getattr(bench.cls, bench.case.member))
    if shape(shim) != shape(bench.provider.signature):
        raise CheckError(f"the shim takes {shim}, the provider {bench.provider.signature}")


def arguments(bench: ClassBench) -> None:
    """Every parameter arrives, the config as the delegate's class is given it."""
    for call in calls(bench.provider.signature):
        if None not in call.args and not any(v is None for _, v in call.kwargs):
            bench.arrives(call)
