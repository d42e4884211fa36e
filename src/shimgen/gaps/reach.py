"""What really runs: the path that a wrapper's forward takes through its delegate, and what is read on it.

Chains are relative to the object: "capture_aux_hidden_states" or "model.layers_to_capture".
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field

from shimgen.model.domain import ClassRef
from shimgen.model.facts import Call, Expr, Function
from shimgen.model.profile import Profile
from shimgen.model.program import Program

_DEPTH = 6
_BUILTINS = frozenset(dir(builtins))
# Builtins that look at an object without running anything of it that matters here.
_HARMLESS = frozenset(("getattr", "hasattr", "isinstance", "id", "type", "len", "super", "setattr"))


@dataclass(slots=True)
class Path:
    """What a wrapper's forward does: own attributes it reads (with the line), what it runs of the delegate
    ("" stands for calling the delegate itself), and why it could not be followed to the end."""

    own: dict[str, str] = field(default_factory=dict)
    runs: dict[str, str] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    unknown: str = ""


@dataclass(slots=True)
class Effects:
    """What a member does to its own object: chains it writes, reads and calls, each with the place; `methods` are
    the object's own methods that run on the way; `mutates` is a place where it changes something that it reached
    through a local name."""

    writes: dict[str, str] = field(default_factory=dict)
    reads: dict[str, str] = field(default_factory=dict)
    called: dict[str, str] = field(default_factory=dict)
    methods: dict[str, str] = field(default_factory=dict)
    mutates: str = ""


class Reach:
    """Follows forward paths and effects; results are kept per class."""

    def __init__(self, program: Program, profile: Profile) -> None:
        self._program = program
        self._forward = profile.models.forward_members
        self._paths: dict[tuple[ClassRef, str, tuple[str, ...]], Path] = {}
        self._effects: dict[tuple[ClassRef, str], Effects] = {}

    # -- the wrapper's side --------------------------------------------------------------------------------

    def path(self, ref: ClassRef, attribute: str, start: tuple[str, ...] = ()) -> Path:
        """How `ref`'s forward (or the members in `start`) uses the delegate in `attribute`."""
        key = (ref, attribute, start)
        found = self._paths.get(key)
        if found is None:
            found = self._paths[key] = Path()
            for member in start or ("__call__", *self._forward):
                self._start(ref, attribute, member, found)
        return found

    def _start(self, ref: ClassRef, attribute: str, member: str, path: Path) -> None:
        copied = self._program.attributes(ref).get(member)
        if copied is not None and copied.value is not None and copied.value.op == "name":
            inner = copied.value.text.partition(".")[2]
            if inner.startswith(f"{attribute}."):
                self._run(path, inner[len(attribute) + 1 :], f"{copied.owner.path}:{copied.line}")
                return
        found = self._program.find(ref, member)
        if found is not None:
            self._follow_method(ref, attribute, found[0], found[1], path, set())

    def _follow_method(
        self, ref: ClassRef, attribute: str, owner: ClassRef, function: Function, path: Path, seen: set[object]
    ) -> None:
        """One method of the wrapper: `self` is the wrapper."""
        own = function.params[0].name if function.params else ""
        self._follow(ref, attribute, owner.path, function, own, f"{own}.{attribute}", path, seen)

    def _follow(
        self,
        ref: ClassRef,
        attribute: str,
        where: str,
        function: Function,
        own: str,
        held: str,
        path: Path,
        seen: set[object],
    ) -> None:
        """Any function in which `own` names the wrapper and `held` the delegate ("" when it has no name there)."""
        key = (where, function.name, function.line, own, held)
        if key in seen:
            return
        seen.add(key)
        aliases = {held, *_aliases(function, held)} - {""}
        for read in function.reads:
            head, _, rest = read.chain.partition(".")
            if own and head == own and rest and rest.partition(".")[0] != attribute:
                path.own.setdefault(rest.partition(".")[0], f"{where}:{read.line}")
            for alias in aliases:
                if read.chain.startswith(f"{alias}."):
                    path.touched.add(read.chain[len(alias) + 1 :])
        for call in function.calls:
            self._follow_call(ref, attribute, where, call, own, aliases, path, seen)

    def _follow_call(
        self,
        ref: ClassRef,
        attribute: str,
        where: str,
        call: Call,
        own: str,
        aliases: set[str],
        path: Path,
        seen: set[object],
    ) -> None:
        callee = call.expr.parts[0]
        place = f"{where}:{call.line}"
        for alias in aliases:
            if callee.op == "name" and (callee.text == alias or callee.text.startswith(f"{alias}.")):
                self._run(path, callee.text[len(alias) + 1 :], place)
                return
        if own and callee.op == "name" and callee.text.startswith(f"{own}.") and callee.text.count(".") == 1:
            found = self._program.find(ref, callee.text.partition(".")[2])
            if found is not None:
                self._hand_over(ref, attribute, found[0].path, found[1], call, own, aliases, path, seen, bound=True)
                return
        if any(part.op == "name" and part.text in {own, *aliases} - {""} for part in call.expr.parts[1:]):
            self._handed_to(ref, attribute, where, call, own, aliases, path, seen)

    def _handed_to(
        self,
        ref: ClassRef,
        attribute: str,
        where: str,
        call: Call,
        own: str,
        aliases: set[str],
        path: Path,
        seen: set[object],
    ) -> None:
        callee = call.expr.parts[0]
        text = callee.text if callee.op == "name" else ""
        if text in _BUILTINS:
            return
        target = self._program.resolve(where, text) if text else None
        if target is None or target.kind != "function":
            path.unknown = path.unknown or f"{text or 'a computed function'} at {where}:{call.line} gets the model"
            return
        function = next(f for f in reversed(self._program.module(target.path).functions) if f.name == target.name)
        self._hand_over(ref, attribute, target.path, function, call, own, aliases, path, seen, bound=False)

    def _hand_over(
        self,
        ref: ClassRef,
        attribute: str,
        where: str,
        function: Function,
        call: Call,
        own: str,
        aliases: set[str],
        path: Path,
        seen: set[object],
        bound: bool,
    ) -> None:
        """Goes on inside a called function, with the names that the wrapper and the delegate have there."""
        inner_own = ""
        if bound and function.kind == "method" and function.params:
            inner_own = function.params[0].name
        inner_own = inner_own or _received(function, call, {own} - {""}, bound)
        inner_held = _received(function, call, aliases, bound)
        names = [inner_held] if inner_held else []
        if inner_own:
            names.append(f"{inner_own}.{attribute}")
        for held in names or [""]:
            self._follow(ref, attribute, where, function, inner_own, held, path, seen)

    @staticmethod
    def _run(path: Path, member: str, place: str) -> None:
        path.runs.setdefault(member, place)

    # -- the delegate's side -------------------------------------------------------------------------------

    def effects(self, ref: ClassRef, member: str, depth: int = _DEPTH) -> Effects:
        """What `member` of `ref` reads and writes of its own object, through its own methods and submodules."""
        key = (ref, member)
        found = self._effects.get(key)
        if found is None:
            found = self._effects[key] = Effects()
            definition = self._program.find(ref, member)
            if definition is not None and definition[1].params:
                self._collect(ref, definition[0], definition[1], found, depth)
        return found

    def follow_chain(self, ref: ClassRef, chain: str, into: Effects) -> None:
        """Adds what a call of `chain` on an instance of `ref` does ("model" runs the body)."""
        self._collect_call(ref, chain, "", into, _DEPTH)

    def _collect(self, ref: ClassRef, owner: ClassRef, function: Function, into: Effects, depth: int) -> None:
        own = function.params[0].name
        for store in function.stores:
            head, _, rest = store.target.partition(".")
            if head == own and rest:
                into.writes.setdefault(rest, f"{owner.path}:{store.line}")
            elif rest:
                into.mutates = into.mutates or f"{owner.path}:{store.line}"
        for read in function.reads:
            head, _, rest = read.chain.partition(".")
            if head == own and rest:
                into.reads.setdefault(rest, f"{owner.path}:{read.line}")
        for call in function.calls:
            callee = call.expr.parts[0]
            if callee.text == "setattr":
                into.mutates = into.mutates or f"{owner.path}:{call.line}"
            if callee.text not in _HARMLESS and any(p.op == "name" and p.text == own for p in call.expr.parts[1:]):
                into.reads.setdefault("*", f"{owner.path}:{call.line}")
            if depth and callee.op == "name" and callee.text.startswith(f"{own}."):
                self._collect_call(ref, callee.text.partition(".")[2], f"{owner.path}:{call.line}", into, depth)
            elif depth and callee.op == "attr" and callee.parts[0].op == "call":
                self._collect_super(ref, owner, callee, into, depth)

    def _collect_call(self, ref: ClassRef, chain: str, place: str, into: Effects, depth: int) -> None:
        head, _, rest = chain.partition(".")
        if not rest and self._program.find(ref, head) is not None:
            inner = self.effects(ref, head, depth - 1)
            _merge(into, inner, "")
            into.methods.update({**inner.methods, head: place})
            return
        into.called.setdefault(chain, place)
        attribute = self._program.attributes(ref).get(head)
        for kind in attribute.types if attribute is not None else ():
            if not rest:
                for member in self._forward:
                    _merge(into, self.effects(kind, member, depth - 1), f"{head}.")
            elif "." not in rest and self._program.find(kind, rest) is not None:
                _merge(into, self.effects(kind, rest, depth - 1), f"{head}.")

    def _collect_super(self, ref: ClassRef, owner: ClassRef, callee: Expr, into: Effects, depth: int) -> None:
        if callee.parts[0].parts[0].text != "super":
            return
        order = self._program.mro(ref).classes
        for cls in order[order.index(owner) + 1 :] if owner in order else ():
            for function in self._program.cls(cls).functions:
                if function.name == callee.text and function.params:
                    self._collect(ref, cls, function, into, depth - 1)
                    return


def _merge(into: Effects, inner: Effects, prefix: str) -> None:
    for chain, place in inner.writes.items():
        into.writes.setdefault(prefix + chain, place)
    for chain, place in inner.reads.items():
        into.reads.setdefault(prefix + chain, place)
    for chain, place in inner.called.items():
        into.called.setdefault(prefix + chain, place)
    into.mutates = into.mutates or inner.mutates


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
    parts, keys = call.expr.parts[1:], call.expr.keys
    count = len(parts) - len(keys)
    positional = [p.name for p in function.params if p.kind in ("posonly", "pos")]
    if bound and function.kind != "staticmethod":
        positional = positional[1:]
    given = [*zip(positional, parts[:count], strict=False), *zip(keys, parts[count:], strict=True)]
    return next((name for name, part in given if part.op == "name" and part.text in names), "")
