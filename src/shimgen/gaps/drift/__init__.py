"""Members that are there and wrong. Reported, never changed: nothing is emitted over upstream's own code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shimgen.gaps.drift.calls import wrong_uses
from shimgen.gaps.drift.chains import Chains
from shimgen.gaps.drift.definitions import doubles, stale_copies
from shimgen.gaps.drift.finding import Context, Finding
from shimgen.gaps.drift.names import near_names, old_names
from shimgen.gaps.drift.near import NearNames
from shimgen.gaps.drift.targets import wrong_targets
from shimgen.gaps.members import Members
from shimgen.model.domain import ClassRef, Decision, Demand, Gap, Severity, SiteKind, Wrapper
from shimgen.model.profile import Profile
from shimgen.model.program import Program

_LINTS = (wrong_uses, wrong_targets, near_names, old_names, doubles, stale_copies)


def find_drift(
    program: Program,
    profile: Profile,
    wrappers: Sequence[Wrapper],
    demands: Sequence[Demand],
    facing: frozenset[ClassRef],
) -> tuple[Gap, ...]:
    """Gaps of severity drift, all refused, sorted by wrapper, member and place.

    What the engine asks is held against the wrappers in `facing`, the rest against all. What several wrappers
    inherit is said once where it is the same for all of them: of the class that defines it, if that is a wrapper.
    """
    members = Members(program, profile)
    chains = Chains(program, members, (d.member for d in demands if any(s.kind is SiteKind.WRITE for s in d.sites)))
    named = {d.member: d for d in demands}
    context = Context(program, members, chains, named, facing, NearNames(named))
    found = [finding for wrapper in wrappers for lint in _LINTS for finding in lint(context, wrapper)]
    upstreams = [finding for finding in found if not _is_shim(program, finding)]
    gaps = [_gap(context, finding) for finding in _once(upstreams)]
    return tuple(sorted(gaps, key=lambda g: (g.wrapper.cls, g.member, *map(_natural, (g.detail["place"], g.sentence)))))


def _natural(text: str) -> list[str | int]:
    """By which texts sort so that line 9 comes before line 10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", text)]


def _is_shim(program: Program, finding: Finding) -> bool:
    """Whether the member is shimgen's own: that is judged by the source without it (`gaps.stale`)."""
    cls, own = program.cls(finding.owner), program.module(finding.owner.path).own
    lines = [function.line for function in cls.functions if function.name == finding.member]
    lines += [attribute.line for attribute in cls.attributes if attribute.name == finding.member]
    return not set(own).isdisjoint(lines)


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """One finding of those that say the same of the same code."""
    kept: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        key = (finding.owner, finding.member, finding.reason, tuple(sorted(finding.detail.items())))
        if key not in kept or finding.wrapper.cls == finding.owner:
            kept[key] = finding
    return list(kept.values())


def _gap(context: Context, finding: Finding) -> Gap:
    """The refused gap; its demand is the engine's, if there is one, of this name or of the one that was meant."""
    asked = context.demands.get(finding.detail.get("wanted", finding.member))
    demand = Demand(finding.member, asked.sites if asked else (), asked.interfaces if asked else ())
    return Gap(
        finding.wrapper,
        finding.member,
        Severity.DRIFT,
        demand,
        Decision.REFUSE,
        reason=finding.reason,
        detail=finding.detail,
        advice=finding.advice,
    )
