"""Random signatures and wrapper classes, as hypothesis strategies, and the modules that they make when they run."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

from hypothesis import strategies as st

from shimgen.model.domain import render_signature
from shimgen.model.facts import Param

NAMES = ("a", "b", "config", "delegate", "delegate_", "self_", "value", "type", "kwargs", "args", "x_1", "größe", "_p")
DEFAULTS = ("None", "1", "-2.5e-3", "0x10", "'it\\'s'", "()", "(1, 'a')", "b'\\x00'", "LIMIT", "LIMIT * 2", "...")
# Those of the second row cannot be evaluated, or mean nothing in the wrapper's module.
ANNOTATIONS = ("int", "Optional[int]", "list[int]", "'Full'", "Batch", "typing.Any", "int | None")
POSTPONED = ("Missing", "missing.Name[0]", "Callable[..., Batch]", "Literal['a b']", "'unclosed ['")
KINDS = ("posonly", "pos", "var", "kwonly", "varkw")


@dataclass(frozen=True)
class Made:
    """A provider's and a wrapper's module; `expects_default` when a default means nothing in the wrapper's."""

    full: str
    wrapper: str
    params: tuple[Param, ...]
    flavour: str
    optional: bool
    expects_default: bool

    @property
    def files(self) -> Mapping[str, bytes]:
        return {"full.py": self.full.encode(), "wrapper.py": self.wrapper.encode()}

    @property
    def gap(self) -> str:
        return "Wrapper.model -> Full: member" + (" optional" if self.optional else "")


@st.composite
def parameters(draw: st.DrawFn, annotations: tuple[str, ...]) -> tuple[Param, ...]:
    """A valid parameter list without its first parameter."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=6))
    kinds = sorted(draw(st.lists(st.sampled_from(KINDS), min_size=len(names), max_size=len(names))), key=KINDS.index)
    params: list[Param] = []
    for name, kind in zip(names, kinds, strict=True):
        if kind in ("var", "varkw") and any(p.kind == kind for p in params):
            continue
        needs = kind in ("posonly", "pos") and any(p.default for p in params)
        default = draw(st.sampled_from(DEFAULTS)) if needs or draw(st.booleans()) else None
        annotation = draw(st.none() | st.sampled_from(annotations))
        params.append(Param(name, kind, None if kind in ("var", "varkw") else default, annotation))
    return tuple(params)


HEAD = "import typing\nfrom typing import Callable, Literal, Optional\n\nLIMIT = 8\n\n\nclass Batch:\n    pass\n\n\n"
MEMBERS = (
    "def forward(self, x):\n    return self.model(x)\n    # about x\n",
    "# about loading\n@staticmethod\ndef load_weights(weights):\n    return weights\n",
    "def other(self):\n    return self.model.other()\n",
    "table = {\n    'a': 1,\n}\n",
    "if LIMIT:\n    limit = 1\n",
    "# left out\n",
    '"""A sentence.\n\nAnother."""\n',
    "type = 'vision'\n",
)


@st.composite
def programs(draw: st.DrawFn) -> Made:
    """A provider with a random signature and a wrapper of a random shape."""
    lazy = draw(st.booleans())
    params = draw(parameters((*ANNOTATIONS, *POSTPONED) if lazy else ANNOTATIONS))
    flavour = draw(st.sampled_from(("", "", "async", "generator")))
    optional = draw(st.booleans())
    own = draw(st.sampled_from(("self", "this")))
    posonly = any(p.kind == "posonly" for p in params)
    signature = render_signature(
        (Param(own, "posonly" if posonly else "pos"), *params), draw(st.none() | st.just("int"))
    )
    gives = "{" + ", ".join(f"{p.name!r}: {p.name}" for p in params) + "}"
    future = "from __future__ import annotations\n\n"
    body = {"generator": f"yield {gives}"}.get(flavour, f"return {gives}")
    waits = "async " if flavour == "async" else ""
    full = f"{future if lazy else ''}{HEAD}class Full:\n    {waits}def member{signature}:\n        {body}\n"
    knows = draw(st.booleans())
    imports = "from full import Full, LIMIT, Batch\n" if knows else "from full import Full\nLIMIT = 9\n"
    head = f"{future if draw(st.booleans()) else ''}import typing\nfrom typing import Optional\n{imports}\n\n"
    meets = any(p.default and "LIMIT" in p.default for p in params)
    return Made(full, head + _wrapper(draw), params, flavour, optional, meets and not knows)


def _wrapper(draw: st.DrawFn) -> str:
    unit = draw(st.sampled_from(("    ", "  ", "\t")))
    members = ["def __init__(self):\n    self.model = Full()\n"]
    members += draw(st.lists(st.sampled_from(MEMBERS), unique=True, max_size=4))
    members = draw(st.permutations(members))
    between = "\n" * draw(st.integers(0, 2))
    text = between.join(members)
    lines = ["class Wrapper:", *(f"    {line}" if line else "" for line in text.split("\n"))]
    deep = [unit * ((len(line) - len(line.lstrip())) // 4) + line.lstrip() for line in lines]
    tail = draw(st.sampled_from(("\n", "", "\n\n\n# about the end\nEntry = Wrapper\n")))
    return "\n".join(deep).rstrip() + tail


@contextmanager
def running(files: Mapping[str, bytes]) -> Iterator[Mapping[str, ModuleType]]:
    """The modules of these files, run in their order, importable by each other while the context lasts."""
    modules = {}
    kept = {name: sys.modules.get(name) for name in (path.removesuffix(".py") for path in files)}
    try:
        for path, content in files.items():
            name = path.removesuffix(".py")
            modules[name] = sys.modules[name] = ModuleType(name)
            exec(compile(content, path, "exec", dont_inherit=True), modules[name].__dict__)  # noqa: S102
        yield modules
    finally:
        for name, old in kept.items():
            sys.modules.pop(name, None)
            if old is not None:
                sys.modules[name] = old


@st.composite
def calls(draw: st.DrawFn, params: tuple[Param, ...]) -> tuple[tuple[object, ...], dict[str, object]]:
    """Arguments that fit: each parameter by position or name, or left out where it has a default."""
    args: list[object] = []
    kwargs: dict[str, object] = {}
    by_position = True
    for param in params:
        if param.kind == "var":
            args += [f"more {n}" for n in range(draw(st.integers(0, 2)) if by_position else 0)]
        elif param.kind == "varkw":
            kwargs |= {f"extra_{n}": n for n in range(draw(st.integers(0, 2)))}
        elif param.default is not None and draw(st.booleans()):
            by_position = by_position and param.kind == "kwonly"
        elif param.kind == "kwonly" or (param.kind == "pos" and (not by_position or draw(st.booleans()))):
            by_position = by_position and param.kind == "kwonly"
            kwargs[param.name] = f"value of {param.name}"
        elif by_position:
            args.append(f"value of {param.name}")
    assert not any(keyword.iskeyword(name) for name in kwargs)
    return tuple(args), kwargs
