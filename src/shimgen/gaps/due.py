"""Which demands concern a target model, and what it costs when it does not meet them."""

from __future__ import annotations

from collections.abc import Iterator

from shimgen.model.domain import Demand, Severity, Site, SiteKind

TARGET_ROLES = frozenset(("target", "any"))
_DEMANDING = (SiteKind.CALL, SiteKind.READ, SiteKind.DELETE, SiteKind.PROBE, SiteKind.SIGNATURE, SiteKind.CLASS)


def is_due(demand: Demand) -> bool:
    """Whether the engine needs the member of a target: some site uses it, not only assigns it."""
    return next(_needed(demand), None) is not None


def severity(demand: Demand) -> Severity:
    """Whether the engine fails without the member, or only does less."""
    return Severity.CRASH if any(demand.fails(site) for site in _needed(demand)) else Severity.SILENT


def _needed(demand: Demand) -> Iterator[Site]:
    kinds = (SiteKind.ISINSTANCE,) if demand.protocol is not None else _DEMANDING
    return (site for site in demand.asking(*kinds) if site.role in TARGET_ROLES)
