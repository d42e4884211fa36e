"""An analysis as one HTML page that needs nothing else (`templates/report/scan.html.j2`)."""

from __future__ import annotations

from typing import Any

from shimgen.model.domain import Decision, Gap, Wrapper
from shimgen.model.results import Analysis
from shimgen.report import text
from shimgen.templating import fill


def render(analysis: Analysis) -> str:
    """The page: the totals, and the wrappers that have gaps with these and the places that ask for them."""
    gaps: dict[Wrapper, list[Gap]] = {}
    for gap in analysis.gaps:
        gaps.setdefault(gap.wrapper, []).append(gap)
    wrappers = [_wrapper(wrapper, gaps[wrapper]) for wrapper in analysis.wrappers if wrapper in gaps]
    fields = {"baseline": text.baseline(analysis), "totals": list(text.totals(analysis)), "wrappers": wrappers}
    return fill("report/scan.html", fields)


def _wrapper(wrapper: Wrapper, gaps: list[Gap]) -> dict[str, Any]:
    return {
        "name": wrapper.cls.name,
        "holds": text.holds(wrapper),
        "place": text.place(wrapper.cls.path, wrapper.cls.line),
        "gaps": [_gap(gap) for gap in text.by_severity(gaps)],
    }


def _gap(gap: Gap) -> dict[str, Any]:
    return {
        "member": gap.member,
        "decision": gap.decision.value,
        "severity": gap.severity.value,
        "why": gap.sentence if gap.decision is Decision.REFUSE else text.because(gap),
        "asked": text.asked(gap),
        "sites": list(text.sites(gap.demand.sites)),
    }
