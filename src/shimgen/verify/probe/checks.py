"""What the real classes say of a shim: kind, signature, place in the MRO, and an instance without weights."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any

WRAPPED = (classmethod, staticmethod)


class FaultError(Exception):
    """A check failed; the text is what the user reads."""


class Subject:
    """One shim: the class that is asked, the class that holds the shim, and one candidate of the delegate. Where the
    candidate's constructor assigns the member (`assigned`), what its class has of that name is hidden."""

    def __init__(self, wrapper: type, place: type, candidate: type, asked: dict[str, Any], assigned: bool) -> None:
        self.wrapper, self.place, self.candidate = wrapper, place, candidate
        self.member, self.attribute = asked["member"], asked["attribute"]
        self.optional, self.handed = asked["optional"], asked["handed"]
        self.shim = vars(place).get(self.member)
        self.provided = None if assigned else inspect.getattr_static(candidate, self.member, None)

    @property
    def called(self) -> bool:
        """Whether both are things to call."""
        return all(_is_called(m) for m in (self.shim, self.provided))

    def instances(self) -> tuple[Any, Any]:
        """A wrapper that holds a delegate; neither was constructed, so neither has weights or state."""
        delegate = bare(self.candidate)
        return self.with_delegate(delegate), delegate

    def with_delegate(self, delegate: Any) -> Any:
        """A bare wrapper that holds `delegate`."""
        made = bare(self.wrapper)
        owner = made
        *holders, last = (mangled(n, self.place.__name__) for n in self.attribute.split("."))
        for name in holders:
            child = bare(module_class() or Holder)
            setattr(owner, name, child)
            owner = child
        setattr(owner, last, delegate)
        return made


class Holder:
    """What stands between wrapper and delegate, or for a part, where there is no torch."""


def checks(subject: Subject) -> Iterator[tuple[str, Callable[[Subject], None]]]:
    """The checks that hold for this shim, each with its name."""
    yield "live class", in_mro
    yield "live kind", kind
    if subject.called:
        yield "live signature", signature
        if inspect.isfunction(subject.shim):
            yield "live call", call
    elif isinstance(subject.shim, property):
        yield "live probe", probe
    if subject.optional and not isinstance(subject.shim, WRAPPED):
        yield "live none", none
    yield "live module", listed


def in_mro(subject: Subject) -> None:
    """The class that the engine holds finds the shim, and no class before it in the MRO has another."""
    if subject.shim is None:
        raise FaultError(f"{subject.place.__name__} has no {subject.member} once it is imported")
    found = inspect.getattr_static(subject.wrapper, subject.member, None)
    if found is not subject.shim:
        owner = next(c for c in subject.wrapper.__mro__ if subject.member in vars(c))
        raise FaultError(f"{subject.wrapper.__name__} finds the {subject.member} of {owner.__name__} instead")


def has_base(base: type, wrapper: type) -> None:
    """The class has taken up the declared interface, and an instance of it says so when it is asked."""
    if base not in wrapper.__mro__:
        raise FaultError(f"{base.__name__} is no base of {wrapper.__name__} once it is imported")
    if not isinstance(bare(wrapper), base):
        raise FaultError(f"an instance of {wrapper.__name__} is no {base.__name__}")


def kind(subject: Subject) -> None:
    """The provider is what the shim takes it for. An attribute that a constructor sets is not there yet. A property
    may hand out a method of a delegate that may be missing; that it is the very method, `probe` shows."""
    if subject.provided is None:
        if not isinstance(subject.shim, property):
            raise FaultError(f"{subject.candidate.__name__} has no {subject.member}, and the shim says that it has")
        return
    if subject.handed and isinstance(subject.shim, property):
        return
    if _is_called(subject.provided) != _is_called(subject.shim):
        raise FaultError(
            f"{subject.candidate.__name__} has a {_kind(subject.provided)}, the shim is a {_kind(subject.shim)}"
        )
    if inspect.iscoroutinefunction(subject.provided) != inspect.iscoroutinefunction(subject.shim):
        raise FaultError("one of shim and provider is a coroutine function and the other is not")


def signature(subject: Subject) -> None:
    """The same parameters, with defaults that are the same objects or equal."""
    shim = inspect.signature(getattr(subject.wrapper, subject.member))
    provider = inspect.signature(getattr(subject.candidate, subject.member))
    if isinstance(subject.shim, WRAPPED) != isinstance(subject.provided, WRAPPED):
        return
    ours, theirs = _params(subject.shim, shim), _params(subject.provided, provider)
    if [(p.name, p.kind) for p in ours] != [(p.name, p.kind) for p in theirs]:
        raise FaultError(f"the shim takes {shim}, {subject.candidate.__name__} {provider}")
    for our, their in zip(ours, theirs):  # noqa: B905  Python 3.9
        if our.default is not their.default and not _equal(our.default, their.default):
            raise FaultError(
                f"{our.name} is {our.default!r} by default, in {subject.candidate.__name__} {their.default!r}"
            )


def call(subject: Subject) -> None:
    """A call arrives at the real delegate, whose member only writes down what it gets; the same object comes back."""
    wrapper, delegate = subject.instances()
    seen: list[Any] = []
    result = object()

    def record(*args: Any, **kwargs: Any) -> Any:
        seen.append((args, kwargs))
        return result

    async def record_later(*args: Any, **kwargs: Any) -> Any:
        return record(*args, **kwargs)

    waits = inspect.iscoroutinefunction(subject.shim)
    object.__setattr__(delegate, subject.member, record_later if waits else record)
    args, kwargs = _needed(getattr(wrapper, subject.member))
    given = getattr(wrapper, subject.member)(*args, **kwargs)
    if waits:
        given = _awaited(given)
    if len(seen) != 1 or list(seen[0][0][: len(args)]) != args:
        raise FaultError(f"a call arrives as {seen}")
    if given is not result:
        raise FaultError("what the delegate gives does not come back")


def probe(subject: Subject) -> None:
    """The wrapper has the member exactly when the delegate has it, and then it is the very object."""
    wrapper, delegate = subject.instances()
    if hasattr(wrapper, subject.member) != hasattr(delegate, subject.member):
        raise FaultError(f"hasattr is {hasattr(wrapper, subject.member)}, on the delegate the opposite")
    if isinstance(subject.provided, property):
        return
    value = object()
    object.__setattr__(delegate, subject.member, value)
    if getattr(wrapper, subject.member, None) is not value:
        raise FaultError("what the delegate has is not what the wrapper gives")


def none(subject: Subject) -> None:
    """Without a delegate comes an AttributeError that names class and member, and a probe of a value says no."""
    wrapper = subject.with_delegate(None)
    if isinstance(subject.shim, property) and hasattr(wrapper, subject.member):
        raise FaultError("a probe says yes although there is no delegate")
    try:
        member = getattr(wrapper, subject.member)
        args, kwargs = _needed(member)
        given = member(*args, **kwargs)
        if inspect.iscoroutine(given):
            _awaited(given)
    except AttributeError as error:
        if subject.member not in str(error) or subject.wrapper.__name__ not in str(error):
            raise FaultError(f"without a delegate, the error says only: {error}") from error
    else:
        raise FaultError("without a delegate it does not fail")


def listed(subject: Subject) -> None:
    """An nn.Module lists its parameters and children as before: the delegate once, under its own name."""
    module = module_class()
    if module is None or not issubclass(subject.wrapper, module) or not issubclass(subject.candidate, module):
        return
    wrapper, _ = subject.instances()
    children = [name for name, _ in wrapper.named_modules() if name]
    if children != _prefixes(subject.attribute) or list(wrapper.state_dict()):
        raise FaultError(f"named_modules lists {children}")


def _needed(member: Any) -> tuple[list[Any], dict[str, Any]]:
    """Arguments for all parameters that have no default."""
    params = [p for p in inspect.signature(member).parameters.values() if p.default is p.empty]
    args = [object() for p in params if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return args, {p.name: object() for p in params if p.kind is p.KEYWORD_ONLY}


def _awaited(coroutine: Any) -> Any:
    """What a coroutine that never waits comes to."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    raise FaultError("it waits for something else than the delegate")


def bare(cls: type) -> Any:
    """An instance that no constructor of its class has seen, set up as an nn.Module where it is one."""
    made: Any = object.__new__(cls)
    module = module_class()
    if module is not None and issubclass(cls, module):
        module.__init__(made)
    return made


def mangled(name: str, cls: str) -> str:
    """A private name as the class's own code spells it."""
    private = name.startswith("__") and not name.endswith("__") and bool(cls.strip("_"))
    return f"_{cls.lstrip('_')}{name}" if private else name


def module_class() -> Any:
    """torch.nn.Module, where torch was imported."""
    torch = sys.modules.get("torch")
    return getattr(getattr(torch, "nn", None), "Module", None)


def _is_called(member: Any) -> bool:
    return isinstance(member, WRAPPED) or inspect.isroutine(member)


def _kind(member: Any) -> str:
    return type(member).__name__


def _params(member: Any, signature: inspect.Signature) -> list[inspect.Parameter]:
    """The parameters that a caller fills."""
    params = list(signature.parameters.values())
    return params if isinstance(member, WRAPPED) else params[1:]


def _equal(left: Any, right: Any) -> bool:
    try:
        return type(left) is type(right) and bool(left == right)
    except Exception:
        return False


def _prefixes(attribute: str) -> list[str]:
    parts = attribute.split(".")
    return [".".join(parts[: n + 1]) for n in range(len(parts))]
