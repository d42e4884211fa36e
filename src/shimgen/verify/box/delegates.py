"""Recording delegates, made from a provider's signature."""

from __future__ import annotations

import types
from collections.abc import Callable, Generator
from typing import Any

from .case import Provider, Token

Log = list[tuple[object, dict[str, Any]]]


class Script:
    """What the delegate does when it is asked: it logs (who, arguments), then raises `error` or gives `result`.

    Generators give `items`, keep what is sent to them in `received`, and return `result`; `stage` counts how
    far they ran, `closed` says that they were closed. A coroutine suspends once, with `pause`.
    """

    def __init__(self) -> None:
        self.log: Log = []
        self.result: Any = Token("<result>")
        self.error: BaseException | None = None
        self.items = (Token("<item 1>"), Token("<item 2>"), Token("<item 3>"))
        self.received: list[object] = []
        self.stage = 0
        self.closed = False
        self.pause = Token("<pause>")
        self.value: Any = Token("<value>")

    def answer(self) -> Any:
        """The result, or the error raised."""
        if self.error is not None:
            raise self.error
        return self.result


def delegate_class(provider: Provider, member: str, base: type, script: Script, name: str = "Delegate") -> type:
    """A class that provides `member` the way `provider` does, on top of `base`."""
    made: dict[str, Any] = {}
    if provider.called:
        function = _function(provider, script)
        wrap: dict[str, Callable[[Any], Any]] = {"classmethod": classmethod, "staticmethod": _static}
        made[member] = wrap.get(provider.kind, lambda f: f)(function)
    elif provider.kind in ("property", "cached property", "cached_property"):
        made[member] = _property(provider, script)
    elif provider.kind == "class attribute":
        made[member] = script.value
    return type(base)(name, (base,), made)


def delegate(provider: Provider, member: str, base: type, script: Script) -> Any:
    """An instance of such a class. An instance attribute is set on it."""
    made = delegate_class(provider, member, base, script)()
    if provider.kind == "instance attribute":
        setattr(made, member, script.value)
    return made


def change(provider: Provider, member: str, held: Any, script: Script, value: object) -> None:
    """Give the member another value behind the wrapper's back."""
    if provider.kind == "class attribute":
        setattr(type(held), member, value)
    elif provider.kind == "instance attribute":
        setattr(held, member, value)
    else:
        script.value = value


def fresh(script: Script) -> Script:
    """Wind the script back to the start."""
    script.log.clear()
    script.received.clear()
    script.error, script.stage, script.closed = None, 0, False
    return script


def _static(function: Callable[..., Any]) -> Any:
    """A staticmethod of a function that wants to log somebody."""
    return staticmethod(lambda *args, **kwargs: function(None, *args, **kwargs))


def _property(provider: Provider, script: Script) -> property:
    def read(self: object) -> Any:
        if script.error is not None:
            raise script.error
        return script.value

    def write(self: object, value: object) -> None:
        script.log.append((self, {"value": value}))
        script.value = value

    return property(read, write if provider.setter else None)


def _function(provider: Provider, script: Script) -> Callable[..., Any]:
    def note(self: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        bound = provider.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        script.log.append((self, bound.arguments))

    def plain(self: object, *args: Any, **kwargs: Any) -> Any:
        note(self, args, kwargs)
        return script.answer()

    async def waiting(self: object, *args: Any, **kwargs: Any) -> Any:
        note(self, args, kwargs)
        await _suspended(script.pause)
        return script.answer()

    def generating(self: object, *args: Any, **kwargs: Any) -> Any:
        note(self, args, kwargs)
        return _generate(script)

    def streaming(self: object, *args: Any, **kwargs: Any) -> Any:
        note(self, args, kwargs)
        return _stream(script)

    return {"async": waiting, "generator": generating, "asyncgen": streaming}.get(provider.flavour, plain)


@types.coroutine
def _suspended(pause: Token) -> Generator[Token, None, None]:
    yield pause


def _generate(script: Script) -> Generator[Any, object, Any]:
    try:
        for item in script.items:
            script.stage += 1
            script.received.append((yield item))
        return script.answer()
    except GeneratorExit:
        script.closed = True
        raise


async def _stream(script: Script) -> Any:
    try:
        for item in script.items:
            script.stage += 1
            await _suspended(script.pause)
            script.received.append((yield item))
        script.answer()
    except GeneratorExit:
        script.closed = True
        raise
