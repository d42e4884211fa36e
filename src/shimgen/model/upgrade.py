"""What differs between two revisions: for each member of each wrapper, for the wrappers, and for the demands."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from shimgen.model.carried import CarriedPatch
from shimgen.model.domain import ClassRef, Decision, Severity, Site
from shimgen.model.source import Baseline, Stats


class Fate(StrEnum):
    """What becomes of one member of one wrapper. The value is its name in JSON."""

    NEEDED = "needed"
    CHANGED = "changed"
    OWN = "own"
    BASE = "base"
    TARGET_GONE = "target-gone"
    UNDEMANDED = "undemanded"
    REFUSED = "refused"
    WRAPPER_GONE = "wrapper-gone"
    UNSCOPED = "unscoped"


EMITTED = (Fate.NEEDED, Fate.CHANGED)
"""The fates of members that the new revision gets as a shim."""


class MemberFate(msgspec.Struct, frozen=True):
    """One member of one wrapper, old revision to new.

    `wrapper` is the class at the new revision (at the old one when it is gone). `was` is what shimgen decides at the
    old revision, None when there was no gap in scope. `old` and `new` say how a forward is spelled at each, where it
    is one. `why` is a clause with the evidence, `severity` that of the newer gap.
    """

    wrapper: ClassRef
    member: str
    fate: Fate
    was: Decision | None
    severity: Severity
    interfaces: tuple[str, ...] = ()
    old: str = ""
    new: str = ""
    why: str = ""

    @property
    def is_shim(self) -> bool:
        """Whether the new revision gets it as a shim."""
        return self.fate in EMITTED

    @property
    def was_shim(self) -> bool:
        """Whether the old revision got it as a shim."""
        return self.was is not None and self.was is not Decision.REFUSE

    @property
    def stays(self) -> bool:
        """Whether nothing is to be done: needed as before, or no shim before and none now."""
        return (self.fate is Fate.NEEDED and self.was_shim) or not (self.is_shim or self.was_shim)


class WrapperFate(StrEnum):
    """What becomes of a wrapper. `LEFT`: its class is there, and is no longer a wrapper that the engine can hold."""

    NEW = "new"
    GONE = "gone"
    MOVED = "moved"
    LEFT = "no longer a wrapper"


class WrapperChange(msgspec.Struct, frozen=True):
    """A wrapper that came, went or moved; `old` is where it was when it moved."""

    cls: ClassRef
    fate: WrapperFate
    old: ClassRef | None = None


class DemandFate(StrEnum):
    """What becomes of a demand. `RENAMED` is likely, not known; `CALLS`: called or guarded in another way."""

    NEW = "new"
    GONE = "gone"
    RENAMED = "renamed"
    CALLS = "calls"


class DemandChange(msgspec.Struct, frozen=True):
    """A demand that came, went, or is made in another way.

    `before` is the old name of a renamed one. `old` and `new` are how the engine calls it; severities are None where
    it is not demanded. `sites` are those of the new revision, of the old one when it is gone.
    """

    member: str
    fate: DemandFate
    interfaces: tuple[str, ...]
    roles: tuple[str, ...]
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    old_severity: Severity | None = None
    new_severity: Severity | None = None
    before: str = ""
    sites: tuple[Site, ...] = ()


class CarriedChange(msgspec.Struct, frozen=True):
    """A carried patch at both revisions."""

    old: CarriedPatch
    new: CarriedPatch

    @property
    def stays(self) -> bool:
        """Whether it fares as before, and can be made."""
        return self.new.made and self.old.state == self.new.state


class Revision(msgspec.Struct, frozen=True):
    """One side of an upgrade: what the user called it, and what it is."""

    name: str
    baseline: Baseline
    stats: Stats = msgspec.field(default_factory=Stats)


class Upgrade(msgspec.Struct, frozen=True):
    """Everything that differs between two revisions, in scope; sorted."""

    profile_name: str
    old: Revision
    new: Revision
    members: tuple[MemberFate, ...] = ()
    wrappers: tuple[WrapperChange, ...] = ()
    demands: tuple[DemandChange, ...] = ()
    carried: tuple[CarriedChange, ...] = ()

    @property
    def is_news(self) -> bool:
        """Whether a shim comes, goes or is written otherwise, or a carried patch fares otherwise or conflicts."""
        return bool(self.pending) or not all(change.stays for change in self.carried)

    @property
    def pending(self) -> tuple[MemberFate, ...]:
        """The members whose shim comes, goes or is written otherwise."""
        return tuple(fate for fate in self.members if not fate.stays)
