"""The path that a wrapper's forward takes: what it reads of itself, and what it runs of its delegate."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import msgspec

from shimgen.model.calling import given, method_above, routine
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Call, Expr, Function
from shimgen.model.program import Program

_BUILTINS = frozenset(dir(builtins))


class Path(msgspec.Struct):
    """What a wrapper's forward does: own attributes it reads (with the line), what it runs of the delegate
    ("" stands for calling the delegate itself), chains of the delegate that it reads, and why it could not be
    followed to the end. Chains are relative to the delegate."""

    own: dict[str, str] = msgspec.field(default_factory=dict)
    runs: dict[str, str] = msgspec.field(default_factory=dict)
    touched: set[str] = msgspec.field(default_factory=set)
    unknown: str = ""


class _Frame(msgspec.Struct, frozen=True):
    """A function on the path, in the module at `where`: `own` names the wrapper in it and `held` the delegate
    ("" for what has no name there)."""

    where: str
    function: Function
    own: str
    held: str

    @property
    def aliases(self) -> set[str]:
        """Every name of the delegate in the function."""
        return {self.held, *_aliases(self.function, self.held)} - {""}


def follow(program: Program, ref: ClassRef, attribute: str, members: tuple[str, ...]) -> Path:
    """How the methods `members` of `ref` use the delegate in `attribute`."""
    walk = _Walk(program, ref, attribute)
    for member in members:
        walk.start(member)
    return walk.path


class _Walk:
    """Goes from a method of the wrapper through what it calls, as long as wrapper or delegate are handed on."""

    def __init__(self, program: Program, ref: ClassRef, attribute: str) -> None:
        self._program = program
        self._ref = ref
        self._attribute = attribute
        self._seen: set[tuple[object, ...]] = set()
        self.path = Path()

    def start(self, member: str) -> None:
        """A method of the wrapper, or an attribute that its constructor copied from the delegate."""
        copied = self._program.attributes(self._ref).get(member)
        if copied is not None and copied.value is not None and copied.value.op == "name":
            inner = copied.value.text.partition(".")[2]
            if inner.startswith(f"{self._attribute}."):
                self._run(inner[len(self._attribute) + 1 :], copied.owner.at(copied.line))
                return
        self._inside(self._program.find(self._ref, member))

    def _inside(self, found: tuple[ClassRef, Function] | None) -> None:
        """Goes on inside a method or property of the wrapper."""
        if found is not None:
            own = found[1].first
            self._follow(_Frame(found[0].path, found[1], own, f"{own}.{self._attribute}"))

    def _run(self, member: str, place: str) -> None:
        self.path.runs.setdefault(member, place)

    def _follow(self, frame: _Frame) -> None:
        key = (frame.where, frame.function.name, frame.function.line, frame.own, frame.held)
        if key in self._seen:
            return
        self._seen.add(key)
        aliases = frame.aliases
        for read in frame.function.reads:
            head, _, rest = read.chain.partition(".")
            if frame.own and head == frame.own and rest and rest.partition(".")[0] != self._attribute:
                self.path.own.setdefault(rest.partition(".")[0], f"{frame.where}:{read.line}")
                computed = self._program.find(self._ref, rest.partition(".")[0])
                if computed is not None and computed[1].kind in ("property", "cached_property"):
                    self._inside(computed)
            for alias in aliases:
                if read.chain.startswith(f"{alias}."):
                    self.path.touched.add(read.chain[len(alias) + 1 :])
        for call in frame.function.calls:
            self._call(frame, call, aliases)

    def _call(self, frame: _Frame, call: Call, aliases: set[str]) -> None:
        callee = call.expr.parts[0]
        text = callee.text if callee.op == "name" else ""
        for alias in aliases:
            if text == alias or text.startswith(f"{alias}."):
                self._run(text[len(alias) + 1 :], f"{frame.where}:{call.line}")
                return
        if frame.own and text.startswith(f"{frame.own}.") and text.count(".") == 1:
            found = self._program.find(self._ref, text.partition(".")[2])
            if found is not None:
                self._enter(frame, call, aliases, found[0].path, found[1], bound=True)
                return
        above = self._above(frame, callee)
        if above is not None:
            self._enter(frame, call, aliases, above[0].path, above[1], bound=not above[2])
            return
        names = {frame.own, *aliases} - {""}
        if any(part.op == "name" and part.text in names for part in call.expr.parts[1:]):
            self._hand(frame, call, aliases, text)

    def _above(self, frame: _Frame, callee: Expr) -> tuple[ClassRef, Function, bool] | None:
        """What a call on the wrapper reaches in a class above the one that the function stands in."""
        order = self._program.mro(self._ref).classes
        homes = (c for c in order if c.path == frame.where and frame.function in self._program.cls(c).functions)
        return method_above(self._program, self._ref, next(homes, None), frame.where, callee) if frame.own else None

    def _hand(self, frame: _Frame, call: Call, aliases: set[str], text: str) -> None:
        """The wrapper or the delegate is an argument of a function."""
        if text in _BUILTINS:
            return
        target = self._program.resolve(frame.where, text) if text else None
        function = routine(self._program, target) if target else None
        if target is None or function is None:
            why = f"{text or 'a computed function'} at {frame.where}:{call.line} gets the model"
            self.path.unknown = self.path.unknown or why
            return
        self._enter(frame, call, aliases, target.path, function, bound=False)

    def _enter(self, frame: _Frame, call: Call, aliases: set[str], where: str, function: Function, bound: bool) -> None:
        """Goes on inside a called function, with the names that the wrapper and the delegate have there."""
        own = function.first if bound and function.kind == "method" else ""
        own = own or _received(function, call, {frame.own} - {""}, bound)
        held = _received(function, call, aliases, bound)
        names = [held] if held else []
        if own:
            names.append(f"{own}.{self._attribute}")
        for name in names or [""]:
            self._follow(_Frame(where, function, own, name))


def _aliases(function: Function, held: str) -> Iterator[str]:
    """Local names that hold the delegate: lm = self.language_model."""
    for store in function.stores:
        if held and "." not in store.target and store.value is not None and _mentions(store.value, held):
            yield store.target


def _mentions(value: Expr, held: str) -> bool:
    if value.op == "name":
        return value.text == held
    return value.op == "choice" and any(_mentions(part, held) for part in value.parts)


def _received(function: Function, call: Call, names: set[str], bound: bool) -> str:
    """The parameter of `function` that gets one of `names` in this call, "" for none."""
    params = function.params[bound and function.kind != "staticmethod" :]
    passed = given(call.expr, params)
    return next((name for name, part in passed if part.op == "name" and part.text in names), "")
