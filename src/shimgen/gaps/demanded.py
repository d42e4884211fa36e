"""Demands of two revisions -> what the engine asks for now, no longer, and in another way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from shimgen.model.domain import CORE, Demand, Scope, Severity, SiteKind
from shimgen.model.facts import CallShape
from shimgen.model.upgrade import DemandChange, DemandFate

ALIKE = 0.6
_ASKING = frozenset(SiteKind) - {SiteKind.WRITE, SiteKind.ISINSTANCE}


def compare_demands(old: Sequence[Demand], new: Sequence[Demand], scope: Scope) -> tuple[DemandChange, ...]:
    """The demands that came, went or changed, sorted by member. A pair that looks renamed is one change."""
    before, after = ({d.member: d for d in map(_asked, side) if d.sites} for side in (old, new))
    gone, came = before.keys() - after.keys(), after.keys() - before.keys()
    renamed = _renamed([before[name] for name in sorted(gone)], [after[name] for name in sorted(came)])
    changes = [_change(DemandFate.RENAMED, before[was], after[now]) for was, now in renamed.items()]
    changes += [_change(DemandFate.GONE, before[name], None) for name in gone - renamed.keys()]
    changes += [_change(DemandFate.NEW, None, after[name]) for name in came - set(renamed.values())]
    both = (_change(DemandFate.CALLS, before[name], after[name]) for name in before.keys() & after.keys())
    changes += [c for c in both if (c.old, c.old_severity) != (c.new, c.new_severity)]
    return tuple(sorted((c for c in changes if _in_scope(c, scope)), key=lambda c: c.member))


def _asked(demand: Demand) -> Demand:
    """The demand with the sites that ask for the member only."""
    return replace(demand, sites=demand.asking(*(_ASKING if demand.protocol is None else (SiteKind.ISINSTANCE,))))


def _in_scope(change: DemandChange, scope: Scope) -> bool:
    names = {change.member, change.before}
    interfaces = set(change.interfaces or (CORE,))
    return (not scope.members or bool(names & set(scope.members))) and (
        not scope.interfaces or bool(interfaces & set(scope.interfaces))
    )


def _change(fate: DemandFate, old: Demand | None, new: Demand | None) -> DemandChange:
    sides = [demand for demand in (new, old) if demand is not None]
    return DemandChange(
        sides[0].member,
        fate,
        tuple(sorted({name for side in sides for name in side.interfaces})),
        tuple(sorted({role for side in sides for role in side.roles})),
        _calls(old),
        _calls(new),
        _severity(old),
        _severity(new),
        sides[1].member if fate is DemandFate.RENAMED else "",
        sides[0].sites,
    )


def _severity(demand: Demand | None) -> Severity | None:
    if demand is None:
        return None
    return Severity.CRASH if any(demand.fails(site) for site in demand.sites) else Severity.SILENT


def _calls(demand: Demand | None) -> tuple[str, ...]:
    """The ways in which the engine uses the member, as source: `(_, key=_)`, or the kind of use."""
    if demand is None:
        return ()
    calls = {spell(site.shape) for site in demand.sites if site.kind is SiteKind.CALL and site.shape is not None}
    others = {site.kind.value for site in demand.sites if site.kind in (SiteKind.READ, SiteKind.CLASS)}
    return (*sorted(calls), *sorted(others))


def spell(shape: CallShape) -> str:
    """How a call passes its arguments, with `_` for each value."""
    parts = ["_"] * shape.positional + ["*_"] * shape.star
    parts += [f"{name}=_" for name in shape.keywords] + ["**_"] * shape.double_star
    return f"({', '.join(parts)})"


def _renamed(gone: Sequence[Demand], came: Sequence[Demand]) -> dict[str, str]:
    """Old name -> new name of the pairs that look like one demand, the most alike first."""
    pairs = sorted(_pairs(gone, came), reverse=True)
    found: dict[str, str] = {}
    for _, was, now in pairs:
        if was not in found and now not in found.values():
            found[was] = now
    return found


def _pairs(gone: Sequence[Demand], came: Sequence[Demand]) -> Iterator[tuple[float, str, str]]:
    from difflib import SequenceMatcher  # slow to import, and only upgrades need it

    for old in gone:
        for new in came:
            alike = SequenceMatcher(None, old.member, new.member).ratio()
            if alike >= ALIKE and (_files(old) & _files(new) or _interfaces(old) & _interfaces(new)):
                yield alike, old.member, new.member


def _files(demand: Demand) -> set[str]:
    return {site.path for site in demand.sites}


def _interfaces(demand: Demand) -> set[str]:
    """The features that need the member; the core is none, since most of what no feature names is in it."""
    return set(demand.interfaces) - {CORE}
