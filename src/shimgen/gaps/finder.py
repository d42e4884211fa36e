"""Demands x wrappers -> gaps, each with a decision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from shimgen.gaps.adoption import Adoptions
from shimgen.gaps.agreement import Draft, agreed
from shimgen.gaps.case import Case
from shimgen.gaps.drift import find_drift
from shimgen.gaps.due import TARGET_ROLES, is_due, severity
from shimgen.gaps.heirs import Heirs, on_class
from shimgen.gaps.hooks import hook_notes
from shimgen.gaps.members import Lookup, Members
from shimgen.gaps.reach import Reach
from shimgen.gaps.recipes import fitting, parameters
from shimgen.gaps.rules import judge
from shimgen.model.binding import common_params
from shimgen.model.domain import (
    CORE,
    ClassRef,
    Decision,
    Demand,
    Gap,
    MemberKind,
    Provider,
    Refusal,
    Severity,
    SiteKind,
    Wrapper,
)
from shimgen.model.profile import Profile
from shimgen.model.program import Program
from shimgen.model.reason import Reason

_RECIPE_FOR = frozenset((Reason.ABSENT, Reason.BODY_MEANING))


def find_gaps(
    program: Program, profile: Profile, wrappers: Sequence[Wrapper], demands: Sequence[Demand]
) -> tuple[Gap, ...]:
    """Every gap of every engine-facing wrapper, sorted by wrapper and member.

    Inner wrappers are decided before the wrappers that hold them, so that what a shim will provide below can be
    forwarded above. Gaps whose `demanded` is false complete an interface of which the wrapper gets a member.
    """
    facing = engine_facing(wrappers)
    finder = _Finder(program, profile, demands, facing)
    gaps = [gap for group in _inner_first(facing) for gap in finder.gaps_of(group)]
    drift = find_drift(program, profile, wrappers, demands, frozenset(w.cls for w in facing))
    return tuple(sorted([*gaps, *drift], key=lambda g: (g.wrapper.cls, g.member)))


def engine_facing(wrappers: Sequence[Wrapper]) -> tuple[Wrapper, ...]:
    """Target wrappers that the engine can hold, and those that such a wrapper holds."""
    known = {w.cls: w for w in wrappers}
    facing = {w.cls for w in wrappers if w.entry and w.role in TARGET_ROLES}
    queue = sorted(facing)
    while queue:
        inner = [c for c in known[queue.pop()].delegate.candidates if c in known and c not in facing]
        facing.update(inner)
        queue += inner
    return tuple(w for w in wrappers if w.cls in facing)


def _inner_first(wrappers: Sequence[Wrapper]) -> list[list[Wrapper]]:
    """Wrappers in groups that share the assigning class and attribute, delegates' groups first."""
    known = {w.cls: w for w in wrappers}
    depth: dict[ClassRef, int] = {}

    def level(ref: ClassRef, seen: frozenset[ClassRef]) -> int:
        if ref not in known or ref in seen:
            return 0
        if ref not in depth:
            below = (level(c, seen | {ref}) for c in known[ref].delegate.candidates)
            depth[ref] = 1 + max(below, default=0)
        return depth[ref]

    groups: dict[tuple[ClassRef, str], list[Wrapper]] = {}
    for wrapper in wrappers:
        groups.setdefault((wrapper.delegate.owner, wrapper.delegate.attribute), []).append(wrapper)
    return sorted(groups.values(), key=lambda g: (max(level(w.cls, frozenset()) for w in g), g[0].cls))


class _Finder:
    def __init__(
        self, program: Program, profile: Profile, demands: Sequence[Demand], facing: Sequence[Wrapper]
    ) -> None:
        self._program = program
        self._profile = profile
        self._members = Members(program, profile)
        self._reach = Reach(program, profile)
        self._heirs = Heirs(program, self._members)
        self._adoptions = Adoptions(program, profile, self._members, self._reach, demands)
        self._demands = {d.member: d for d in demands if d.member not in profile.ignore and d.protocol is None}
        inner = [w.cls for w in facing if not w.entry]
        self._holders = {c: [w.cls for w in facing if c in w.delegate.candidates] for c in inner}

    def gaps_of(self, group: Sequence[Wrapper]) -> list[Gap]:
        """Gaps of the wrappers that share one assigning class: what one of them cannot bear, none gets."""
        due = [demand for demand in self._demands.values() if is_due(demand)]
        adopting = self._adoptions.gaps_of(group)
        self._plan(adopting)
        folded = {w.cls: self._adoptions.folded(w) for w in group}
        drafts = [self._draft(w, d, demanded=True) for w in group for d in due if d.member not in folded[w.cls]]
        gaps = self._bequeathed(agreed(self._program, [d for d in drafts if d is not None]))
        completing = [self._draft(w, d, demanded=False) for w in group for d in self._missing_of(gaps, w)]
        extra = self._bequeathed(agreed(self._program, [d for d in completing if d is not None]))
        self._plan([*gaps, *extra])
        return [*gaps, *(gap for gap in extra if gap.reason is not Reason.ABSENT), *adopting]

    def _plan(self, gaps: Sequence[Gap]) -> None:
        """What shims of this run will provide is there for the wrappers around, where the wrapper is to have it: one
        that was refused it may inherit the shim, whose delegate has nothing to give there."""
        for gap in gaps:
            if gap.decision is Decision.REFUSE:
                self._members.refuse(gap.wrapper.cls, gap.member)
        closed = [gap for gap in gaps if gap.decision is not Decision.REFUSE and not gap.takes_base]
        handed = {(gap.target, gap.member) for gap in closed if gap.handed}
        for gap in closed:
            self._members.plan(gap.target, gap.member, _as_shim(gap, (gap.target, gap.member) in handed))

    def _bequeathed(self, gaps: Sequence[Gap]) -> list[Gap]:
        """The gaps, refused where a class without such a gap would inherit a shim that is wrong there."""
        decided: dict[str, list[ClassRef]] = {}
        for gap in gaps:
            decided.setdefault(gap.member, []).append(gap.wrapper.cls)
        return [self._borne(gap, decided[gap.member]) for gap in gaps]

    def _borne(self, gap: Gap, decided: Sequence[ClassRef]) -> Gap:
        unsuited = None if gap.decision is Decision.REFUSE else self._heirs.unsuited(gap, decided)
        if unsuited is None:
            return gap
        lower = replace(gap, place=gap.wrapper.cls)
        if on_class(gap) and self._heirs.unsuited(lower, decided) is None:
            return lower
        heir, why = unsuited
        detail = {"owner": gap.target.name, "other": heir.name, "why": why}
        return gap.refused(Refusal(Reason.SHARED, detail, f"write {gap.member} on {gap.wrapper.cls.name} by hand"))

    def _missing_of(self, gaps: Sequence[Gap], wrapper: Wrapper) -> Iterable[Demand]:
        """Members of the interfaces in which the wrapper gets something, that no demand asked of it."""
        mine = [g for g in gaps if g.wrapper is wrapper]
        asked = {g.member for g in mine}
        wanted = {
            member
            for g in mine
            if g.decision is not Decision.REFUSE
            for interface in g.interfaces
            if interface in self._profile.interfaces and interface != CORE
            for member in self._profile.interfaces[interface].members
            if member.isidentifier()
        }
        for member in sorted(wanted - asked):
            demand = self._demands.get(member) or Demand(member, (), self._interfaces(member))
            if not is_due(demand):
                yield demand

    def _interfaces(self, member: str) -> tuple[str, ...]:
        return tuple(n for n, i in sorted(self._profile.interfaces.items()) if member in i.members)

    def _draft(self, wrapper: Wrapper, demand: Demand, demanded: bool) -> Draft | None:
        own = self._members.look(wrapper.cls, demand.member)
        if _is_there(own) or not self._is_reached(wrapper.cls, demand.member):
            return None
        lookups = tuple(self._members.look(c, demand.member) for c in wrapper.delegate.candidates)
        covered = own.covered == wrapper.delegate.attribute and not demand.asking(SiteKind.CLASS)
        if covered and all(found.provider for found in lookups):
            return None
        case = Case(self._program, self._profile, self._members, self._reach, wrapper, demand, lookups)
        refusal = self._uncertain(own, wrapper, demand.member) or (_lacked_below(case) if covered else None)
        refusal = refusal or judge(case)
        if refusal is not None and not case.providers and self._is_engines_own(demand, refusal):
            return None
        assembled = fitting(case) if refusal is not None and refusal.reason in _RECIPE_FOR else None
        if assembled is not None:
            refusal = None
        gap = Gap(
            wrapper,
            demand.member,
            severity(demand) if demanded else Severity.SILENT,
            demand,
            Decision.REFUSE if refusal else Decision.RECIPE if assembled else Decision.FORWARD,
            () if assembled else case.providers,
            demanded=demanded,
            notes=() if refusal else hook_notes(case),
        )
        if assembled is not None:
            name, recipe, model = assembled
            gap = replace(gap, recipe=name, assembly=recipe, notes=(f"as {model} does it",))
        return Draft(gap, refusal)

    def _is_engines_own(self, demand: Demand, refusal: Refusal) -> bool:
        """Whether the engine keeps something of its own on the model: it assigns what no model defines, as far as the
        classes behind the wrapper are known."""
        if refusal.reason is Reason.UNKNOWN_DELEGATE:
            return _is_assigned(demand) and demand.member not in self._members.known_to_models
        return refusal.reason is Reason.ABSENT and _is_assigned(demand)

    def _is_reached(self, ref: ClassRef, member: str, below: frozenset[ClassRef] = frozenset()) -> bool:
        """Whether the engine gets to the wrapper for the member: it may hold it, or it gets to a wrapper around it that
        lacks the member."""
        holders = self._holders.get(ref)
        if holders is None:
            return True
        lacking = (h for h in holders if h not in below and not _is_there(self._members.look(h, member)))
        return any(self._is_reached(holder, member, below | {ref}) for holder in lacking)

    def _uncertain(self, own: Lookup, wrapper: Wrapper, member: str) -> Refusal | None:
        if own.covered and own.covered != wrapper.delegate.attribute:
            return Refusal(Reason.DYNAMIC)
        if own.uncertain:
            return Refusal(Reason.EXTERNAL, {"base": own.uncertain})
        site = self._members.computed(wrapper.cls)
        return Refusal(Reason.COMPUTED, {"site": site}) if site else None


def _lacked_below(case: Case) -> Refusal | None:
    """A `__getattr__` that hands on to the delegate gives what that has: only a class behind it can lack the member."""
    candidates = case.wrapper.delegate.candidates
    lacking = " / ".join(c.name for c, found in zip(candidates, case.lookups, strict=True) if found == Lookup())
    return Refusal(Reason.ABSENT, {"delegate": lacking}, f"implement {case.member} on {lacking}") if lacking else None


def _is_there(found: Lookup) -> bool:
    """Whether the class has the member from the start."""
    return (found.provider is not None and found.initial) or bool(found.external)


def _is_assigned(demand: Demand) -> bool:
    return any(site.role in TARGET_ROLES for site in demand.asking(SiteKind.WRITE))


def _as_shim(gap: Gap, handed: bool) -> Provider:
    """What the forward will be on the wrapper: values become properties, and a method that a property hands out is
    called like the method."""
    owner = gap.target
    if gap.assembly is not None:
        return Provider(owner, owner, owner.line, MemberKind.METHOD, parameters(gap.assembly))
    first = gap.providers[0]
    values = (MemberKind.INSTANCE, MemberKind.CACHED_PROPERTY, MemberKind.CLASS_ATTRIBUTE)
    kind = MemberKind.PROPERTY if first.kind in values else first.kind
    params = common_params([p.params for p in gap.providers]) or ()
    return replace(
        first, candidate=owner, cls=owner, line=owner.line, kind=kind, params=params, decorators=(), handed=handed
    )
