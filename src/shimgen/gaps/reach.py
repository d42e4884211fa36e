"""What a member does to its own object: what it writes, reads and runs, through its methods and submodules.

Chains are relative to the object: "capture_aux_hidden_states" or "model.layers_to_capture".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

import msgspec

from shimgen.gaps.paths import Path, follow
from shimgen.model.calling import given, method_above, routine
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Call, Expr, Function
from shimgen.model.profile import Profile
from shimgen.model.program import Program

# Builtins that look at an object without running anything of it that matters here.
_HARMLESS = frozenset(("getattr", "hasattr", "isinstance", "id", "type", "len", "super", "setattr"))
# Methods by which Python's containers are changed in place; those of tensors end with an underscore.
_CHANGING = frozenset(
    ("add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update")
)


# The functions that were gone through for one object, by class and line.
_Seen: TypeAlias = set[tuple[ClassRef, int]]


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

    def effects(self, ref: ClassRef, member: str) -> Effects:
        """What `member` of `ref` reads and writes of its own object, through its own methods and submodules."""
        key = (ref, member)
        found = self._effects.get(key)
        if found is None:
            found = self._effects[key] = Effects()
            definition = self._program.find(ref, member)
            if definition is not None:
                self._collect(ref, *definition, found, set())
        return found

    def follow_chain(self, ref: ClassRef, chain: str, into: Effects) -> None:
        """Adds what a call of `chain` on an instance of `ref` does ("model" runs the body)."""
        self._collect_call(ref, chain, "", into, set())

    def _collect(self, ref: ClassRef, owner: ClassRef, function: Function, into: Effects, seen: _Seen) -> None:
        if not function.params or (owner, function.line) in seen:
            return
        seen.add((owner, function.line))
        own = function.first
        parts = _named_parts(function)
        mine = frozenset(name for name, chains in parts.items() if "" in chains)
        for store in function.stores:
            head, _, rest = store.target.partition(".")
            for chain in parts.get(head, ()) if rest else ():
                into.writes.setdefault(_joined(chain, rest), owner.at(store.line))
            if rest and head not in parts:
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
            self._collect_handed(owner.path, call, parts, into)
            head, _, rest = callee.text.partition(".") if callee.op == "name" else ("", "", "")
            changed, _, method = rest.rpartition(".")
            for chain in parts.get(head, ()) if changed and _changes(method) else ():
                into.writes.setdefault(_joined(chain, changed), owner.at(call.line))
            if head in mine and rest:
                self._collect_call(ref, rest, owner.at(call.line), into, seen)
            else:
                self._collect_above(ref, owner, call, mine, into, seen)

    def _collect_handed(self, where: str, call: Call, parts: Mapping[str, Sequence[str]], into: Effects) -> None:
        """What a function of a module writes on the object, or on a part of it, that it is given."""
        values = [p for p in call.expr.parts[1:] if p.op == "name" and p.text.partition(".")[0] in parts]
        target = self._program.resolve(where, call.expr.parts[0].text) if values else None
        function = routine(self._program, target) if target is not None else None
        if target is None or function is None:
            return
        passed = {name: part.text.partition(".") for name, part in given(call.expr, function.params) if part in values}
        for store in function.stores:
            name, _, written = store.target.partition(".")
            head, _, rest = passed.get(name, ("", "", ""))
            for chain in parts.get(head, ()) if written else ():
                into.writes.setdefault(_joined(chain, rest, written), f"{target.path}:{store.line}")

    def _collect_call(self, ref: ClassRef, chain: str, place: str, into: Effects, seen: _Seen) -> None:
        head, _, rest = chain.partition(".")
        definition = None if rest else self._program.find(ref, head)
        if definition is not None:
            self._collect(ref, *definition, into, seen)
            into.methods[head] = place
            return
        into.called.setdefault(chain, place)
        attribute = self._program.attributes(ref).get(head)
        for kind in attribute.types if attribute is not None else ():
            if not rest:
                for member in self._forward:
                    _merge(into, self.effects(kind, member), f"{head}.")
            elif "." not in rest and self._program.find(kind, rest) is not None:
                _merge(into, self.effects(kind, rest), f"{head}.")

    def _collect_above(
        self, ref: ClassRef, owner: ClassRef, call: Call, mine: frozenset[str], into: Effects, seen: _Seen
    ) -> None:
        above = method_above(self._program, ref, owner, owner.path, call.expr.parts[0])
        if above is not None:
            cls, function, by_hand = above
            if not by_hand or any(part.text in mine for part in call.expr.parts[1:]):
                self._collect(ref, cls, function, into, seen)


def _named_parts(function: Function) -> Mapping[str, Sequence[str]]:
    """Names that may hold the object or a part of it, with the chains of these: `target = self`, `body = self.model`,
    and perhaps something else on another branch."""
    found: dict[str, list[str]] = {function.first: [""]}
    for store in function.stores:
        if "." not in store.target and store.value is not None:
            chains = list(_chains(store.value, found))
            if chains:
                found.setdefault(store.target, []).extend(chains)
    return found


def _chains(value: Expr, known: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The chains of what a value may be; an item goes by that of what holds it."""
    if value.op == "name":
        head, _, rest = value.text.partition(".")
        yield from (_joined(chain, rest) for chain in known.get(head, ()))
    elif value.op == "choice":
        for part in value.parts:
            yield from _chains(part, known)
    elif value.op in ("item", "attr"):
        yield from (_joined(chain, value.text) for chain in _chains(value.parts[0], known))


def _joined(*chains: str) -> str:
    return ".".join(filter(None, chains))


def _changes(method: str) -> bool:
    """Whether a method of a container, or of a tensor, changes it in place."""
    return method in _CHANGING or (method.endswith("_") and not method.startswith("_"))


def _merge(into: Effects, inner: Effects, prefix: str) -> None:
    """Adds what a part does. A part of the same class may be what is being collected: so much of it as is known."""
    for mine, its in ((into.writes, inner.writes), (into.reads, inner.reads), (into.called, inner.called)):
        for chain, place in tuple(its.items()):
            mine.setdefault(prefix + chain, place)
    into.mutates = into.mutates or inner.mutates
