"""Members that take or give names of modules and weights, which stand behind the wrapper's prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from shimgen.gaps.case import Case
from shimgen.model.binding import fills
from shimgen.model.calling import POSITIONAL, methods, routine
from shimgen.model.domain import ClassRef, MemberKind, Provider
from shimgen.model.facts import Class, Expr, Function, NamedParam, is_dotted
from shimgen.model.program import Program

_NAMED_ACCESS = frozenset(
    {"named_parameters", "named_modules", "named_buffers", "named_children", "state_dict", "load_state_dict"}
    | {"get_submodule", "get_parameter", "get_buffer"}
)
# A member of such a name gives names, or what they begin with.
_SPEAKS = re.compile(r"(?:^|_)(?:names?(?:_|$)|prefix(?:es)?$)")
_CONTAINERS = frozenset(("dict", "list", "tuple", "set", "frozenset", "OrderedDict", "collections.OrderedDict"))
_DEPTH = 4


def carried_names(case: Case) -> Iterator[str]:
    """What shows that names pass through the member, nothing when nothing does."""
    if case.member in case.profile.models.weight_members:
        yield "it is listed as such in the profile"
    for provider in case.providers:
        facts = case.program.cls(provider.cls)
        for function in facts.functions:
            if function.name == case.member:
                yield from _parameters(case, provider, function)
                yield from _named_access(case, provider)
        for attribute in facts.attributes:
            if attribute.name == case.member and attribute.dotted:
                yield f"dotted names at {provider.cls.at(attribute.line)}"
        if provider.kind is MemberKind.INSTANCE:
            yield from _dotted_entries(case, provider)
        if _SPEAKS.search(case.member) and not _says_otherwise(facts, case.member):
            yield "its own name says so"


def _says_otherwise(facts: Class, member: str) -> bool:
    """Whether more is known of the member than its name: its parameters carry the names, or it is an empty table."""
    taken = any(function.names for function in facts.functions if function.name == member)
    values = [attribute.value for attribute in facts.attributes if attribute.name == member]
    return taken or any(value is not None and value.op in ("seq", "dict") and not value.parts for value in values)


def _parameters(case: Case, provider: Provider, function: Function) -> Iterator[str]:
    seen = _Followed(case.program, provider.candidate, case.member)
    for param in function.names:
        if not seen.is_suffix(provider.cls, function, param) and _is_given(case, provider, param.name):
            yield f"parameter {param.name}"


class _Followed(msgspec.Struct, frozen=True):
    """Follows a parameter of `member` of a model class through the functions that it is handed to."""

    program: Program
    model: ClassRef
    member: str

    def is_suffix(self, owner: ClassRef, function: Function, param: NamedParam, depth: int = _DEPTH) -> bool:
        """Whether the parameter carries the last part of a name only, in every function that it is handed to as well.

        `owner` is the class that defines the function, or one whose file it stands in. Where a function of the engine
        asks the same member of a model that it was given, nothing new is asked.
        """
        return param.suffix and depth > 0 and all(self._fits(owner, function, *h, depth) for h in param.handed)

    def _fits(self, owner: ClassRef, function: Function, callee: str, slot: str, depth: int) -> bool:
        if function.kind == "function" and callee in {f"{p.name}.{self.member}" for p in function.params}:
            return True
        found = self._called(owner, function, callee)
        taken = _slot(found[1], slot) if found is not None else None
        return found is not None and taken is not None and self.is_suffix(*found, taken, depth - 1)

    def _called(self, owner: ClassRef, function: Function, callee: str) -> tuple[ClassRef, Function] | None:
        head, _, name = callee.rpartition(".")
        if function.kind != "function" and head == "super()":
            order = self.program.mro(self.model).classes
            above = order[order.index(owner) + 1 :] if owner in order else ()
            return next((found for ref in above if (found := self.program.find(ref, name)) is not None), None)
        if function.kind == "method" and head == function.first:
            return self.program.find(self.model, name)
        target = self.program.resolve(owner.path, callee, function)
        handed = routine(self.program, target)
        return (ClassRef(target.path, ""), handed) if handed is not None else None


def _slot(function: Function, slot: str) -> NamedParam | None:
    """The parameter that an argument goes to, None when nothing is known of what becomes of it."""
    params = function.params[1:] if function.kind in ("method", "classmethod") else function.params
    positional = [p.name for p in params if p.kind in POSITIONAL]
    name = slot if not slot.isdigit() else positional[int(slot)] if int(slot) < len(positional) else ""
    return next((param for param in function.names if param.name == name), None)


def _is_given(case: Case, provider: Provider, name: str) -> bool:
    """Whether the engine gives the parameter a value: it has no default, or some call fills it."""
    if all(p.default is None for p in provider.params if p.name == name):
        return True
    return any(s.shape is not None and fills(s.shape, provider.taken, name) for s in case.demand.sites)


def _named_access(case: Case, provider: Provider) -> Iterator[str]:
    effects = case.reach.effects(provider.candidate, case.member)
    for chain, place in effects.called.items():
        if chain.rpartition(".")[2] in _NAMED_ACCESS:
            yield f"{chain} at {place}"


def _dotted_entries(case: Case, provider: Provider) -> Iterator[str]:
    """Places where an instance attribute is given a table of names that contain a dot."""
    for cls, function in methods(case.program, provider.candidate):
        for store in function.stores:
            if store.target.partition(".")[2] == case.member and store.value and _has_dots(store.value):
                yield f"dotted names at {cls.at(store.line)}"


def _has_dots(value: Expr) -> bool:
    """Whether a value is, or holds, a dotted name; the arguments of a call are not what it gives."""
    if value.op == "call" and value.parts[0].text not in _CONTAINERS:
        return False
    literals = (text for text in (value.text, *value.keys) if value.op in ("const", "dict") and text[:1] in "'\"")
    return any(is_dotted(text[1:-1]) for text in literals) or any(_has_dots(part) for part in value.parts)
