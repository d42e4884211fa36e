"""Who provides a member: the lookup that Python would do, over facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec
from msgspec.structs import replace

from shimgen.model.domain import ClassRef, MemberKind, Provider
from shimgen.model.facts import Class, Expr, Function
from shimgen.model.profile import Profile
from shimgen.model.program import Program

_FUNCTION_KINDS = {
    "method": MemberKind.METHOD,
    "property": MemberKind.PROPERTY,
    "cached_property": MemberKind.CACHED_PROPERTY,
    "classmethod": MemberKind.CLASSMETHOD,
    "staticmethod": MemberKind.STATICMETHOD,
}

# Bases of the standard library that give instances no public member.
_EMPTY_BASES = frozenset(
    ("abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Generic", "typing_extensions.Protocol")
)


class Lookup(msgspec.Struct, frozen=True):
    """The answer for one class and member.

    `provider` when the checkout defines it; `external` names a base outside the checkout that provides it;
    `uncertain` a base that is not known and may. `covered` is the attribute that `__getattr__` hands on to, "?" when it
    does something else. `initial` is false for an attribute that only later methods set.
    """

    provider: Provider | None = None
    external: str = ""
    uncertain: str = ""
    covered: str = ""
    initial: bool = True


class Members:
    """Lookups for one program, kept. `planned` are members that shims of this run will add."""

    def __init__(self, program: Program, profile: Profile) -> None:
        self._program = program
        self._externals = {name: ext for ext in profile.externals.values() for name in ext.names}
        self._planned: dict[tuple[ClassRef, str], Provider] = {}
        self._known: dict[tuple[ClassRef, str], Lookup] = {}

    def plan(self, ref: ClassRef, member: str, provider: Provider) -> None:
        """Takes note that a shim will provide `member` on `ref` (and so on its subclasses)."""
        self._planned[ref, member] = provider
        self._known.clear()

    def look(self, ref: ClassRef, member: str) -> Lookup:
        """How instances of `ref` get `member`."""
        found = self._known.get((ref, member))
        if found is None:
            found = self._known[ref, member] = self._look(ref, member)
        return found

    def _look(self, ref: ClassRef, member: str) -> Lookup:
        mro = self._program.mro(ref)
        attribute = self._program.attributes(ref).get(member)
        provider = next((p for cls in mro.classes if (p := self._defined(ref, cls, member)) is not None), None)
        if provider is not None and provider.kind is not MemberKind.CLASS_ATTRIBUTE:
            return Lookup(provider)
        if attribute is not None:
            kind = MemberKind.INSTANCE
            return Lookup(Provider(ref, attribute.owner, attribute.line, kind, setter=True), initial=attribute.initial)
        if provider is not None:
            return Lookup(provider)
        covered = self._covered(ref)
        if covered:
            return Lookup(covered=covered)
        return self._outside(mro.externals, mro.unresolved, member)

    def computed(self, ref: ClassRef, member: str) -> str:
        """Where a constructor of `ref` sets attributes whose names may be `member`, "" when none does."""
        for cls in self._program.mro(ref).classes:
            for function in self._program.cls(cls).functions:
                if function.name == "__init__" and function.params:
                    for call in function.calls:
                        if _may_set(call.expr, function.first, member):
                            return cls.at(call.line)
        return ""

    def defines(self, cls: ClassRef, member: str) -> bool:
        """Whether the class itself binds `member`, in the checkout or by a shim of this run."""
        return self._defined(cls, cls, member) is not None

    def _defined(self, ref: ClassRef, cls: ClassRef, member: str) -> Provider | None:
        planned = self._planned.get((cls, member))
        facts = self._program.cls(cls)
        function = _definition(facts, member)
        if function is not None:
            return _provider(ref, cls, facts, function)
        for attribute in reversed(facts.attributes):
            if attribute.name == member and attribute.value is not None:
                return Provider(ref, cls, attribute.line, MemberKind.CLASS_ATTRIBUTE)
        return replace(planned, candidate=ref) if planned is not None else None

    def _covered(self, ref: ClassRef) -> str:
        """The attribute that `__getattr__` of a class in the MRO reads through, "?" when it does something else."""
        for cls in self._program.mro(ref).classes:
            function = _definition(self._program.cls(cls), "__getattr__")
            if function is not None:
                return _read_through(function) or "?"
        return ""

    def _outside(self, externals: tuple[str, ...], unresolved: tuple[str, ...], member: str) -> Lookup:
        for name in externals:
            known = self._externals.get(name)
            if known is not None and member in known.provides:
                return Lookup(external=name)
        unsure = [name for name in externals if not self.is_complete(name)] + list(unresolved)
        return Lookup(uncertain=unsure[0]) if unsure else Lookup()

    def is_complete(self, name: str) -> bool:
        """Whether all that an external base provides is known."""
        known = self._externals.get(name)
        return name in _EMPTY_BASES or (known is not None and known.complete)

    def known_to_models(self, member: str) -> bool:
        """Whether any model class of the checkout defines the member, or gives it to its instances."""
        return member in self._known_to_models

    @cached_property
    def _known_to_models(self) -> frozenset[str]:
        classes = [self._program.cls(ref) for ref in self._program.model_classes()]
        functions = [function for cls in classes for function in cls.functions]
        given = (store.target.partition(".")[2] for function in functions for store in function.stores)
        valued = (attribute.name for cls in classes for attribute in cls.attributes if attribute.value is not None)
        return frozenset((*given, *valued, *(function.name for function in functions)))

    def functions(self, ref: ClassRef) -> Mapping[str, tuple[ClassRef, Function]]:
        """The functions that attribute access on an instance finds, by name."""
        result: dict[str, tuple[ClassRef, Function]] = {}
        for cls in self._program.mro(ref).classes:
            for function in self._program.cls(cls).functions:
                if not function.stub and function.kind not in ("setter", "deleter"):
                    result.setdefault(function.name, (cls, function))
        return result


def _definition(facts: Class, member: str) -> Function | None:
    for function in reversed(facts.functions):
        if function.name == member and not function.stub and function.kind not in ("setter", "deleter"):
            return function
    return None


def _provider(ref: ClassRef, cls: ClassRef, facts: Class, function: Function) -> Provider:
    setter = any(f.name == function.name and f.kind == "setter" for f in facts.functions)
    kind = _FUNCTION_KINDS.get(function.kind, MemberKind.OTHER)
    return Provider(
        ref,
        cls,
        function.line,
        kind,
        function.params,
        function.returns,
        function.flavour,
        function.decorators,
        setter,
    )


def _may_set(call: Expr, own: str, member: str) -> bool:
    """A setattr on the object with that name or a computed one, or an update of its __dict__."""
    callee, *arguments = call.parts
    if callee.text in (f"{own}.__dict__.update", f"{own}.__setattr__"):
        return True
    if callee.text != "setattr" or len(arguments) != 3 or arguments[0].text != own:
        return False
    return arguments[1].op != "const" or arguments[1].text[1:-1] == member


def _read_through(function: Function) -> str:
    """X of a `return getattr(self.X, name)` in `__getattr__`."""
    if len(function.params) != 2:
        return ""
    own, name = (p.name for p in function.params)
    found = {chain for value in function.returned for chain in _getattr_targets(value, own, name)}
    return found.pop() if len(found) == 1 else ""


def _getattr_targets(value: Expr, own: str, name: str) -> Iterator[str]:
    if value.op == "call" and len(value.parts) >= 3:
        callee, target, key = value.parts[:3]
        is_getattr = callee.op == "name" and callee.text == "getattr" and key.op == "name" and key.text == name
        if is_getattr and target.op == "name" and target.text.startswith(f"{own}.") and target.text.count(".") == 1:
            yield target.text.partition(".")[2]
