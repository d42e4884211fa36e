"""What a member does to its own object: what it writes, reads and runs, through its methods and submodules.

Chains are relative to the object: "capture_aux_hidden_states" or "model.layers_to_capture".
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import msgspec

from shimgen.gaps.paths import Path, follow
from shimgen.model.calling import given, method_above, routine
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Call, Function
from shimgen.model.profile import Profile
from shimgen.model.program import Program

_DEPTH = 6
# Builtins that look at an object without running anything of it that matters here.
_HARMLESS = frozenset(("getattr", "hasattr", "isinstance", "id", "type", "len", "super", "setattr"))


class Effects(msgspec.Struct):
    """What a member does to its own object: chains it writes, reads and calls, each with the place; `methods` are
    the object's own methods that run on the way; `mutates` is a place where it changes something that it reached
    through a local name."""

    writes: dict[str, str] = msgspec.field(default_factory=dict)
    reads: dict[str, str] = msgspec.field(default_factory=dict)
    called: dict[str, str] = msgspec.field(default_factory=dict)
    methods: dict[str, str] = msgspec.field(default_factory=dict)
    mutates: str = ""


class Reach:
    """Follows forward paths and effects; results are kept per class."""

    def __init__(self, program: Program, profile: Profile) -> None:
        self._program = program
        self._forward = profile.models.forward_members
        self.path = cache(self._path)
        self._effects: dict[tuple[ClassRef, str], Effects] = {}

    def _path(self, ref: ClassRef, attribute: str, start: tuple[str, ...] = ()) -> Path:
        """How `ref`'s forward (or the members in `start`) uses the delegate in `attribute`."""
        return follow(self._program, ref, attribute, start or ("__call__", *self._forward))

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
        own = function.first
        mine = frozenset((own, *_other_names(function, own)))
        for store in function.stores:
            head, _, rest = store.target.partition(".")
            if head in mine and rest:
                into.writes.setdefault(rest, owner.at(store.line))
            elif rest:
                into.mutates = into.mutates or owner.at(store.line)
        for read in function.reads:
            head, _, rest = read.chain.partition(".")
            if head == own and rest:
                into.reads.setdefault(rest, owner.at(read.line))
        for call in function.calls:
            callee = call.expr.parts[0]
            if callee.text == "setattr":
                into.mutates = into.mutates or owner.at(call.line)
            if callee.text not in _HARMLESS and any(p.op == "name" and p.text == own for p in call.expr.parts[1:]):
                into.reads.setdefault("*", owner.at(call.line))
                self._collect_handed(owner.path, call, mine, into)
            head, _, rest = callee.text.partition(".") if callee.op == "name" else ("", "", "")
            if depth and head in mine and rest:
                self._collect_call(ref, rest, owner.at(call.line), into, depth)
            elif depth:
                self._collect_above(ref, owner, call, mine, into, depth - 1)

    def _collect_handed(self, where: str, call: Call, mine: frozenset[str], into: Effects) -> None:
        """What a function of a module writes on the object that it is given."""
        target = self._program.resolve(where, call.expr.parts[0].text)
        function = routine(self._program, target)
        passed = given(call.expr, function.params) if function is not None else ()
        names = {name for name, part in passed if part.op == "name" and part.text in mine}
        for store in function.stores if function is not None else ():
            head, _, rest = store.target.partition(".")
            if head in names and rest:
                into.writes.setdefault(rest, f"{target.path}:{store.line}")

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

    def _collect_above(
        self, ref: ClassRef, owner: ClassRef, call: Call, mine: frozenset[str], into: Effects, depth: int
    ) -> None:
        above = method_above(self._program, ref, owner, owner.path, call.expr.parts[0])
        if above is not None and above[1].params:
            cls, function, by_hand = above
            if not by_hand or any(part.text in mine for part in call.expr.parts[1:]):
                self._collect(ref, cls, function, into, depth)


def _other_names(function: Function, own: str) -> Iterator[str]:
    """Local names that may hold the object itself: `target = self`, and perhaps something else on another branch."""
    for store in function.stores:
        value = store.value
        held = (value.text, *(part.text for part in value.parts)) if value is not None else ()
        if own in held and "." not in store.target and value is not None and value.op in ("name", "choice"):
            yield store.target


def _merge(into: Effects, inner: Effects, prefix: str) -> None:
    for chain, place in inner.writes.items():
        into.writes.setdefault(prefix + chain, place)
    for chain, place in inner.reads.items():
        into.reads.setdefault(prefix + chain, place)
    for chain, place in inner.called.items():
        into.called.setdefault(prefix + chain, place)
    into.mutates = into.mutates or inner.mutates
