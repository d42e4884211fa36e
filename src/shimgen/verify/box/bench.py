"""The set-up that checks share: a wrapper with a recording delegate, and what each answers to a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import Signature
from typing import Any

from .calls import Call, calls, shaped
from .case import Case, CheckError, Provider, TooLong
from .delegates import Script, delegate, fresh
from .wrappers import hold, wrapper_class


@dataclass
class Bench:
    """One shim against one way of providing its member, over one base class."""

    case: Case
    provider: Provider
    base: type
    script: Script = field(default_factory=Script)
    giver = "the delegate"

    def __post_init__(self) -> None:
        self.cls = wrapper_class(self.case, self.base, {})
        self.delegate = delegate(self.provider, self.case.member, self.base, self.script)
        self.wrapper = hold(self.cls(), self.case.attribute, self.delegate)

    def without_delegate(self) -> tuple[Any, ...]:
        """Wrappers whose delegate is None, and was never assigned."""
        return self.with_delegate(None), self.cls()

    def with_delegate(self, value: object) -> Any:
        """Another wrapper, which holds `value` instead of the delegate."""
        return hold(self.cls(), self.case.attribute, value)

    @property
    def alike(self) -> bool:
        """Whether what the shim takes is what the provider takes: all candidates take the same, with the same
        defaults, or the delegate's own method is handed out."""
        first, *others = ([*shape(p.signature), *defaults(p.signature)] for p in self.case.providers)
        return self.case.handed or all(o == first for o in others)

    @property
    def simplest(self) -> Call:
        """A call that binds everywhere."""
        if self.case.shapes and not self.alike:
            return shaped(self.case.shapes[0])
        return next(calls(self.provider.signature))

    def ask(self, call: Call, holder: Any = None) -> Any:
        """Call the member on the wrapper, or on another object that has it."""
        asked = self.wrapper if holder is None else holder
        return getattr(asked, self.case.member)(*call.args, **dict(call.kwargs))

    def run(self, call: Call, holder: Any = None) -> Any:
        """The same, and what is given is run to its end."""
        return outcome(self.provider, self.script, self.ask(call, holder))

    def arrives(self, call: Call) -> None:
        """A call reaches the delegate once, with its arguments as when the delegate is called directly. Raises
        CheckError."""
        script = fresh(self.script)
        direct = raised_by(lambda: self.run(call, self.delegate))
        if direct is not None:
            raise CheckError(f"{call} does not bind to the provider: {direct}")
        through = raised_by(lambda: self.run(call))
        if through is not None:
            raise CheckError(f"{call} fails in the shim: {type(through).__name__}: {through}")
        if len(script.log) != 2:
            raise CheckError(f"{call} reaches the delegate {len(script.log) - 1} times")
        (_, expected), (who, found) = script.log
        if who is not self.delegate and self.provider.kind == "method":
            raise CheckError(f"{call} reaches another object than self.{self.case.attribute}")
        if not same(expected, found):
            raise CheckError(f"{call} arrives as {found}, not as {expected}")

    def named(self, error: BaseException | None, also: tuple[str, ...] = ()) -> None:
        """`error` is an AttributeError that tells a person where to look. Raises CheckError."""
        if not isinstance(error, AttributeError):
            raise CheckError(f"without a delegate comes {describe(error)} instead of an AttributeError")
        silent = [n for n in (self.case.wrapper, self.case.member, *also) if n not in str(error)]
        if silent:
            raise CheckError(f"without a delegate, the error does not name {', '.join(silent)}: {error}")


def defaults(signature: Signature) -> list[tuple[str, object, bool]]:
    """The default of each parameter by its text."""
    return [(p.name, repr(p.default), True) for p in signature.parameters.values()]


def shape(signature: Signature) -> list[tuple[str, object, bool]]:
    """What two signatures must share to take the same calls."""
    return [(p.name, p.kind, p.default is p.empty) for p in signature.parameters.values()]


def finish(value: Any, script: Script) -> Any:
    """Run what a call gave to its end: awaits a coroutine. Raises what it raises, CheckError when it is not waiting
    for what the delegate waits for."""
    if not hasattr(value, "send") or not hasattr(value, "__await__"):
        raise CheckError(f"a call gives {describe(value)}, which can not be awaited")
    try:
        paused = value.send(None)
        if paused is not script.pause:
            raise CheckError("the coroutine does not wait for the delegate's")
        value.send(None)
    except StopIteration as stop:
        return stop.value
    raise CheckError("the coroutine does not end when the delegate's does")


def outcome(provider: Provider, script: Script, value: Any) -> Any:
    """What a call comes to: awaited where the provider is a coroutine function, run to its end where it iterates."""
    if provider.flavour == "async":
        return finish(value, script)
    if provider.flavour == "generator":
        return list(value)
    if provider.flavour == "asyncgen":
        for _ in script.items:
            finish(value.__anext__(), script)
    return value


def raised_by(action: Callable[[], object]) -> BaseException | None:
    """The exception that `action` raises, None when it raises none."""
    try:
        action()
    except (CheckError, TooLong):
        raise
    except BaseException as error:
        return error
    return None


def describe(value: object) -> str:
    """A value as a message names it."""
    shown = repr(value) if value is None or type(value).__name__ == "Token" else type(value).__name__
    return shown[:80]


def same(left: Any, right: Any) -> bool:
    """Whether two recorded values are the same thing: identity, or equality of literals of one type."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(map(same, left.values(), right.values()))
    if isinstance(left, (set, frozenset, str, bytes, int, float, complex)):
        return bool(repr(left) == repr(right))
    return False
