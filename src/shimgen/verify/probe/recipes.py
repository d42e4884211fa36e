"""What the real classes say of a member that a recipe assembles: it is run on modules with parameters."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .checks import FaultError, Holder, Subject, bare, in_mro, module_class


class Answers:
    """Stands for a library that the assembled code speaks to: whatever is called on it does nothing."""

    def __getattr__(self, name: str) -> Answers:
        return self

    def __call__(self, *args: object, **kwargs: object) -> None:
        return None


def recipe_checks(subject: Subject, promise: dict[str, Any]) -> Iterator[tuple[str, Callable[[Subject], None]]]:
    """The checks of an assembled member, each with its name."""
    yield "live class", in_mro
    yield "live recipe", lambda s: _kept(s, promise)


def _kept(subject: Subject, promise: dict[str, Any]) -> None:
    """What comes back are the objects at the chains, and the chains that are written hold the arguments."""
    if not inspect.isfunction(subject.shim):
        raise FaultError(f"the recipe gives a method, the shim is a {type(subject.shim).__name__}")
    wrapper, _ = subject.instances()
    chains = [*promise["returns"], *promise["writes"]]
    values = {chain: _value() for chain in chains}
    for chain, value in values.items():
        holder, last = _holder(wrapper, chain)
        setattr(holder, last, value)
    arguments = {name: _value() for name in promise["parameters"]}
    with _answering(subject, promise["names"]):
        result = getattr(wrapper, subject.member)(*arguments.values())
    found = list(result) if isinstance(result, tuple) else [] if result is None else [result]
    expected = [values[chain] for chain in promise["returns"]]
    if len(found) != len(expected) or any(a is not b for a, b in zip(found, expected)):  # noqa: B905  Python 3.9
        raise FaultError(f"it returns something else than {', '.join(promise['returns']) or 'nothing'}")
    for chain, name in promise["writes"].items():
        holder, last = _holder(wrapper, chain)
        if getattr(holder, last) is not arguments[name]:
            raise FaultError(f"{chain} does not hold {name} afterwards")


def _holder(wrapper: Any, chain: str) -> tuple[Any, str]:
    """The object at the end of a chain but for its last name; parts that are missing are made on the way."""
    *path, last = chain.split(".")
    owner = wrapper
    for name in path:
        if getattr(owner, name, None) is None:
            setattr(owner, name, bare(module_class() or Holder))
        owner = getattr(owner, name)
    return owner, last


def _value() -> Any:
    """A parameter of torch, where there is torch."""
    torch: Any = sys.modules.get("torch")
    return object() if module_class() is None else torch.nn.Parameter(torch.zeros(1))


@contextmanager
def _answering(subject: Subject, names: list[str]) -> Iterator[None]:
    """The libraries of those names in the wrapper's module do nothing meanwhile: there may be no device to speak to."""
    module = vars(sys.modules[subject.place.__module__])
    before = {name: module[name] for name in names}
    module.update({name: Answers() for name in names})
    try:
        yield
    finally:
        module.update(before)
