"""Two revisions, compared. Both are read from git's objects, and share every fact that they have in common."""

from __future__ import annotations

from msgspec.structs import replace

from shimgen.config import Settings
from shimgen.gaps import Side, compare, compare_demands
from shimgen.model.carried import CarriedPatch
from shimgen.model.domain import Decision
from shimgen.model.errors import ConfigError
from shimgen.model.upgrade import CarriedChange, Revision, Upgrade
from shimgen.pipeline.analysis import Bare, Found, check_scope, find_bare
from shimgen.pipeline.carried import lay
from shimgen.pipeline.making import make_shims
from shimgen.pipeline.session import Session, open_session
from shimgen.scope import in_scope


def upgrade(settings: Settings, old: str, new: str) -> Upgrade:
    """What changes between two revisions for the shims in scope. Nothing in the work tree is looked at or moved.

    Shims of earlier runs that stand in either revision are left out of both. Raises BaselineError and ConfigError.
    """
    first = open_session(replace(settings, rev=old))
    second = open_session(replace(settings, rev=new), first)
    if first.profile.name != second.profile.name:
        message = f"{old} holds {first.profile.name} and {new} holds {second.profile.name}"
        raise ConfigError(message, "compare two revisions of one stack, or name its --profile")
    works = [find_bare(session)[1] for session in (first, second)]
    found = [work.found for work in works]
    check_scope(second, *found)
    loads = [(*bare.first, *_last(session, bare)) for session, bare in zip((first, second), works, strict=True)]
    carried = tuple(CarriedChange(*pair) for pair in zip(*loads, strict=True))
    members, wrappers = compare(_side(found[0]), _side(found[1]), second.profile, settings.scope)
    demands = compare_demands(found[0].demands, found[1].demands, settings.scope)
    before, after = _revision(old, first, found[0]), _revision(new, second, found[1])
    return Upgrade(second.profile.name, before, after, members, wrappers, demands, carried)


def _last(session: Session, bare: Bare) -> tuple[CarriedPatch, ...]:
    """How the carried patches fare that come after the shims, which have to be made for it."""
    if all(load.carried.when != "after" for load in bare.cargo):
        return ()
    wanted = [gap for gap in in_scope(bare.found.gaps, session.settings.scope) if gap.decision is not Decision.REFUSE]
    changes = make_shims(session, wanted, bare.found).changes
    bare.layers.put({change.path: change.after for change in changes})
    return lay(bare.cargo, "after", bare.layers)


def _side(found: Found) -> Side:
    return Side(found.program, found.wrappers, found.demands, found.gaps)


def _revision(name: str, session: Session, found: Found) -> Revision:
    stages = session.clock.stages
    seconds = round(sum(spent for _, spent in stages), 3)
    stats = replace(found.stats, seconds=seconds, stages=stages, trouble=session.store.trouble)
    return Revision(name, session.tree.baseline, stats)
