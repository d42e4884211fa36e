"""Follows dotted chains from an object to the classes on which the last name is looked up. Certain or silent:
wherever some value could not be followed, nothing is said to be missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

import msgspec
from msgspec.structs import replace

from shimgen.gaps.members import Lookup, Members
from shimgen.model.calling import holds_plain, is_plain
from shimgen.model.domain import ClassRef, MemberKind
from shimgen.model.facts import Class, Expr, Function
from shimgen.model.program import Program

_DEPTH = 6
# Calls that give an object attributes which no assignment shows (torch.nn.Module's own, and setattr).
_ADDERS = frozenset(("register_buffer", "register_parameter", "register_module", "add_module"))
# Builtins that get an object and leave it as it is.
_HARMLESS = frozenset(("hasattr", "getattr", "isinstance", "super", "type", "id", "len", "repr", "str", "print"))
_OTHER = Expr("other")


class Step(msgspec.Struct, frozen=True):
    """One lookup of a chain: `name` on instances of `holder`, as the `parts` before it lead there."""

    holder: ClassRef
    name: str
    lookup: Lookup

    @property
    def gone(self) -> bool:
        """Nothing gives instances of `holder` an attribute of that name."""
        return self.lookup.provider is None and not self.lookup.external


class Followed(msgspec.Struct, frozen=True):
    """`last`: the lookups of the last name. `gone`: the first lookups on the way that find nothing.
    `sure`: every value on the way is known, so that `last` and `gone` are all there is."""

    last: tuple[Step, ...] = ()
    gone: tuple[Step, ...] = ()
    sure: bool = True


class Chains:
    """Lookups through attributes. `written` are names that the engine assigns to models."""

    def __init__(self, program: Program, members: Members, written: Iterable[str] = ()) -> None:
        self._program = program
        self._members = members
        self._written = frozenset(written)
        self._given = cache(self._given_in)
        self._assigned = cache(self._assigned_in)

    def follow(self, ref: ClassRef, chain: str) -> Followed:
        """What "language_model.model.layers" finds on an instance of `ref`. The first name is the object's own."""
        followed = self._follow(ref, tuple(chain.split(".")), _DEPTH)
        extra = [s for s in followed.gone if self._is_assigned(ref, s)]
        return (
            replace(followed, gone=tuple(s for s in followed.gone if s not in extra), sure=False) if extra else followed
        )

    def _is_assigned(self, ref: ClassRef, step: Step) -> bool:
        """Whether code next to either class gives objects an attribute of that name: self.inner.extra = value."""
        classes = (*self._program.mro(ref).classes, *self._program.mro(step.holder).classes)
        return any(step.name in self._assigned(path) for path in {cls.path for cls in classes})

    def _assigned_in(self, path: str) -> frozenset[str]:
        """Names that the functions of a file assign to objects other than their own."""
        facts = self._program.module(path)
        functions = [(f, True) for cls in facts.classes for f in cls.functions]
        functions += [(f, False) for f in facts.functions]
        return frozenset(name for function, bound in functions for name in _given_to_others(function, bound))

    def _follow(self, ref: ClassRef, parts: tuple[str, ...], depth: int) -> Followed:
        name = parts[0].removesuffix("()")
        step = self._step(ref, name)
        if step is None:
            return Followed(sure=False)
        if step.gone:
            return Followed((step,), (step,))
        if len(parts) == 1:
            return Followed((step,))
        called = name != parts[0]
        types, sure = self._result(ref, name, depth - 1) if called else self.types(ref, name, depth)
        below = [self._follow(t, parts[1:], depth) for t in types]
        return Followed(
            tuple(s for f in below for s in f.last),
            tuple(s for f in below for s in f.gone),
            sure and bool(below) and all(f.sure for f in below),
        )

    def _step(self, ref: ClassRef, name: str) -> Step | None:
        """One lookup; None when something may provide the name in a way that facts do not show."""
        step = Step(ref, name, self._members.look(ref, name))
        if step.lookup.uncertain or step.lookup.covered:
            return None
        if step.gone and (name in self._written or name.startswith("__") or self._is_open(ref, name)):
            return None
        return step

    def _is_open(self, ref: ClassRef, name: str) -> bool:
        """Whether instances may have `name` all the same: a stub or annotation promises it, or names are computed."""
        for cls in self._program.mro(ref).classes:
            facts = self._program.cls(cls)
            if name in {f.name for f in facts.functions} or name in {a.name for a in facts.attributes}:
                return True
        given = self._given(ref)
        return name in given or "*" in given

    def _given_in(self, ref: ClassRef) -> frozenset[str]:
        return frozenset(name for cls in self._program.mro(ref).classes for name in _given(self._program.cls(cls)))

    def types(self, ref: ClassRef, name: str, depth: int = _DEPTH) -> tuple[tuple[ClassRef, ...], bool]:
        """The classes of the checkout that `name` of an instance of `ref` may be an instance of, and whether
        these are all."""
        provider = self._members.look(ref, name).provider
        if provider is not None and provider.kind is MemberKind.PROPERTY and depth:
            return self._result(ref, name, depth - 1)
        attribute = self._program.attributes(ref).get(name)
        if attribute is None or provider is None or provider.kind is not MemberKind.INSTANCE:
            return (), False
        outside = [e for e in attribute.externals if e != "builtins.object"]
        return attribute.types, not attribute.unknown and not outside and bool(attribute.types)

    def _result(self, ref: ClassRef, name: str, depth: int) -> tuple[tuple[ClassRef, ...], bool]:
        """The types of what a property or method returns, when that is one chain of the object's own."""
        found = self._program.find(ref, name)
        chain = None if found is None or not depth else own_chain(found[1])
        if chain is None:
            return (), False
        before, _, last = chain.rpartition(".")
        if not before:
            return self.types(ref, last, depth) if last != name else ((), False)
        holders = self._follow(ref, tuple(chain.split(".")), depth)
        results = [self.types(step.holder, last, depth) for step in holders.last]
        types = tuple(sorted({t for kinds, _ in results for t in kinds}))
        return types, holders.sure and not holders.gone and all(sure for _, sure in results)

    def is_value(self, ref: ClassRef, name: str, depth: int = _DEPTH) -> bool:
        """Whether `name` of an instance of `ref` is certainly something that cannot be called."""
        provider = self._members.look(ref, name).provider
        if provider is None or not depth:
            return False
        if provider.kind in (MemberKind.PROPERTY, MemberKind.CACHED_PROPERTY):
            return self._returns_value(ref, name, depth - 1)
        if provider.kind is MemberKind.CLASS_ATTRIBUTE:
            attributes = [a for a in self._program.cls(provider.cls).attributes if a.name == name]
            return all(a.value is not None and is_plain(a.value) for a in attributes)
        return provider.kind is MemberKind.INSTANCE and holds_plain(self._program, ref, name)

    def _returns_value(self, ref: ClassRef, name: str, depth: int) -> bool:
        found = self._program.find(ref, name)
        if found is None or not found[1].returned:
            return False
        for value in found[1].returned:
            head, _, chain = value.text.partition(".")
            if value.op == "name" and head == found[1].first and chain:
                followed = self._follow(ref, tuple(chain.split(".")), depth)
                if not followed.sure or not all(self.is_value(s.holder, s.name, depth) for s in followed.last):
                    return False
            elif not is_plain(value):
                return False
        return True


def own_chain(function: Function) -> str | None:
    """ "a.b" of a function that does nothing but `return self.a.b`, or None where that is not there."""
    values = [value for value in function.returned if value.text != "None"]
    if len(values) != 1 or not function.params or function.stores:
        return None
    head, _, rest = values[0].text.partition(".")
    return rest if values[0].op == "name" and head == function.first and rest else None


def _given_to_others(function: Function, bound: bool) -> Iterator[str]:
    own = function.first if bound else ""
    for store in function.stores:
        holder, _, name = store.target.rpartition(".")
        if holder and holder != own:
            yield name


def _given(facts: Class) -> Iterator[str]:
    """Names that methods give their object by calls (setattr, register_buffer); "*" for a name that is computed."""
    for function in facts.functions:
        own = function.first
        if any(read.chain.startswith(f"{own}.__dict__") for read in function.reads):
            yield "*"
        for call in function.calls:
            callee, *arguments = call.expr.parts
            head, _, name = callee.text.rpartition(".")
            if callee.text in ("setattr", "object.__setattr__") and arguments and arguments[0].text == own:
                yield _literal(arguments[1:])
            elif name in _ADDERS and (head == own or callee.op == "attr"):
                yield _literal(arguments)
            elif callee.text not in _HARMLESS and any(a.op == "name" and a.text == own for a in arguments):
                yield "*"


def _literal(arguments: list[Expr]) -> str:
    first = arguments[0] if arguments else _OTHER
    return first.literal if first.op == "const" else "*"
