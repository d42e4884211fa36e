"""Members for which the engine has an answer for the whole model, where a model has none of its own."""

from __future__ import annotations

from collections.abc import Iterator

from shimgen.gaps.asked import probed
from shimgen.gaps.case import Case, by_hand
from shimgen.model.domain import Provider, Refusal, Site, SiteKind
from shimgen.model.facts import Expr, Function
from shimgen.model.reason import Reason

_NONE = Expr("const", "None")
_PARTS = frozenset(("children", "named_children", "modules", "named_modules"))


def gathered(case: Case) -> Refusal | None:
    """A forward would answer for the whole model with what one part says, where the engine asked all of them, or had
    a list of its own for all of them."""
    for site in case.demand.sites:
        if site.kind is not SiteKind.PROBE or site.ambiguous:
            continue
        how = "gathers it from all parts" if _asks_parts(case, site) else ""
        if not how and all(_is_list(case, p) for p in case.providers) and _has_a_list(case, site):
            how = "has one for all parts"
        if how:
            return Refusal(Reason.GATHERED, {"how": how, "site": site.place}, by_hand(case))
    return None


def _asks_parts(case: Case, site: Site) -> bool:
    """Whether the function around a probe goes through the parts of the same model and looks for the member there."""
    for function in _around(case, site):
        calls = [(call.expr, call.line) for call in function.calls]
        calls += [(s.value, s.line) for s in function.stores if s.value is not None and s.value.op == "call"]
        found = {(probed(call, case.member), line) for call, line in calls}
        models = {text for text, line in found if text and line == site.line}
        parts = {f"{model}.{name}" for model in models for name in _PARTS}
        if any(call.parts[0].text in parts for call, _ in calls) and {text for text, _ in found} - {"", *models}:
            return True
    return False


def _is_list(case: Case, provider: Provider) -> bool:
    """Whether the class has texts in a row: these and no others."""
    values = [a.value for a in case.program.cls(provider.cls).attributes if a.name == case.member]
    return any(v is not None and v.op == "seq" and {part.op for part in v.parts} == {"const"} for v in values)


def _has_a_list(case: Case, site: Site) -> bool:
    """Whether the function around a probe takes something else than nothing for a member that is missing."""
    for function in _around(case, site):
        values = [(store.target, store.value) for store in function.stores if store.value is not None]
        taken = {target for target, value in values if value.op == "name" and value.text.endswith(f".{case.member}")}
        others = [v for target, v in values if target in taken and not v.text.endswith(f".{case.member}")]
        others += [v.parts[3] for _, v in values if probed(v, case.member) and len(v.parts) > 3]
        if any(not (value.op in ("seq", "dict") and not value.parts) and value != _NONE for value in others):
            return True
    return False


def _around(case: Case, site: Site) -> Iterator[Function]:
    module = case.program.module(site.path)
    for function in (*module.functions, *(f for cls in module.classes for f in cls.functions)):
        if function.line <= site.line <= function.end_line:
            yield function
