"""Declared interfaces: which a wrapper can take up by having the protocol as a base, since its delegate supports it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from shimgen.gaps.case import Case
from shimgen.gaps.contract import Contract, contract_of
from shimgen.gaps.due import is_due, severity
from shimgen.gaps.inherited import base_does_not_fit, body_serves
from shimgen.gaps.members import Lookup, Members
from shimgen.gaps.reach import Reach
from shimgen.gaps.results import not_handed_back
from shimgen.gaps.rules import judge
from shimgen.gaps.state import state
from shimgen.model.binding import binds, same_call
from shimgen.model.calling import is_never_made, made_instead
from shimgen.model.domain import (
    CALLABLE,
    ClassRef,
    Decision,
    Demand,
    Gap,
    MemberKind,
    Provider,
    Refusal,
    Severity,
    Wrapper,
)
from shimgen.model.facts import CallShape, Function
from shimgen.model.profile import Profile
from shimgen.model.program import Program
from shimgen.model.reason import Reason

ADOPT = "adopt"
"""The name by which a gap says that it is closed by a new base."""


class Plan(msgspec.Struct, frozen=True):
    """A wrapper that lacks a protocol: why it cannot take it up, or the members that come with the base."""

    wrapper: Wrapper
    refusal: Refusal | None = None
    parts: tuple[Case, ...] = ()


class Adoptions:
    """Decides for one program; what is adopted below counts as supported above."""

    def __init__(
        self, program: Program, profile: Profile, members: Members, reach: Reach, demands: Sequence[Demand]
    ) -> None:
        self._program = program
        self._profile = profile
        self._members = members
        self._reach = reach
        self._demands = {d.member: d for d in demands if d.protocol is None}
        self._asked = {d.protocol: d for d in demands if d.protocol is not None and is_due(d)}
        self._contracts = {protocol: contract_of(program, protocol) for protocol in self._asked}
        self._adopted: set[tuple[ClassRef, ClassRef]] = set()

    def folded(self, wrapper: Wrapper) -> frozenset[str]:
        """The members that are no gaps of their own: they belong to protocols that the wrapper does not support.

        A value of a protocol is one, unless the engine cannot do without it whatever the model supports.
        """
        own, others = set[str](), set[str]()
        for protocol, contract in self._contracts.items():
            loose = {name for name in contract.values - contract.marks if not self._is_needed(name)}
            mine = {*contract.brought, *contract.marks, *loose}
            (own if self.supports(wrapper.cls, protocol) else others).update(mine)
        return frozenset(others - own)

    def _is_needed(self, member: str) -> bool:
        """Whether some site fails without the member, whatever protocol the model has."""
        demand = self._demands.get(member)
        return demand is not None and any(demand.fails(site) for site in demand.sites)

    def supports(self, ref: ClassRef, protocol: ClassRef) -> bool:
        """Whether a class has the protocol as a base, or says so by its mark, or has all that it lists."""
        order = self._program.mro(ref).classes
        if protocol in order or any((cls, protocol) in self._adopted for cls in order):
            return True
        contract = self._contracts.get(protocol) or contract_of(self._program, protocol)
        return any(self._has(ref, mark) for mark in contract.marks) or all(self._has(ref, n) for n in contract.names)

    def _has(self, ref: ClassRef, member: str) -> bool:
        found = self._members.look(ref, member)
        return found.provider is not None and found.initial

    # -- decisions -----------------------------------------------------------------------------------------

    def gaps_of(self, group: Sequence[Wrapper]) -> list[Gap]:
        """The protocols that wrappers of one group lack, and the members that come with those they take up."""
        found: list[Gap] = []
        for protocol, demand in self._asked.items():
            plans = [self._plan(w, demand, protocol) for w in group if not self.supports(w.cls, protocol)]
            placed = [self._placed(plan, plans, protocol) for plan in plans]
            for plan, place in placed:
                if place is not None:
                    self._take_note(plan, place, protocol)
            found += [gap for plan, place in placed for gap in self._gaps(plan, place, demand, protocol)]
        return found

    def _take_note(self, plan: Plan, place: ClassRef, protocol: ClassRef) -> None:
        """From here on the class supports the protocol, and has what the protocol gives."""
        self._adopted.add((place, protocol))
        contract, brought = self._contracts[protocol], {case.member for case in plan.parts}
        candidate = plan.wrapper.delegate.candidates[0]
        for name in contract.names:
            given = self._members.look(candidate, name).provider
            if name not in brought and given is not None and not self._has(plan.wrapper.cls, name):
                self._members.plan(place, name, given)

    def _plan(self, wrapper: Wrapper, demand: Demand, protocol: ClassRef) -> Plan:
        contract = self._contracts[protocol]
        refusal = self._unsupported(wrapper, contract) or self._unlike(wrapper, contract)
        if refusal is not None:
            return Plan(wrapper, refusal)
        cases = tuple(self._cases(wrapper, demand, contract))
        parts = tuple(case for case in cases if not self._serves(case, contract))
        asked = ((case, judge(case) if case in parts else state(case)) for case in cases)
        return Plan(wrapper, next((_cannot(case, why) for case, why in asked if why is not None), None), parts)

    def _unsupported(self, wrapper: Wrapper, contract: Contract) -> Refusal | None:
        """Every candidate must support the protocol, and it must say what that means."""
        delegate = wrapper.delegate
        if delegate.unclear:
            return Refusal(Reason.UNKNOWN_DELEGATE, {"why": delegate.unclear}, _by_hand(wrapper, contract))
        lacking = [c.name for c in delegate.candidates if not self.supports(c, contract.protocol)]
        if lacking:
            advice = f"let {lacking[0]} support {contract.protocol.name} first"
            return Refusal(Reason.UNSUPPORTED, {"lacking": " and ".join(lacking)}, advice)
        return Refusal(Reason.MARK, {}, _by_hand(wrapper, contract)) if contract.is_mark else None

    def _unlike(self, wrapper: Wrapper, contract: Contract) -> Refusal | None:
        """The wrapper's bases must be known, and what it has of the protocol must be as the protocol says."""
        order = self._program.mro(wrapper.cls)
        unsure = [*order.unresolved, *(name for name in order.externals if not self._members.is_complete(name))]
        if unsure:
            return Refusal(Reason.EXTERNAL, {"base": unsure[0]}, _by_hand(wrapper, contract))
        for name, function in contract.left.items():
            own = self._members.look(wrapper.cls, name).provider
            if function is not None and own is not None and own.kind is MemberKind.METHOD and not _takes(own, function):
                place = own.cls.at(own.line)
                detail = {"own": name, "signature": own.signature, "place": place}
                return Refusal(Reason.OWN_MEMBER, detail, _by_hand(wrapper, contract))
        site = not_handed_back(self._program, self._profile, wrapper)
        return Refusal(Reason.RESULT, {"site": site}, _by_hand(wrapper, contract)) if site else None

    def _cases(self, wrapper: Wrapper, demand: Demand, contract: Contract) -> Iterator[Case]:
        """The members that the wrapper has not, or would have from the protocol only."""
        for name in contract.names:
            if self._has(wrapper.cls, name) or self._members.look(wrapper.cls, name).external:
                continue
            lookups = tuple(self._members.look(c, name) for c in wrapper.delegate.candidates)
            if name in contract.values and _given(lookups, contract):
                continue
            asked = self._demands.get(name) or Demand(name, (), demand.interfaces)
            yield Case(self._program, self._profile, self._members, self._reach, wrapper, asked, lookups)

    def _serves(self, case: Case, contract: Contract) -> bool:
        """Whether the protocol's own method does it, on the wrapper as on the delegate."""
        mine = case.member in contract.bodies and _given(case.lookups, contract)
        return mine and body_serves(self._program, self._members, case.wrapper, contract, case.member)

    # -- places --------------------------------------------------------------------------------------------

    def _placed(self, plan: Plan, plans: Sequence[Plan], protocol: ClassRef) -> tuple[Plan, ClassRef | None]:
        """The class that takes up the base: the one that assigns the delegate, for all that inherit from it, else the
        wrapper itself; a refusal where a class below would get it wrongly."""
        if plan.refusal is not None:
            return plan, None
        owner, own = plan.wrapper.delegate.owner, plan.wrapper.cls
        unlike = self._unlike_below(owner, plans, protocol)
        if unlike is None and all(_alike(plan, other) for other in plans if other.refusal is None):
            place = owner
        else:
            place, unlike = own, self._unlike_below(own, plans, protocol)
        if unlike is not None:
            other, why = unlike
            return Plan(
                plan.wrapper, Refusal(Reason.SHARED, {"owner": place.name, "other": other.name, "why": why})
            ), None
        fault = base_does_not_fit(self._program, place, self._contracts[protocol])
        return (Plan(plan.wrapper, Refusal(Reason.PLACE, {"why": fault})), None) if fault else (plan, place)

    def _unlike_below(self, place: ClassRef, plans: Sequence[Plan], protocol: ClassRef) -> tuple[ClassRef, str] | None:
        """The first class that would inherit the base and cannot bear it, and why."""
        accepted = {plan.wrapper.cls for plan in plans if plan.refusal is None}
        refused = {plan.wrapper.cls: plan for plan in plans if plan.refusal is not None}
        for heir in self._program.model_classes():
            if heir in (place, *accepted) or place not in self._program.mro(heir).classes:
                continue
            made = made_instead(self._program, heir) if is_never_made(self._program, heir) else ()
            if made and all(cls in accepted or self.supports(cls, protocol) for cls in made):
                continue
            if heir in refused:
                gap = Gap(refused[heir].wrapper, protocol.name, Severity.SILENT, Demand("", (), ()), Decision.REFUSE)
                return heir, gap.refused(refused[heir].refusal).sentence
            if not self.supports(heir, protocol):
                return heir, f"nothing shows that it can support {protocol.name}"
        return None

    def _gaps(self, plan: Plan, place: ClassRef | None, demand: Demand, protocol: ClassRef) -> Iterator[Gap]:
        """The gap of the protocol itself, and a gap for each member that comes with the base."""
        gap = Gap(plan.wrapper, demand.member, severity(demand), demand, Decision.REFUSE, protocol=protocol)
        if place is None:
            yield gap.refused(plan.refusal)
            return
        bases = tuple(Provider(c, protocol, protocol.line, MemberKind.BASE) for c in plan.wrapper.delegate.candidates)
        brought = ", ".join(case.member for case in plan.parts)
        note = f"comes with {brought}" if brought else "all that it asks for is there"
        yield replace(gap, decision=Decision.RECIPE, recipe=ADOPT, providers=bases, notes=(note,), place=place)
        for case in plan.parts:
            due = is_due(case.demand)
            cost = severity(case.demand) if due else Severity.SILENT
            made = Gap(plan.wrapper, case.member, cost, case.demand, Decision.FORWARD, case.providers, demanded=due)
            yield replace(made, protocol=protocol, place=place)


def _given(lookups: Sequence[Lookup], contract: Contract) -> bool:
    """Whether every candidate has a member from the protocol itself."""
    return all(found.provider is not None and found.provider.cls in contract.classes for found in lookups)


def _alike(plan: Plan, other: Plan) -> bool:
    """Whether the members that come with the base can be the same for both wrappers."""
    mine, theirs = ({case.member: case.providers for case in p.parts} for p in (plan, other))
    return mine.keys() == theirs.keys() and all(_same(mine[name], theirs[name]) for name in mine)


def _same(mine: Sequence[Provider], theirs: Sequence[Provider]) -> bool:
    first, second = mine[0], theirs[0]
    return (first.kind in CALLABLE and second.kind in CALLABLE and same_call(first, second)) or not (
        {first.kind, second.kind} & CALLABLE
    )


def _takes(own: Provider, function: Function) -> bool:
    """Whether a method takes what a protocol says that callers pass, by name."""
    names = tuple(p.name for p in function.params[1:] if p.kind in ("pos", "kwonly"))
    return binds(CallShape(keywords=names), own.params[1:])


def _cannot(case: Case, refusal: Refusal) -> Refusal:
    gap = Gap(case.wrapper, case.member, Severity.SILENT, case.demand, Decision.REFUSE)
    return Refusal(Reason.INTERFACE, {"why": gap.refused(refusal).sentence}, refusal.advice)


def _by_hand(wrapper: Wrapper, contract: Contract) -> str:
    return f"let {wrapper.cls.name} support {contract.protocol.name} by hand"
