"""Who provides a member: the lookup that Python would do, over facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property

import msgspec
from msgspec.structs import replace

from shimgen.gaps.remaking import patched, remaking
from shimgen.model.calling import Taker, methods, takers
from shimgen.model.domain import ClassRef, Demand, MemberKind, Provider
from shimgen.model.facts import Class, ClassAttribute, Expr, Function
from shimgen.model.profile import Profile
from shimgen.model.program import Program

_FUNCTION_KINDS = {
    "method": MemberKind.METHOD,
    "property": MemberKind.PROPERTY,
    "cached_property": MemberKind.CACHED_PROPERTY,
    "classmethod": MemberKind.CLASSMETHOD,
    "staticmethod": MemberKind.STATICMETHOD,
}

# They set what they are told to.
_PASSING = frozenset(("__setattr__", "__setstate__"))
# They put something into a dictionary.
_FILLING = frozenset(("update", "setdefault", "__setitem__"))
# Kinds of members of a class that an attribute of the instance hides, as all but data descriptors are.
_YIELDING = frozenset(MemberKind) - {MemberKind.PROPERTY, MemberKind.OTHER}

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
    """Lookups for one program, kept. `planned` are members that shims of this run will add, `refused` those that a
    class would inherit from such a shim in vain."""

    def __init__(self, program: Program, profile: Profile) -> None:
        self._program = program
        self._externals = {name: ext for ext in profile.externals.values() for name in ext.names}
        self._planned: dict[tuple[ClassRef, str], Provider] = {}
        self._refused: set[tuple[ClassRef, str]] = set()
        self.look: Callable[[ClassRef, str], Lookup] = cache(self._look)
        self.computed: Callable[[ClassRef], str] = cache(lambda ref: next(self._computed(ref), ""))
        self._remaking = cache(lambda cls: remaking(program, cls).found)

    def plan(self, ref: ClassRef, member: str, provider: Provider) -> None:
        """Takes note that a shim will provide `member` on `ref` (and so on its subclasses)."""
        self._planned[ref, member] = provider
        self.look = cache(self._look)

    def refuse(self, ref: ClassRef, member: str) -> None:
        """Takes note that no shim gives `member` to instances of `ref`, not even one that the class inherits."""
        self._refused.add((ref, member))
        self.look = cache(self._look)

    def _look(self, ref: ClassRef, member: str) -> Lookup:
        """How instances of `ref` get `member`."""
        mro = self._program.mro(ref)
        attribute = self._program.attributes(ref).get(member)
        provider = self._found(ref, mro.classes, member)
        if attribute is not None and (provider is None or provider.kind in _YIELDING):
            found = Provider(ref, attribute.owner, attribute.line, MemberKind.INSTANCE, setter=True)
            return Lookup(found, initial=attribute.initial or provider is not None)
        if provider is not None:
            return Lookup(provider)
        covered = self._covered(ref)
        if covered:
            return Lookup(covered=covered)
        return self._outside(mro.externals, mro.unresolved, member)

    def _computed(self, ref: ClassRef) -> Iterator[str]:
        """Where methods of `ref` set attributes of their object whose names are not written out."""
        for cls, function in methods(self._program, ref):
            if function.name not in _PASSING and function.first:
                yield from map(cls.at, _any_set(function))
            for call in function.handed:
                others = takers(self._program, Taker(cls.path, function, cls), call)
                if any(any(_any_set(other.function)) for other in others):
                    yield cls.at(call.line)

    def remade(self, ref: ClassRef, member: str) -> Mapping[str, str] | None:
        """What may give a class, or one that it inherits from, the member besides its own statement."""
        for cls in self._program.mro(ref).classes:
            found = self._remaking(cls)
            who = found.get(member) or found.get("*")
            who = who or self._patched.get((cls, member)) or self._patched.get((cls, "*"))
            if who is not None:
                return {"maker": who[0], "site": who[1], "owner": cls.name}
        return None

    @cached_property
    def _patched(self) -> Mapping[tuple[ClassRef, str], tuple[str, str]]:
        return patched(self._program)

    def defines(self, cls: ClassRef, member: str) -> bool:
        """Whether the class itself binds `member`, in the checkout or by a shim of this run."""
        return (cls, member) in self._planned or self._defined(cls, cls, member) is not None

    def _found(self, ref: ClassRef, order: Sequence[ClassRef], member: str) -> Provider | None:
        """What the first class that binds the member makes of it: a stub there hides what is real behind it."""
        for cls in order:
            provider = self._defined(ref, cls, member)
            if provider is not None or _binding(self._program.cls(cls), member) is not None:
                return provider
        return None

    def _defined(self, ref: ClassRef, cls: ClassRef, member: str) -> Provider | None:
        facts = self._program.cls(cls)
        bound = _binding(facts, member)
        if isinstance(bound, ClassAttribute):
            kind = MemberKind.OTHER if bound.scope else MemberKind.CLASS_ATTRIBUTE
            return Provider(ref, cls, bound.line, kind)
        if bound is not None and not bound.stub:
            return _provider(ref, cls, facts, bound)
        planned = self._planned.get((cls, member))
        if planned is None or (ref, member) in self._refused:
            return None
        return replace(planned, candidate=ref)

    def _covered(self, ref: ClassRef) -> str:
        """The attribute that `__getattr__` of a class in the MRO reads through, "?" when it does something else."""
        for cls in self._program.mro(ref).classes:
            facts = self._program.cls(cls)
            bound = _binding(facts, "__getattribute__") or _binding(facts, "__getattr__")
            if isinstance(bound, Function) and bound.name == "__getattr__":
                if not bound.stub:
                    return _read_through(bound) or "?"
            elif bound is not None:
                return "?"
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

    @cached_property
    def known_to_models(self) -> frozenset[str]:
        """The members that any model class of the checkout defines, or gives to its instances."""
        classes = [self._program.cls(ref) for ref in self._program.model_classes()]
        functions = [function for cls in classes for function in cls.functions]
        given = (store.target.partition(".")[2] for function in functions for store in function.stores)
        valued = (attribute.name for cls in classes for attribute in cls.attributes if attribute.value is not None)
        return frozenset((*given, *valued, *(function.name for function in functions)))

    def functions(self, ref: ClassRef) -> Mapping[str, tuple[ClassRef, Function]]:
        """The functions that attribute access on an instance finds, by name."""
        result: dict[str, tuple[ClassRef, Function]] = {}
        for cls, function in methods(self._program, ref):
            if not function.stub and function.kind not in ("setter", "deleter"):
                result.setdefault(function.name, (cls, function))
        return result


def provided(
    program: Program, profile: Profile, classes: Sequence[ClassRef], demands: Sequence[Demand]
) -> Mapping[ClassRef, Mapping[str, Provider]]:
    """For each class the demanded members that its own MRO supplies, and who does."""
    members = Members(program, profile)
    found: dict[ClassRef, dict[str, Provider]] = {}
    for ref in classes:
        lookups = ((demand.member, members.look(ref, demand.member).provider) for demand in demands)
        found[ref] = {member: provider for member, provider in lookups if provider is not None}
    return found


def _binding(facts: Class, member: str) -> Function | ClassAttribute | None:
    """What a class body binds the member to in the end."""
    found: Function | ClassAttribute | None = None
    for function in facts.functions:
        if function.name == member and function.kind not in ("setter", "deleter"):
            found = function if found is None or function.line > found.line else found
    for attribute in facts.attributes:
        if attribute.name == member and attribute.value is not None:
            found = attribute if found is None or attribute.line > found.line else found
    return found


def _provider(ref: ClassRef, cls: ClassRef, facts: Class, function: Function) -> Provider:
    setter = any(f.name == function.name and f.kind == "setter" for f in facts.functions)
    kind = MemberKind.OTHER if function.scope else _FUNCTION_KINDS[function.kind]
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


def _any_set(function: Function) -> Iterator[int]:
    """The lines in which a function sets attributes of its first parameter whose names are not written out."""
    own = function.first
    setter, whole = Expr("name", f"{own}.__setattr__"), (f"{own}.__dict__", f"{own}.__class__")
    for call in function.calls:
        parts = call.expr.parts[1:]
        if _sets_any(call.expr, own) or setter in parts or {Expr("name", "setattr"), Expr("name", own)} <= {*parts}:
            yield call.line
    yield from (store.line for store in function.stores if store.target in whole or store.value == setter)


def _sets_any(call: Expr, own: str) -> bool:
    """A setattr on the object with a name that is not written out, or such an update of its __dict__."""
    callee, *arguments = call.parts
    if callee.text.rpartition(".")[2] in _FILLING and _is_dict_of(callee, own):
        values = arguments[: len(arguments) - len(call.keys)]
        return "**" in call.keys or not all(v.op == "const" or _is_written_out(v) for v in values[:1])
    if callee.text.rpartition(".")[2] not in ("setattr", "__setattr__") or len(arguments) < 2:
        return False
    whole = len(arguments) == 3 and arguments[0].text == own
    mine = whole or callee.op == "attr" or callee.text == f"{own}.__setattr__"
    return mine and arguments[-2].op != "const"


def _is_dict_of(callee: Expr, own: str) -> bool:
    """Whether a method of `self.__dict__` or `vars(self)` is called."""
    if callee.op == "name":
        return callee.text.rpartition(".")[0] == f"{own}.__dict__"
    return callee.op == "attr" and callee.parts[0] == Expr("call", "", (Expr("name", "vars"), Expr("name", own)))


def _is_written_out(value: Expr) -> bool:
    return value.op == "dict" and all(key[:1] in ("'", '"') for key in value.keys)


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
