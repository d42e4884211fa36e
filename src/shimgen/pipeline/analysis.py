"""Tree -> wrappers, demands and gaps, with the shims of earlier runs seen apart."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from shimgen.collector import collector_off
from shimgen.config import AGAIN, Settings
from shimgen.model.carried import CarriedPatch
from shimgen.model.domain import ClassRef, Demand, Gap, Provider, Wrapper
from shimgen.model.errors import ConfigError, did_you_mean
from shimgen.model.results import Analysis, Marked, Stale
from shimgen.model.source import Skipped, Stats, Tree
from shimgen.pipeline.carried import Cargo, lacking, lay, load_cargo
from shimgen.pipeline.ground import Ground, Layers, find_ground, python_only
from shimgen.pipeline.memory import Finding
from shimgen.pipeline.session import Session, open_session, timed
from shimgen.scope import in_scope, named, unknown_names, whole

if TYPE_CHECKING:
    from shimgen.index import Index


def analyse(settings: Settings) -> Analysis:
    """Wrappers, demands and the gaps in scope. Raises BaselineError, and ConfigError for a scope that names nothing."""
    session = open_session(settings)
    return timed(session, work_out(session).analysis)


_SEEN_BY = "what it looks for is in [stack] (docs/profiles.md), or is another --profile's"


class Found(msgspec.Struct, frozen=True):
    """All that one tree holds, whatever the scope. `opened` gives its index, which is made when it is first needed.
    `links` are files of the stack that are left out because they are symbolic links."""

    tree: Tree
    finding: Finding
    opened: Callable[[], Index]
    links: tuple[Skipped, ...] = ()

    @property
    def program(self) -> Index:
        """The index of the tree."""
        return self.opened()

    @property
    def wrappers(self) -> tuple[Wrapper, ...]:
        """All wrappers."""
        return self.finding.wrappers

    @property
    def demands(self) -> tuple[Demand, ...]:
        """All demands."""
        return self.finding.demands

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """All gaps, of every severity."""
        return self.finding.gaps

    @property
    def stats(self) -> Stats:
        """How much was seen."""
        stats = self.finding.stats
        return replace(stats, skipped=tuple(sorted((*stats.skipped, *self.links), key=lambda file: file.path)))


class Bare(msgspec.Struct, frozen=True):
    """The source without anything of shimgen's and with the carried patches before the shims. `ground` says what stands
    in the checkout, `layers` are the contents so far, `cargo` the carried patches and `first` how those before the
    shims fare. A carried patch that conflicts is left out."""

    found: Found
    ground: Ground
    layers: Layers
    cargo: tuple[Cargo, ...]
    first: tuple[CarriedPatch, ...]


class Work(msgspec.Struct, frozen=True):
    """An analysis with what it was made of: `found` is the checkout as it stands (with the carried patches before the
    shims); `kept` are the gaps that standing shims rightly close."""

    analysis: Analysis
    found: Found
    bare: Bare
    kept: tuple[Gap, ...] = ()


def _nothing(_: Index) -> None:
    """What is done with an index whose facts are gathered, where nothing is."""


def find(
    session: Session, tree: Tree, like: Found | None = None, gathered: Callable[[Index], None] = _nothing
) -> Found:
    """All that a tree holds, from an earlier run where that is known to find the same. What was found in one that is
    `like` it need not be looked for again, but for what the difference may touch. `gathered` is called where all is
    looked for, once the facts are there."""
    opened = cache(lambda: session.index(tree, like.program if like is not None else None))
    with collector_off():
        with session.clock.stage("facts"):
            finding = session.memory.recall(tree)
        if finding is None:
            finding = _find(session, opened(), gathered)
            session.memory.keep(tree, finding, opened().trace())
        with session.clock.stage("facts"):
            session.store.save()
    package = session.root + (f"{session.profile.package}/" if session.profile.package else "")
    return Found(tree, finding, opened, tuple(link for link in tree.links if link.path.startswith(package)))


def _find(session: Session, program: Index, gathered: Callable[[Index], None] = _nothing) -> Finding:
    from shimgen.demands import collect, unnamed  # which, as the others, are not needed for what is remembered
    from shimgen.gaps import find_gaps
    from shimgen.wrappers import find_wrappers

    stage, profile = session.clock.stage, session.profile
    with stage("facts"):
        program.gather()
        session.store.save()  # what is saved need not be held encoded, too
        gathered(program)
    with stage("demands"):
        demands = collect(program, profile)
    with stage("wrappers"):
        wrappers = find_wrappers(program, profile)
    with stage("gaps"):
        gaps = find_gaps(program, profile, wrappers, demands)
    marked = tuple(path for path in program.model_paths() if program.module(path).marked)
    names = tuple(demand.member for demand in unnamed(demands, profile))
    return Finding(wrappers, demands, gaps, names, marked, program.stats)


def find_bare(session: Session, gathered: Callable[[Index], None] = _nothing) -> tuple[Found, Bare]:
    """All that the checkout holds as it stands, and without anything of shimgen's. `gathered` is called as `find` does,
    for the first tree."""
    cargo = load_cargo(session)
    standing = find(session, session.tree, gathered=gathered)
    ground = find_ground(session, standing.finding.marked)
    layers = Layers(ground.read)
    first = lay(cargo, "before", layers)
    without = python_only({**ground.contents, **layers.changed})
    found = find(session, session.tree.replace(without), standing) if without else standing
    return standing, Bare(found, ground, layers, cargo, first)


def work_out(session: Session, gathered: Callable[[Index], None] = _nothing) -> Work:
    """The analysis of the tree as it stands (with the carried patches that it is to have before the shims), beside
    that of the source without anything of shimgen's. `gathered` is called as `find` does, for the first tree."""
    started = time.perf_counter()
    standing, bare = find_bare(session, gathered)
    missing = python_only(bare.layers.changed) if lacking(bare.cargo, bare.first, session) else {}
    same = missing == python_only({**bare.ground.contents, **bare.layers.changed})
    found = bare.found if same else find(session, session.tree.replace(missing), standing) if missing else standing
    check_scope(session, found)
    kept, stale = _standing_shims(session, bare.ground, bare.found) if bare.ground.shims else ((), ())
    seconds = round(time.perf_counter() - started, 3)
    stats = replace(found.stats, seconds=seconds, trouble=session.store.trouble)
    blind = f"the profile {session.profile.name} sees no wrapper here, so nothing was compared; {_SEEN_BY}"
    analysis = Analysis(
        session.tree.baseline,
        session.profile.name,
        session.root,
        found.wrappers,
        found.demands,
        in_scope(found.gaps, session.settings.scope),
        stats,
        stale,
        unnamed=found.finding.unnamed,
        everything=frozenset((gap.wrapper.cls.name, gap.member) for gap in found.gaps),
        carried=bare.first,
        notes=() if found.wrappers else (blind,),
    )
    return Work(analysis, found, bare, kept)


def check_scope(session: Session, *found: Found) -> None:
    """Raises ConfigError when a name of the scope is known in none of the trees."""
    scope = session.settings.scope
    wrappers = [wrapper for one in found for wrapper in one.wrappers]
    demands = [demand for one in found for demand in one.demands]
    gaps = [gap for one in found for gap in one.gaps]
    fault = unknown_names(scope, session.profile, wrappers, demands, gaps)
    if fault is not None:
        option, name, known = fault
        said = name in getattr(session.settings.said, f"{option}s")
        where = f"--{option}" if said else f"{session.settings.config_path}: scope.{option}s:"
        message = f'{where} "{name}" matches nothing here{did_you_mean(name, known)}{found[-1].stats.left_out}'
        raise ConfigError(message, "shimgen scan --verbose" if said else AGAIN)


def _standing_shims(session: Session, ground: Ground, bare: Found) -> tuple[tuple[Gap, ...], tuple[Stale, ...]]:
    """The gaps that the standing shims rightly close, and those of the shims that are stale."""
    from shimgen.gaps import find_stale, provided

    def own(shim: Marked) -> Provider | None:
        classes = [ref for ref in bare.program.classes_of(shim.cls.path) if ref.name == shim.cls.name]
        asked = [demand for demand in bare.demands if demand.member == shim.member]
        found = provided(bare.program, session.profile, classes, asked)
        return next((found[ref][shim.member] for ref in reversed(classes) if shim.member in found[ref]), None)

    marked = tuple(
        Marked(ClassRef(path, shim.cls, shim.class_line), shim.member, shim.line, shim.text)
        for path, shims in ground.shims.items()
        for shim in shims
    )
    inside = tuple(shim for shim in marked if named(session.settings.scope, shim.cls.name, shim.member))
    places = {(shim.cls.path, shim.cls.name, shim.member) for shim in marked}
    kept = whole((gap for gap in bare.gaps if (gap.target.path, gap.target.name, gap.member) in places), bare.gaps)
    return kept, find_stale(inside, bare.gaps, bare.demands, own)
