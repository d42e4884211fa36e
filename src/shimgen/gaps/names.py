"""Members that take or give names of modules and weights, which stand behind the wrapper's prefix."""

from __future__ import annotations

from collections.abc import Iterator

from shimgen.gaps.binding import fills
from shimgen.gaps.case import Case
from shimgen.model.domain import MemberKind, Provider
from shimgen.model.facts import Expr, Function, NamedParam
from shimgen.model.program import Program

_NAMED_ACCESS = frozenset(
    {"named_parameters", "named_modules", "named_buffers", "named_children", "state_dict", "load_state_dict"}
    | {"get_submodule", "get_parameter", "get_buffer"}
)
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
                yield f"dotted names at {provider.cls.path}:{attribute.line}"
        if provider.kind is MemberKind.INSTANCE:
            yield from _dotted_entries(case, provider)


def _parameters(case: Case, provider: Provider, function: Function) -> Iterator[str]:
    for param in function.names:
        known = _is_suffix(case.program, provider.cls.path, function, param, case.member)
        if not known and _is_given(case, provider, param.name):
            yield f"parameter {param.name}"


def _is_suffix(
    program: Program, path: str, function: Function, param: NamedParam, member: str, depth: int = _DEPTH
) -> bool:
    """Whether the parameter carries the last part of a name only, in every function that it is handed to as well.

    Where a function of the engine asks the same member of a model that it was given, nothing new is asked.
    """
    if not param.suffix or not depth:
        return False
    for callee, slot in param.handed:
        if function.kind == "function" and callee in {f"{p.name}.{member}" for p in function.params}:
            continue
        target = program.resolve(path, callee, function)
        found = program.module(target.path).functions if target.kind == "function" else ()
        inner = next((f for f in reversed(found) if f.name == target.name), None)
        taken = _slot(inner, slot) if inner is not None else None
        if inner is None or taken is None or not _is_suffix(program, target.path, inner, taken, member, depth - 1):
            return False
    return True


def _slot(function: Function, slot: str) -> NamedParam | None:
    """The parameter that an argument goes to, None when nothing is known of what becomes of it."""
    positional = [p.name for p in function.params if p.kind in ("posonly", "pos")]
    name = slot if not slot.isdigit() else positional[int(slot)] if int(slot) < len(positional) else ""
    return next((param for param in function.names if param.name == name), None)


def _is_given(case: Case, provider: Provider, name: str) -> bool:
    """Whether the engine gives the parameter a value: it has no default, or some call fills it."""
    if all(p.default is None for p in provider.params if p.name == name):
        return True
    params = provider.params if provider.kind is MemberKind.STATICMETHOD else provider.params[1:]
    return any(s.shape is not None and fills(s.shape, params, name) for s in case.demand.sites)


def _named_access(case: Case, provider: Provider) -> Iterator[str]:
    effects = case.reach.effects(provider.candidate, case.member)
    for chain, place in effects.called.items():
        if chain.rpartition(".")[2] in _NAMED_ACCESS:
            yield f"{chain} at {place}"


def _dotted_entries(case: Case, provider: Provider) -> Iterator[str]:
    """Places where an instance attribute is given a table of names that contain a dot."""
    for cls in case.program.mro(provider.candidate).classes:
        for function in case.program.cls(cls).functions:
            for store in function.stores:
                if store.target.partition(".")[2] == case.member and store.value and _has_dots(store.value):
                    yield f"dotted names at {cls.path}:{store.line}"


def _has_dots(value: Expr) -> bool:
    if value.op in ("const", "dict") and any("." in text for text in (value.text, *value.keys) if text[:1] in "'\""):
        return True
    return any(_has_dots(part) for part in value.parts)
