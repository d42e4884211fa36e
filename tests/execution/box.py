"""Runs stacks, in a process of its own: reads the files of one per line as JSON, and writes what an engine observes.

A module that stands in for torch.nn is given; nothing of it computes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

from shimgen.verify.box import torchlike

MEMBERS = ("ping", "probe_me", "width", "flag")
CALLED = ("ping", "probe_me")
WRAPPERS = ("Wrap", "Heir", "Outer")
STEPS = ("", "forward", "load", "reset", "another")
_PLACES = re.compile(r"0x[0-9a-f]+|(?<=coroutine object )\S+|(?<=generator object )\S+")


class Module(torchlike.Module):
    """What wrappers use of torch.nn.Module besides attributes."""

    def __call__(self, *args: Any, **more: Any) -> Any:
        return self.forward(*args, **more)

    def __repr__(self) -> str:
        return type(self).__name__

    def children(self) -> Iterator[Any]:
        yield from (m for m in self.__dict__["_modules"].values() if m is not None)

    def modules(self) -> Iterator[Any]:
        yield from (module for _, module in self.named_modules())

    def apply(self, run: Callable[[Any], Any]) -> Any:
        for child in self.children():
            child.apply(run)
        run(self)
        return self

    def eval(self) -> Any:
        return self

    def add_module(self, name: str, module: Any) -> None:
        self._new(name)
        self.__dict__["_modules"][name] = module

    def register_buffer(self, name: str, value: Any) -> None:
        self._new(name)
        super().register_buffer(name, value)

    def register_parameter(self, name: str, value: Any) -> None:
        self._new(name)
        self.__dict__["_parameters"][name] = value

    def _new(self, name: str) -> None:
        if hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")


class Layer(Module):
    def __init__(self, *sizes: Any) -> None:
        super().__init__()
        self.sizes = sizes

    def forward(self, ids: Any) -> Any:
        return self.sizes, ids


class Sequential(Layer):
    def __init__(self, *parts: Any) -> None:
        super().__init__(len(parts))
        for number, part in enumerate(parts):
            self.add_module(str(number), part)

    def __getitem__(self, number: int) -> Any:
        return list(self.children())[number]


class ModuleList(Sequential):
    def __init__(self, parts: Any) -> None:
        super().__init__(*parts)

    def __iter__(self) -> Iterator[Any]:
        return self.children()

    def __setitem__(self, number: int, part: Any) -> None:
        self.__dict__["_modules"][str(number)] = part


class ModuleDict(Layer):
    def __init__(self, parts: dict[str, Any]) -> None:
        super().__init__()
        for name, part in parts.items():
            self.add_module(name, part)

    def __getitem__(self, name: str) -> Any:
        return self.__dict__["_modules"][name]


class Config(SimpleNamespace):
    """What models are made with; `a` is what their conditions ask."""

    def __init__(self, a: bool) -> None:
        super().__init__(a=a, depth=3, kind="model" if a else "other", names=["ping"])

    def __repr__(self) -> str:
        return f"Config({self.a})"


def main() -> None:
    """One line in, one line out."""
    for line in sys.stdin:
        codes = {path: compile(text, path, "exec") for path, text in json.loads(line).items()}
        states = [(name, a, step) for name in WRAPPERS for a in (True, False) for step in STEPS]
        seen = {" ".join(map(str, state)): observe(codes, *state) for state in states}
        print(json.dumps(seen), flush=True)  # noqa: T201


def observe(codes: dict[str, CodeType], name: str, a: bool, step: str) -> dict[str, Any] | str:
    """What an engine gets of the members of a wrapper, and of its delegate, after a step; why there is none."""
    found: dict[str, Any] = {}
    try:
        for member in MEMBERS:
            for who in ("wrapper", "delegate"):
                cls = getattr(load(codes), name)
                found["classes"] = [base.__name__ for base in cls.__mro__]
                found[f"{who}.{member}"] = looked_up(made(cls, a, step, who), member)
        for who in ("wrapper", "delegate"):
            found[f"{who}.forward"] = run(made(getattr(load(codes), name), a, step, who))
            found[f"{who}.pinged"] = pinged(made(getattr(load(codes), name), a, step, who))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return found


def load(codes: dict[str, CodeType]) -> ModuleType:
    """The wrapper's module, with everything imported anew."""
    for name in [n for n in sys.modules if n.partition(".")[0] in ("models", "torch")]:
        del sys.modules[name]
    layers = dict.fromkeys(("Linear", "Embedding", "Identity"), Layer)
    more = {"Module": Module, "Parameter": torchlike.Parameter, "Buffer": torchlike.Tensor}
    lists = {"Sequential": Sequential, "ModuleList": ModuleList, "ModuleDict": ModuleDict}
    nn = SimpleNamespace(**layers, **more, **lists)
    sys.modules.update({"torch": SimpleNamespace(nn=nn), "torch.nn": nn})  # type: ignore[dict-item]
    package = sys.modules["models"] = ModuleType("models")
    package.__path__ = []
    for name in ("util", "base", "wrap"):
        module = sys.modules[f"models.{name}"] = ModuleType(f"models.{name}")
        setattr(package, name, module)
        exec(codes[f"models/{name}.py"], module.__dict__)  # noqa: S102
    return module


def made(cls: Any, a: bool, step: str, who: str) -> Any:
    """A wrapper after a step of its life, or its delegate, None where it has none."""
    wrapper = cls(Config(a))
    if step == "another":
        cls(Config(not a))
    elif step == "forward":
        wrapper.forward(1, 2)
    elif step:
        getattr(wrapper, step)()
    return wrapper if who == "wrapper" else getattr(wrapper, "inner", None)


def looked_up(model: Any, member: str) -> tuple[bool, str]:
    """Whether a probe finds the member, and what its use gives."""
    has = hasattr(model, member)
    try:
        value = getattr(model, member)
        value = value(1) if member in CALLED else value
    except Exception as error:
        return has, f"raises {type(error).__name__}"
    return has, "something to call" if callable(value) and not isinstance(value, Module) else _PLACES.sub(
        "", repr(value)
    )


def run(model: Any) -> str:
    """What a model's forward gives."""
    try:
        return _PLACES.sub("", repr(model.forward(1, 2)))
    except Exception as error:
        return f"raises {type(error).__name__}"


def pinged(model: Any) -> tuple[str, str]:
    """What a model's forward gives before ping has been called, and afterwards."""
    before = run(model)
    try:
        model.ping(1)
    except Exception as error:
        return before, f"raises {type(error).__name__}"
    return before, run(model)


if __name__ == "__main__":
    main()
