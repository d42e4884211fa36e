"""Delegates whose own member is a forward to what is not there: another forward above it would not help."""

from __future__ import annotations

from shimgen.gaps.case import Case
from shimgen.model.calling import methods
from shimgen.model.domain import ClassRef, Provider, Refusal
from shimgen.model.facts import Expr, Function
from shimgen.model.reason import Reason


def hollow(case: Case) -> Refusal | None:
    """What a member is handed on to must be there on some class that may be behind it."""
    for provider in case.providers:
        function = next((f for f in case.program.cls(provider.cls).functions if f.line == provider.line), None)
        chain = _handed_on_to(function) if function is not None and function.name == case.member else ""
        lacking = _lacking(case, provider, chain) if chain else ()
        if lacking:
            names = ", ".join(ref.name for ref in lacking)
            detail = {"provider": provider.cls.name, "chain": chain, "lacking": names}
            return Refusal(Reason.HOLLOW, detail, f"implement {case.member} on {names} first")
    return None


def _handed_on_to(function: Function) -> str:
    """ "model.first" of a member that is nothing but `self.model.first`, or a call of it, whether or not the model gets
    a local name before; "" for any other."""
    if not function.params or len(function.stores) > 1 or len(function.returned) > 1:
        return ""
    kept = next(iter(function.stores), None)
    calls = (call.expr for call in function.calls)
    values = [call.parts[0] for call in calls if kept is None or call != kept.value] or list(function.returned)
    if len(values) != 1 or values[0].op != "name":
        return ""
    own, _, chain = values[0].text.partition(".")
    if kept is not None:
        chain = f"{_held(kept.value, function.first)}.{chain}" if kept.target == own else ""
    return chain if (kept is not None or own == function.first) and chain.count(".") == 1 else ""


def _held(value: Expr | None, own: str) -> str:
    """The attribute X of `self.X` or of `getattr(self, "X", None)`."""
    if value is None:
        return ""
    if value.op == "call" and value.parts[0].text == "getattr" and len(value.parts) > 2 and value.parts[1].text == own:
        return value.parts[2].literal
    return value.text.partition(f"{own}.")[2] if value.op == "name" else ""


def _lacking(case: Case, provider: Provider, chain: str) -> tuple[ClassRef, ...]:
    """The classes behind the first name of the chain when all are known, and none of them has the second."""
    name, _, member = chain.partition(".")
    attribute = case.program.attributes(provider.candidate).get(name)
    if attribute is None or attribute.unknown or attribute.externals or _is_given(case, provider.candidate, chain):
        return ()
    found = [case.members.look(kind, member) for kind in attribute.types]
    there = (f.provider or f.external or f.uncertain or f.covered for f in found)
    return () if any(there) else attribute.types


def _is_given(case: Case, ref: ClassRef, chain: str) -> bool:
    """Whether the delegate itself gives the inner object that attribute: self.model.first = 0."""
    stores = (store for _, function in methods(case.program, ref) for store in function.stores)
    return any(store.target.partition(".")[2] == chain for store in stores)
