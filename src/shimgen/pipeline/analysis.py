"""Tree -> wrappers, demands and gaps, with the shims of earlier runs seen apart."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from shimgen.config import Settings
from shimgen.demands import collect, unnamed
from shimgen.gaps import find_gaps, find_stale, in_scope, named, provided, unknown_names
from shimgen.index import Index, collector_off
from shimgen.model.domain import ClassRef, Demand, Gap, Wrapper
from shimgen.model.errors import ConfigError, did_you_mean
from shimgen.model.results import Analysis, Marked
from shimgen.model.source import Tree
from shimgen.pipeline.session import Session, open_session, timed
from shimgen.wrappers import find_wrappers

if TYPE_CHECKING:
    from shimgen.shims import ExistingShim


def analyse(settings: Settings) -> Analysis:
    """Wrappers, demands and the gaps in scope. Raises BaselineError, and ConfigError for a scope that names nothing."""
    session = open_session(settings)
    return timed(session, work_out(session).analysis)


class Found(msgspec.Struct, frozen=True):
    """All that one tree holds, whatever the scope."""

    tree: Tree
    program: Index
    wrappers: tuple[Wrapper, ...]
    demands: tuple[Demand, ...]
    gaps: tuple[Gap, ...]


class Work(msgspec.Struct, frozen=True):
    """An analysis with what it was made of. `bare` is the tree without the shims of earlier runs, of which `kept`
    are the gaps that they rightly close."""

    analysis: Analysis
    bare: Found
    kept: tuple[Gap, ...] = ()
    standing: frozenset[str] = frozenset()


def find(session: Session, tree: Tree) -> Found:
    stage = session.clock.stage
    with collector_off():
        program = session.index(tree)
        with stage("facts"):
            program.gather()
        with stage("demands"):
            demands = collect(program, session.profile)
        with stage("wrappers"):
            wrappers = find_wrappers(program, session.profile)
        with stage("gaps"):
            gaps = find_gaps(program, session.profile, wrappers, demands)
        with stage("facts"):
            session.store.save()
    return Found(tree, program, wrappers, demands, gaps)


def work_out(session: Session) -> Work:
    """The analysis of the tree as it stands, beside the tree without shims."""
    started = time.perf_counter()
    found = find(session, session.tree)
    check_scope(session, found)
    work = Work(Analysis(session.tree.baseline, session.profile.name), found)
    marked = _marked(found)
    if marked:
        work = _standing_shims(session, found, marked)
    seconds = round(time.perf_counter() - started, 3)
    stats = replace(found.program.stats, seconds=seconds, trouble=session.store.trouble)
    gaps = in_scope(found.gaps, session.settings.scope)
    name, root = session.profile.name, session.root
    stale = work.analysis.stale
    new = tuple(demand.member for demand in unnamed(found.demands, session.profile))
    every = frozenset((gap.wrapper.cls.name, gap.member) for gap in found.gaps)
    analysis = Analysis(found.tree.baseline, name, root, found.wrappers, found.demands, gaps, stats, stale, new, every)
    return replace(work, analysis=analysis)


def find_bare(session: Session) -> Found:
    """All that the tree holds without the shims of earlier runs."""
    found = find(session, session.tree)
    marked = _marked(found)
    return find(session, _without_shims(session.tree, marked)[0]) if marked else found


def _marked(found: Found) -> list[str]:
    """The files in which a marker of shimgen's stands."""
    return [path for path in found.program.model_paths() if found.program.module(path).marked]


def _without_shims(tree: Tree, paths: Sequence[str]) -> tuple[Tree, dict[str, tuple[ExistingShim, ...]]]:
    """The tree without the shims in these files, and what they are."""
    from shimgen.shims import find_shims, remove_shims

    sources = tree.load(paths)
    shims = {path: find_shims(sources[path]) for path in paths}
    return tree.replace({path: remove_shims(sources[path], shims[path]) for path in paths}), shims


def check_scope(session: Session, *found: Found) -> None:
    """Raises ConfigError when a name of the scope is known in none of the trees."""
    scope = session.settings.scope
    wrappers = [wrapper for one in found for wrapper in one.wrappers]
    demands = [demand for one in found for demand in one.demands]
    gaps = [gap for one in found for gap in one.gaps]
    fault = unknown_names(scope, session.profile, wrappers, demands, gaps)
    if fault is not None:
        option, name, known = fault
        message = f'--{option} "{name}" matches nothing here{did_you_mean(name, known)}'
        raise ConfigError(message, "shimgen scan --verbose")


def _standing_shims(session: Session, found: Found, paths: Sequence[str]) -> Work:
    """The source without the shims of earlier runs, what of these is still right, and what is stale."""
    tree, shims = _without_shims(session.tree, paths)
    bare = find(session, tree)
    owned = provided(bare.program, session.profile, tuple(bare.program.model_classes()), bare.demands)
    marked = tuple(
        Marked(ClassRef(path, shim.cls, shim.class_line), shim.member, shim.line, shim.text)
        for path in paths
        for shim in shims[path]
    )
    inside = tuple(shim for shim in marked if named(session.settings.scope, shim.cls.name, shim.member))
    places = {(shim.cls.path, shim.cls.name, shim.member) for shim in marked}
    kept = tuple(gap for gap in bare.gaps if (gap.target.path, gap.target.name, gap.member) in places)
    stale = find_stale(inside, bare.gaps, bare.demands, owned)
    analysis = Analysis(session.tree.baseline, session.profile.name, stale=stale)
    return Work(analysis, bare, kept, frozenset(paths))
