"""Which gaps a command is about, and what a CI gate makes of them. Needs nothing of what found them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from fnmatch import fnmatchcase

from shimgen.model.accepts import Accept
from shimgen.model.domain import CORE, ClassRef, Decision, Demand, Gap, Scope, Wrapper
from shimgen.model.profile import Profile
from shimgen.model.results import Analysis, Verdict


def in_scope(gaps: Sequence[Gap], scope: Scope) -> tuple[Gap, ...]:
    """The gaps that `scope` selects, in their order.

    Where a wrapper gets one member of an interface it gets the interface's other members too, whatever their
    severity; unless the user named members, who then gets these. What comes with a declared interface comes whole.
    """
    chosen = [gap for gap in gaps if gap.demanded and _selected(gap, scope)]
    if scope.members:
        return whole(chosen, gaps)
    got: dict[ClassRef, set[str]] = {}
    for gap in chosen:
        if gap.decision is not Decision.REFUSE:
            wanted = {name for name in gap.interfaces if not scope.interfaces or name in scope.interfaces}
            got.setdefault(gap.wrapper.cls, set()).update(wanted - {CORE})
    taken = {id(gap) for gap in chosen}
    completed = (
        gap
        for gap in gaps
        if id(gap) in taken
        or (gap.decision is not Decision.REFUSE and got.get(gap.wrapper.cls, set()) & set(gap.interfaces))
    )
    return whole(completed, gaps)


def whole(chosen: Iterable[Gap], gaps: Sequence[Gap]) -> tuple[Gap, ...]:
    """The chosen ones of `gaps`, in their order, with all that comes with the declared interfaces among them."""
    taken, adopted = set[int](), set[tuple[ClassRef, ClassRef | None]]()
    for gap in chosen:
        taken.add(id(gap))
        if gap.protocol is not None and gap.decision is not Decision.REFUSE:
            adopted.add((gap.wrapper.cls, gap.protocol))
    return tuple(gap for gap in gaps if id(gap) in taken or (gap.wrapper.cls, gap.protocol) in adopted)


def named(scope: Scope, wrapper: str, member: str) -> bool:
    """Whether the names of `scope` let a member of a class of that name through, whatever its severity."""
    wrappers = not scope.wrappers or any(fnmatchcase(wrapper, glob) for glob in scope.wrappers)
    return wrappers and (not scope.members or member in scope.members)


def _selected(gap: Gap, scope: Scope) -> bool:
    return (
        (scope.severity == "all" or gap.severity == scope.severity)
        and named(scope, gap.wrapper.cls.name, gap.member)
        and (not scope.interfaces or bool(set(gap.interfaces or (CORE,)) & set(scope.interfaces)))
    )


def unknown_names(
    scope: Scope, profile: Profile, wrappers: Sequence[Wrapper], demands: Sequence[Demand], gaps: Sequence[Gap]
) -> tuple[str, str, tuple[str, ...]] | None:
    """The first name of the scope that means nothing here: its option, the name, and what is known."""
    declared = {name for demand in demands for name in demand.interfaces}
    interfaces = tuple(sorted({*profile.interfaces, *declared, CORE}))
    classes = tuple(sorted({w.cls.name for w in wrappers}))
    members = tuple(sorted({d.member for d in demands} | {g.member for g in gaps}))
    for name in scope.interfaces:
        if name not in interfaces:
            return "interface", name, interfaces
    for glob in scope.wrappers:
        if not any(fnmatchcase(name, glob) for name in classes):
            return "wrapper", glob, classes
    for name in scope.members:
        if name not in members:
            return "member", name, members
    return None


def judge(analysis: Analysis, accepts: Sequence[Accept], today: date) -> Verdict:
    """Sort the gaps of an analysis into what counts and what the user accepted.

    What was accepted until a day or a release that has come counts again. An acceptance that is about no gap at all,
    of whatever scope, is named.
    """
    valid = [accept for accept in accepts if not accept.has_expired(today, analysis.release)]

    def reason(gap: Gap) -> str | None:
        found = (accept.reason for accept in valid if accept.names(gap.wrapper.cls.name, gap.member))
        return next(found, None)

    reasons = {id(gap): reason(gap) for gap in analysis.gaps}
    known = analysis.everything | {(gap.wrapper.cls.name, gap.member) for gap in analysis.gaps}

    def state(accept: Accept) -> str:
        if not any(accept.names(*names) for names in known):
            return "idle"
        return "holds" if accept in valid else "expired"

    return Verdict(
        pending=tuple(gap for gap in analysis.pending if reasons[id(gap)] is None),
        refused=tuple(gap for gap in analysis.refused if reasons[id(gap)] is None),
        accepted=tuple((gap, why) for gap in analysis.gaps if (why := reasons[id(gap)]) is not None),
        stale=analysis.stale,
        carried=analysis.carried,
        accepts=tuple((accept, state(accept)) for accept in accepts),
    )
