"""Members that the engine gathers from the parts of a model which has none of its own."""

from __future__ import annotations

from collections.abc import Iterator

from shimgen.gaps.case import Case, by_hand
from shimgen.model.domain import Refusal, Site, SiteKind
from shimgen.model.facts import Expr, Function
from shimgen.model.reason import Reason

_PARTS = frozenset(("children", "named_children", "modules", "named_modules"))


def gathered(case: Case) -> Refusal | None:
    """A forward would answer for the whole model with what one part says, where the engine asked all of them."""
    for site in case.demand.sites:
        if site.kind is SiteKind.PROBE and not site.ambiguous and _asks_parts(case, site):
            detail = {"site": site.place}
            return Refusal(Reason.GATHERED, detail, by_hand(case))
    return None


def _asks_parts(case: Case, site: Site) -> bool:
    """Whether the function around a probe goes through the parts of the same model and looks for the member there."""
    for function in _around(case, site):
        calls = [(call.expr, call.line) for call in function.calls]
        calls += [(s.value, s.line) for s in function.stores if s.value is not None and s.value.op == "call"]
        probed = {(_probed(call, case.member), line) for call, line in calls}
        models = {text for text, line in probed if text and line == site.line}
        parts = {f"{model}.{name}" for model in models for name in _PARTS}
        if any(call.parts[0].text in parts for call, _ in calls) and {text for text, _ in probed} - {"", *models}:
            return True
    return False


def _around(case: Case, site: Site) -> Iterator[Function]:
    module = case.program.module(site.path)
    for function in (*module.functions, *(f for cls in module.classes for f in cls.functions)):
        if function.line <= site.line <= function.end_line:
            yield function


def _probed(call: Expr, member: str) -> str:
    """The name on which a call looks for the member, "" when it does something else."""
    callee, *arguments = call.parts
    looks = callee.text in ("hasattr", "getattr") and len(arguments) > 1 and arguments[1] == Expr("const", repr(member))
    return arguments[0].text if looks else ""
