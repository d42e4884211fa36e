"""Two revisions, compared. Both are read from git's objects, and share every fact that they have in common."""

from __future__ import annotations

from msgspec.structs import replace

from shimgen.config import Settings
from shimgen.gaps import Side, compare, compare_demands
from shimgen.model.errors import ConfigError
from shimgen.model.upgrade import Revision, Upgrade
from shimgen.pipeline.analysis import Found, check_scope, find_bare
from shimgen.pipeline.session import Session, open_session


def upgrade(settings: Settings, old: str, new: str) -> Upgrade:
    """What changes between two revisions for the shims in scope. Nothing in the work tree is looked at or moved.

    Shims of earlier runs that stand in either revision are left out of both. Raises BaselineError and ConfigError.
    """
    first = open_session(replace(settings, rev=old))
    second = open_session(replace(settings, rev=new), first)
    if first.profile.name != second.profile.name:
        message = f"{old} holds {first.profile.name} and {new} holds {second.profile.name}"
        raise ConfigError(message, "compare two revisions of one stack, or name its --profile")
    found = [find_bare(session) for session in (first, second)]
    check_scope(second, *found)
    members, wrappers = compare(_side(found[0]), _side(found[1]), second.profile, settings.scope)
    demands = compare_demands(found[0].demands, found[1].demands, settings.scope)
    before, after = _revision(old, first, found[0]), _revision(new, second, found[1])
    return Upgrade(second.profile.name, before, after, members, wrappers, demands)


def _side(found: Found) -> Side:
    return Side(found.program, found.wrappers, found.demands, found.gaps)


def _revision(name: str, session: Session, found: Found) -> Revision:
    stages = session.clock.stages
    seconds = round(sum(spent for _, spent in stages), 3)
    stats = replace(found.program.stats, seconds=seconds, stages=stages, trouble=session.store.trouble)
    return Revision(name, session.tree.baseline, stats)
