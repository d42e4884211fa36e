"""What falls with a gap that cannot be closed: forwards to its member, and the base that would lack it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shimgen.model.domain import ClassRef, Gap, MemberKind, Provider, Refusal
from shimgen.model.reason import Reason
from shimgen.shims.refusal import refused_gap

Key = tuple[ClassRef, str]
"""The class that a shim stands on, and its member."""


def file_of(key: Key) -> str:
    """The path of the file that a shim stands in."""
    return key[0].path


def is_planned(provider: Provider) -> bool:
    """Whether shimgen itself is to add this member: it has no line of its own yet, only its class's."""
    return provider.line == provider.cls.line and provider.kind is not MemberKind.BASE


def drop_dependents(groups: Mapping[Key, Sequence[Gap]], refusals: dict[Key, Refusal]) -> tuple[str, ...]:
    """A forward to a member that is not added below after all is refused too, to a fixpoint; and so is a base that
    would lack a member, with all that comes with it. The files, sorted, in which something is no longer wanted."""
    before = set(refusals)
    while True:
        if _drop_halves(groups, refusals):
            continue
        made = groups.keys() - refusals.keys()
        lost = {
            key: planned
            for key in groups
            if key in made
            for gap in groups[key]
            for planned in gap.providers
            if is_planned(planned) and (planned.cls, key[1]) not in made
        }
        if not lost:
            return tuple(sorted({file_of(key) for key in refusals.keys() - before}))
        for key, planned in lost.items():
            advice = f"close the gap {planned.cls.name}.{key[1]} first, or in the same run"
            refusals[key] = Refusal(Reason.ABSENT, {"delegate": planned.cls.name}, advice)


def _drop_halves(groups: Mapping[Key, Sequence[Gap]], refusals: dict[Key, Refusal]) -> bool:
    """A base stands or falls with the members that come with it. Whether anything was dropped."""
    whole: dict[tuple[ClassRef, ClassRef], list[Key]] = {}
    for key, group in groups.items():
        if group[0].protocol is not None:
            whole.setdefault((key[0], group[0].protocol), []).append(key)
    for (_, protocol), keys in whole.items():
        failed = next((key for key in keys if key in refusals), None)
        rest = [key for key in keys if key not in refusals]
        if failed is not None and rest:
            why = refused_gap(groups[failed][0], refusals[failed]).sentence
            refusals.update((key, Refusal(Reason.INTERFACE, {"why": why, "member": protocol.name})) for key in rest)
            return True
    return False
