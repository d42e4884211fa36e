"""Wrappers that share the class which assigns the delegate: where one forward stands that suits all that inherit it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from shimgen.gaps.heirs import on_class
from shimgen.model.binding import same_call
from shimgen.model.domain import CALLABLE, ClassRef, Gap, Refusal
from shimgen.model.program import Program
from shimgen.model.reason import Reason


class Draft(msgspec.Struct, frozen=True):
    """A gap before its group has agreed."""

    gap: Gap
    refusal: Refusal | None

    @property
    def alone(self) -> Gap:
        """The gap as it is decided without the others."""
        return self.gap.refused(self.refusal)


def agreed(program: Program, drafts: Sequence[Draft]) -> list[Gap]:
    """The gaps of one group: what one of its wrappers cannot bear, none gets that would share it."""
    by_member: dict[str, list[Draft]] = {}
    for draft in drafts:
        by_member.setdefault(draft.gap.member, []).append(draft)
    return [_decided(program, d, by_member[d.gap.member]) for d in drafts]


def _decided(program: Program, draft: Draft, group: Sequence[Draft]) -> Gap:
    refusal, place = draft.refusal, None
    others = [d for d in group if refusal is None and d is not draft and _disagree(draft, d)]
    if others:
        lost = [d.alone for d in others if d.refusal and _inherits(program, d, draft.gap.wrapper.cls)]
        refusal, place = (_shared(draft, lost[0]), None) if lost else (None, _place(program, draft, group, others))
    return draft.gap.refused(refusal) if refusal else replace(draft.gap, place=place)


def _place(program: Program, draft: Draft, group: Sequence[Draft], others: Sequence[Draft]) -> ClassRef:
    """The highest class from which the wrapper inherits that agrees, with none between that does not.

    Those that disagree get a forward of their own further down; one that cannot have it must not inherit this.
    """
    place = draft.gap.wrapper.cls
    agreeing = {d.gap.wrapper.cls for d in group if d.refusal is None and d not in others}
    disagreeing = {d.gap.wrapper.cls for d in others}
    lost = [d for d in others if d.refusal is not None]
    for ref in program.mro(place).classes:
        if ref in disagreeing:
            break
        if ref in agreeing and not any(_inherits(program, d, ref) for d in lost):
            place = ref
    return place


def _inherits(program: Program, draft: Draft, ref: ClassRef) -> bool:
    """Whether the wrapper of `draft` is `ref` or inherits from it."""
    return ref in program.mro(draft.gap.wrapper.cls).classes


def _disagree(draft: Draft, other: Draft) -> bool:
    """Whether one forward on the shared class would be wrong for the other wrapper.

    Where the other delegate lacks the member, a method only fails as its absence did, unless a probe sees it.
    """
    mine, theirs = draft.gap.providers, other.gap.providers
    if draft.gap.recipe or other.gap.recipe:
        return other.gap.recipe != draft.gap.recipe
    if on_class(draft.gap):
        return other.refusal is not None or {p.candidate for p in mine} != {p.candidate for p in theirs}
    if other.refusal is not None:
        harmless = all(p.kind not in CALLABLE for p in mine) or not draft.gap.demand.probed
        return not (harmless and other.refusal.reason in (Reason.ABSENT, Reason.PARTIAL))
    called = {mine[0].kind in CALLABLE, theirs[0].kind in CALLABLE}
    return len(called) > 1 or (called == {True} and not same_call(mine[0], theirs[0]))


def _shared(draft: Draft, other: Gap) -> Refusal:
    names = {"owner": draft.gap.wrapper.delegate.owner.name, "other": other.wrapper.cls.name}
    return Refusal(Reason.SHARED, {**names, "why": other.sentence})
