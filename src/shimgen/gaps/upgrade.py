"""Two revisions -> what becomes of every member of every wrapper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property

import msgspec

from shimgen.gaps.due import is_due
from shimgen.gaps.finder import engine_facing
from shimgen.gaps.members import Members
from shimgen.model.domain import ClassRef, Decision, Demand, Gap, MemberKind, Provider, Scope, Severity, Wrapper
from shimgen.model.profile import Profile
from shimgen.model.program import Program, is_protocol
from shimgen.model.reason import Reason
from shimgen.model.upgrade import EMITTED, Fate, MemberFate, WrapperChange, WrapperFate
from shimgen.scope import in_scope

Key = tuple[str, str]
"""A class: its path from the package's folder, and its name."""


class Side(msgspec.Struct, frozen=True):
    """One revision without any shim: the program, its wrappers and demands, and the gaps of every severity."""

    program: Program
    wrappers: tuple[Wrapper, ...]
    demands: tuple[Demand, ...]
    gaps: tuple[Gap, ...]


def compare(
    old: Side, new: Side, profile: Profile, scope: Scope
) -> tuple[tuple[MemberFate, ...], tuple[WrapperChange, ...]]:
    """The fate of every member that is a gap in scope at either revision, and of the wrappers; both sorted."""
    before, after = _Revision(old, profile, scope), _Revision(new, profile, scope)
    moved = dict(_moves(before, after))
    fates = _Fates(before, after, moved)
    return tuple(fates.members()), tuple(_wrappers(before, after, moved, scope))


class _Revision:
    """One side, with what is looked up in it."""

    def __init__(self, side: Side, profile: Profile, scope: Scope) -> None:
        self.program = side.program
        self.demanded = {demand.member for demand in side.demands if is_due(demand)}
        facing = engine_facing(side.wrappers)
        self.wrappers: dict[Key, Wrapper] = {}
        for wrapper in facing:
            self.wrappers.setdefault(self.key(wrapper.cls), wrapper)
        self.gaps = self._by_member(side.gaps)
        self.scoped = self._by_member(in_scope(side.gaps, scope))
        self.look = Members(side.program, profile).look

    def key(self, ref: ClassRef) -> Key:
        return self.program.package_path(ref.path), ref.name

    def _by_member(self, gaps: Sequence[Gap]) -> dict[tuple[Key, str], Gap]:
        """One gap for each member of a class: of a class with two delegates the one that is closed."""
        found: dict[tuple[Key, str], Gap] = {}
        for gap in sorted(gaps, key=lambda gap: gap.decision is Decision.REFUSE):
            found.setdefault((self.key(gap.wrapper.cls), gap.member), gap)
        return found

    def cls(self, key: Key) -> ClassRef | None:
        """The class of the models' folders, wrapper or not."""
        return self._classes.get(key)

    @cached_property
    def _classes(self) -> Mapping[Key, ClassRef]:
        return {self.key(ref): ref for ref in self.program.model_classes()}


def _moves(before: _Revision, after: _Revision) -> Iterator[tuple[Key, Key]]:
    """Old place -> new place, of wrappers whose name stands in exactly one new place and no longer in the old one."""
    came: dict[str, list[Key]] = {}
    for key in after.wrappers:
        if key not in before.wrappers:
            came.setdefault(key[1], []).append(key)
    left = [key for key in before.wrappers if key not in after.wrappers and after.cls(key) is None]
    for key in left:
        same = [other for other in left if other[1] == key[1]]
        places = came.get(key[1], [])
        if len(places) == len(same) == 1:
            yield key, places[0]


def _wrappers(before: _Revision, after: _Revision, moved: Mapping[Key, Key], scope: Scope) -> Iterator[WrapperChange]:
    changes = []
    for key, wrapper in before.wrappers.items():
        if key in moved:
            changes.append(WrapperChange(after.wrappers[moved[key]].cls, WrapperFate.MOVED, wrapper.cls))
        elif key not in after.wrappers:
            cls = after.cls(key)
            changes.append(WrapperChange(cls or wrapper.cls, WrapperFate.LEFT if cls else WrapperFate.GONE))
    known = {*before.wrappers, *moved.values()}
    changes += [WrapperChange(w.cls, WrapperFate.NEW) for key, w in after.wrappers.items() if key not in known]
    for change in sorted(changes, key=lambda change: change.cls):
        if not scope.wrappers or any(fnmatchcase(change.cls.name, glob) for glob in scope.wrappers):
            yield change


class _Member(msgspec.Struct, frozen=True):
    """One member of one wrapper: its class at the new revision (None when gone), and its gap at each revision.

    `scoped`: the old gap was in scope.
    """

    key: Key
    name: str
    cls: ClassRef | None
    old: Gap | None
    scoped: bool
    new: Gap | None

    @property
    def shim(self) -> Gap | None:
        """The gap that the old revision's shim closes, if there is one."""
        closed = self.scoped and self.old is not None and self.old.decision is not Decision.REFUSE
        return self.old if closed else None


class _Fates:
    def __init__(self, before: _Revision, after: _Revision, moved: Mapping[Key, Key]) -> None:
        self._before = before
        self._after = after
        self._origin = {now: was for was, now in moved.items()}
        self._old = {(moved.get(key, key), name): gap for (key, name), gap in before.gaps.items()}
        self._scoped = {(moved.get(key, key), name) for key, name in before.scoped}

    def members(self) -> list[MemberFate]:
        """One for each member of a wrapper that is a gap in scope at either revision."""
        known = sorted(self._scoped | self._after.scoped.keys())
        return sorted((self._said(key, name) for key, name in known), key=lambda fate: (fate.wrapper, fate.member))

    def _said(self, key: Key, name: str) -> MemberFate:
        member = self._member(key, name)
        fate, why = self._fate(member)
        gap = member.new or member.old or self._after.gaps[key, name]
        return MemberFate(
            member.cls or gap.wrapper.cls,
            name,
            fate,
            member.old.decision if member.old is not None and member.scoped else None,
            gap.severity,
            gap.interfaces,
            form(member.shim) if member.shim else "",
            form(gap) if fate in EMITTED else "",
            why,
        )

    def _member(self, key: Key, name: str) -> _Member:
        old, new = self._old.get((key, name)), self._after.gaps.get((key, name))
        if new is not None and new.severity is Severity.DRIFT and (old is None or old.severity is not Severity.DRIFT):
            new = None  # upstream has the member; that it is wrong is said with it
        wrapper = self._after.wrappers.get(key)
        cls = wrapper.cls if wrapper is not None else self._after.cls(key)
        return _Member(key, name, cls, old, (key, name) in self._scoped, new)

    def _fate(self, member: _Member) -> tuple[Fate, str]:
        new = member.new
        if new is None:
            return self._without_gap(member)
        if new.decision is Decision.REFUSE:
            gone = member.shim is not None and new.reason in (Reason.ABSENT, Reason.UNSUPPORTED)
            return Fate.TARGET_GONE if gone else Fate.REFUSED, new.sentence
        if (member.key, member.name) not in self._after.scoped:
            return Fate.UNSCOPED, f"its severity is {new.severity} now"
        if member.shim is None:
            return Fate.NEEDED, self._why_new(member)
        return (Fate.NEEDED, "") if form(member.shim) == form(new) else (Fate.CHANGED, "")

    def _why_new(self, member: _Member) -> str:
        """Why a shim is needed that the old revision did not get."""
        if member.old is not None:
            before = member.old.sentence
            return f"refused before: {before}" if before else f"its severity was {member.old.severity} before"
        key = self._origin.get(member.key, member.key)
        wrapper = self._before.wrappers.get(key)
        if wrapper is None:
            return "the wrapper is new" if self._before.cls(key) is None else "the class was no wrapper before"
        found = self._before.look(wrapper.cls, member.name)
        if found.provider is not None:
            return f"upstream had it before, from {_place(found.provider)}"
        return "demanded now" if member.name not in self._before.demanded else "the delegate has it now"

    def _without_gap(self, member: _Member) -> tuple[Fate, str]:
        """The fate of what was a gap and is none any more."""
        if member.cls is None:
            return Fate.WRAPPER_GONE, "the class is gone"
        had = self._had(member, member.cls)
        if had is not None:
            return had
        if member.key not in self._after.wrappers:
            return Fate.WRAPPER_GONE, "the class is no longer a wrapper that the engine can hold"
        if member.name not in self._after.demanded:
            return Fate.UNDEMANDED, self._why_undemanded(member)
        candidates = self._after.wrappers[member.key].delegate.candidates
        lacking = [c.name for c in candidates if self._after.look(c, member.name).provider is None]
        if lacking and not (member.old is not None and member.old.recipe):
            return Fate.TARGET_GONE, f"{' / '.join(lacking)} does not have {member.name} any more"
        return Fate.UNDEMANDED, "nothing that the engine can hold needs it"

    def _had(self, member: _Member, cls: ClassRef) -> tuple[Fate, str] | None:
        """The fate of what the class has by itself, None when it has not."""
        if member.old is not None and member.old.protocol is not None:
            taken = self._from_protocol(member, cls, member.old.protocol.name)
            if taken is not None:
                return taken
        found = self._after.look(cls, member.name)
        drift = self._after.gaps.get((member.key, member.name))
        if found.provider is not None and (found.initial or drift is not None):
            wrapper = self._after.wrappers.get(member.key)
            own = (cls, wrapper.delegate.owner) if wrapper is not None else (cls,)
            wrong = f", and is wrong: {drift.sentence}" if drift is not None else ""
            return Fate.OWN if found.provider.cls in own else Fate.BASE, f"{_place(found.provider)}{wrong}"
        if found.external:
            return Fate.BASE, found.external
        return (Fate.OWN, "its __getattr__ hands on what it lacks") if found.covered else None

    def _from_protocol(self, member: _Member, cls: ClassRef, name: str) -> tuple[Fate, str] | None:
        """The fate of a declared interface that the class has as a base now, and of a member that the interface gives
        to whoever takes it up."""
        if member.name == name:
            order = self._after.program.mro(cls).classes
            held = next((c for c in order if c.name == name and is_protocol(self._after.program, c)), None)
            if held is None:
                return None
            holder = next(c for c in reversed(order) if held in self._after.program.mro(c).classes[1:])
            return Fate.OWN if holder == cls else Fate.BASE, f"{holder.name} {holder.at()}"
        taking = self._after.gaps.get((member.key, name))
        given = self._after.look(taking.protocol, member.name) if taking and taking.protocol else None
        if taking is None or taking.decision is Decision.REFUSE or given is None or given.provider is None:
            return None
        return Fate.BASE, _place(given.provider)

    def _why_undemanded(self, member: _Member) -> str:
        old = member.old
        if old is not None and not old.demanded:
            return f"nothing else of {', '.join(old.interfaces)} is forwarded now"
        if old is not None and old.protocol is not None and old.protocol.name == member.name:
            program = self._after.program
            bases = (base for ref in program.model_classes() for base in program.mro(ref).classes[1:])
            if all(base.name != member.name for base in bases):
                return "no model supports it any more"
        return "the engine no longer demands it"


def form(gap: Gap) -> str:
    """How the shim for a gap is spelled: what it forwards to, and with which signature or as what kind."""
    if gap.recipe:
        return f"recipe {gap.recipe} (self.{gap.wrapper.delegate.attribute})"
    target = f"self.{gap.wrapper.delegate.attribute}.{gap.member}"
    return f"{target}{_kind(gap.providers[0])}" if gap.providers else target


def _kind(provider: Provider) -> str:
    flavour = f"{provider.flavour} " if provider.flavour else ""
    kind = "" if provider.kind is MemberKind.METHOD else f" {provider.kind.value}"
    return f"{provider.signature}{f' {flavour}'.rstrip()}{kind}"


def _place(provider: Provider) -> str:
    return f"{provider.cls.name} {provider.cls.at(provider.line)}"
