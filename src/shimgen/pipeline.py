"""The order of the stages, and nothing else: checkout -> index -> demands, wrappers -> gaps -> shims -> patch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from shimgen import checkout as baseline
from shimgen.checkout import Checkout
from shimgen.config import Pin, Settings
from shimgen.demands import collect
from shimgen.gaps import find_gaps, find_stale, in_scope, named, provided, unknown_names
from shimgen.index import Cache, Index, Store, collector_off, default_folder
from shimgen.model.domain import ClassRef, Decision, Demand, FileChange, Gap, Wrapper
from shimgen.model.errors import BaselineError, ConfigError, GenerateError, did_you_mean
from shimgen.model.profile import Profile
from shimgen.model.program import Program
from shimgen.model.proof import Proof, summarise
from shimgen.model.results import Analysis, Explanation, Marked, Outcome, Recognition
from shimgen.model.source import Tree
from shimgen.profiles import load, names
from shimgen.profiles import recognise as recognise_stack
from shimgen.wrappers import find_wrappers


class Clock:
    """Wall seconds of each stage of one run, in the order in which they first ran."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}

    @property
    def stages(self) -> tuple[tuple[str, float], ...]:
        """The stages and their seconds."""
        return tuple((name, round(seconds, 3)) for name, seconds in self._spent.items())

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time that the block takes; a stage that runs twice counts once, with all its time."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._spent[name] = self._spent.get(name, 0.0) + time.perf_counter() - started


@dataclass(frozen=True, slots=True)
class Session:
    """One checkout, opened and recognised: what every command starts from."""

    settings: Settings
    checkout: Checkout
    tree: Tree
    profile: Profile
    root: str
    store: Store
    clock: Clock

    def index(self, tree: Tree | None = None) -> Index:
        """The index of the checkout's tree, or of another that shares its blobs."""
        return Index(tree or self.tree, self.profile, self.root, self.store)


def open_session(settings: Settings) -> Session:
    """Opens the checkout and settles the profile. Raises BaselineError and ConfigError."""
    clock = Clock()
    with clock.stage("checkout"):
        opened = baseline.open_checkout(settings.checkout, settings.rev)
        tree = opened.tree()
        profile, root = _profile(settings, tree)
    return Session(settings, opened, tree, profile, root, Store(profile, _cache(settings)), clock)


def _cache(settings: Settings) -> Cache | None:
    """The facts of earlier runs, None when the user or the machine has no place for them."""
    folder = default_folder() if settings.use_cache else None
    return Cache(folder) if folder is not None else None


def recognise(settings: Settings) -> Recognition:
    """What the checkout is. Raises BaselineError and ConfigError."""
    session = open_session(settings)
    identity = baseline.identify(session.checkout)
    found = replace(session.tree.baseline, version=session.tree.baseline.version or identity.version)
    return Recognition(found, session.profile.name, session.root, identity.remote, identity.described)


def _profile(settings: Settings, tree: Tree) -> tuple[Profile, str]:
    found = recognise_stack(tree.blobs)
    if settings.profile is None and not found:
        message = f"no serving stack that shimgen knows was found in {settings.checkout}"
        raise ConfigError(message, f"name the folder that holds it, or --profile {' | '.join(names())}")
    profile = settings.profile or load(found[0][0])
    roots = [root for known, root in found if known == profile.name]
    if profile.recognise and not roots:
        wanted = f"{profile.package}/{profile.recognise[0]}"
        message = f"{settings.checkout} holds no {profile.name}: {wanted} is not there"
        raise ConfigError(message, "name the folder that holds it, or another --profile")
    return profile, roots[0] if roots else ""


def analyse(settings: Settings) -> Analysis:
    """Wrappers, demands and the gaps in scope. Raises BaselineError, and ConfigError for a scope that names nothing."""
    session = open_session(settings)
    return _timed(session, _analyse(session).analysis)


def _timed(session: Session, analysis: Analysis) -> Analysis:
    """The analysis with the time that all stages of the run took."""
    return replace(analysis, stats=replace(analysis.stats, stages=session.clock.stages))


@dataclass(frozen=True, slots=True)
class _Found:
    """All that one tree holds, whatever the scope."""

    tree: Tree
    program: Index
    wrappers: tuple[Wrapper, ...]
    demands: tuple[Demand, ...]
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class _Work:
    """An analysis with what it was made of. `bare` is the tree without the shims of earlier runs, of which `kept`
    are the gaps that they rightly close."""

    analysis: Analysis
    bare: _Found
    kept: tuple[Gap, ...] = ()
    standing: frozenset[str] = frozenset()


def _find(session: Session, tree: Tree) -> _Found:
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
    return _Found(tree, program, wrappers, demands, gaps)


def _analyse(session: Session) -> _Work:
    started = time.perf_counter()
    found = _find(session, session.tree)
    _check_scope(session, found)
    work = _Work(Analysis(session.tree.baseline, session.profile.name), found)
    marked = [path for path in found.program.model_paths() if found.program.module(path).marked]
    if marked:
        work = _standing_shims(session, found, marked)
    seconds = round(time.perf_counter() - started, 3)
    stats = replace(found.program.stats, seconds=seconds, trouble=session.store.trouble)
    gaps = in_scope(found.gaps, session.settings.scope)
    name, root = session.profile.name, session.root
    stale = work.analysis.stale
    analysis = Analysis(found.tree.baseline, name, root, found.wrappers, found.demands, gaps, stats, stale)
    return replace(work, analysis=analysis)


def _check_scope(session: Session, found: _Found) -> None:
    scope = session.settings.scope
    fault = unknown_names(scope, session.profile, found.wrappers, found.demands, found.gaps)
    if fault is not None:
        option, name, known = fault
        message = f'--{option} "{name}" matches nothing here{did_you_mean(name, known)}'
        raise ConfigError(message, "shimgen scan --verbose")


def _standing_shims(session: Session, found: _Found, paths: Sequence[str]) -> _Work:
    """The source without the shims of earlier runs, what of these is still right, and what is stale."""
    from shimgen.shims import find_shims, remove_shims

    sources = session.tree.load(paths)
    shims = {path: find_shims(sources[path]) for path in paths}
    bare = _find(session, session.tree.replace({p: remove_shims(sources[p], shims[p]) for p in paths}))
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
    return _Work(analysis, bare, kept, frozenset(paths))


def explain(settings: Settings, choose: Callable[[Analysis], Analysis]) -> Explanation:
    """What is known of the part of the analysis that `choose` returns; gaps of every severity, whatever the scope.

    The shims are as `generate` makes them; they are not verified. Raises BaselineError, ConfigError, GenerateError.
    """
    session = open_session(replace(settings, scope=replace(settings.scope, severity="all")))
    analysis = choose(_analyse(session).analysis)
    program = session.index()
    with session.clock.stage("shims"):
        changes, refused = _shims(session, analysis.pending, program, session.tree) if analysis.pending else ((), ())
    owned = provided(program, session.profile, [w.cls for w in analysis.wrappers], analysis.demands)
    shims = tuple(shim for change in changes for shim in change.shims)
    return Explanation(_timed(session, _with_refusals(analysis, refused)), shims, owned)


def _shims(
    session: Session, gaps: Sequence[Gap], program: Program, tree: Tree
) -> tuple[tuple[FileChange, ...], tuple[Gap, ...]]:
    """The edited files that close the gaps, and the gaps that are refused after all."""
    from shimgen.shims import generate as generate_shims
    from shimgen.shims import style_from_pyproject

    style = style_from_pyproject(_pyproject(session.checkout))
    return generate_shims(gaps, program, tree.read, style)


def generate(settings: Settings) -> Outcome:
    """The analysis and its verified series.

    A shim that cannot be placed becomes a refusal. Raises GenerateError when one fails its proof: nothing is emitted
    that was not shown to hold.
    """
    return _generate(open_session(settings))


def _generate(session: Session) -> Outcome:
    """Everything is generated from the source without shims of earlier runs, and compared with what stands there."""
    from shimgen.patch import render_changes

    work = _analyse(session)
    if not work.analysis.pending and not work.analysis.stale:
        return Outcome(_timed(session, work.analysis))
    changes, refused, proofs = _proven(session, work)
    _require(proofs)
    final = _against(session.tree, changes, work)
    with session.clock.stage("patch"):
        patch = baseline.render_patch(session.checkout, final, render_changes) if final else b""
    return Outcome(_timed(session, _with_refusals(work.analysis, refused)), final, patch, proofs)


def verify(settings: Settings, python: str = "", stubs: Sequence[str] = ()) -> Outcome:
    """Every shim in scope, and every one that stands in the checkout, with the proofs of each; nothing is written.

    With `python`, the serving stack's own interpreter is asked as well; `stubs` names modules to be replaced there.
    A failed proof is in the outcome and raises nothing.
    """
    session = open_session(settings)
    work = _analyse(session)
    changes, refused, proofs = _proven(session, work)
    if python:
        from shimgen.verify import live

        with session.clock.stage("live"):
            proofs += live(changes, session.checkout.root, session.root, python, stubs)
    return Outcome(_timed(session, _with_refusals(work.analysis, refused)), changes, b"", proofs)


def _proven(session: Session, work: _Work) -> tuple[tuple[FileChange, ...], tuple[Gap, ...], tuple[Proof, ...]]:
    """What is generated from the bare source, the gaps that are refused after all, and the proofs."""
    scoped = in_scope(work.bare.gaps, session.settings.scope)
    wanted = {(g.wrapper.cls, g.member): g for g in (*scoped, *work.kept) if g.decision is not Decision.REFUSE}
    with session.clock.stage("shims"):
        changes, refused = _shims(session, tuple(wanted.values()), work.bare.program, work.bare.tree)
    with session.clock.stage("proofs"):
        return changes, refused, _prove(session, work.bare, scoped, changes)


def _against(tree: Tree, changes: Sequence[FileChange], work: _Work) -> tuple[FileChange, ...]:
    """The changes as seen from the tree as it stands; a shim that stands there already is no change."""
    after = {change.path: change for change in changes}
    final = []
    for path in sorted({*after, *work.standing}):
        before = tree.read(path)
        change = after.get(path) or FileChange(path, before, work.bare.tree.read(path))
        if change.after != before:
            new = tuple(shim for shim in change.shims if shim.text.encode() not in before)
            final.append(FileChange(path, before, change.after, new))
    return tuple(final)


def _pyproject(checkout: Checkout) -> str:
    """The text of the checkout's pyproject.toml, "" when there is none."""
    found = checkout.read("pyproject.toml")
    return found.decode("utf-8", "replace") if found is not None else ""


def _prove(session: Session, base: _Found, gaps: Sequence[Gap], changes: Sequence[FileChange]) -> tuple[Proof, ...]:
    from shimgen.verify import sandbox, static

    if not changes:
        return ()

    def again(tree: Tree) -> Sequence[Gap]:
        return in_scope(_find(session, tree).gaps, session.settings.scope)

    return (*static(base.tree, changes, again, gaps), *sandbox(changes))


def _require(proofs: Sequence[Proof]) -> None:
    """Raises GenerateError when a proof failed: what was not shown to hold is not emitted."""
    verdict = summarise(proofs)
    if not verdict.passed:
        first = verdict.failures[0]
        where = f"{first.wrapper.path}: {first.wrapper.name}.{first.member}"
        message = f"{where} was generated and failed verification ({first.check}): {first.detail}; nothing was changed"
        raise GenerateError(message, f"shimgen explain {first.wrapper.name}.{first.member}")


def _with_refusals(analysis: Analysis, refused: Sequence[Gap]) -> Analysis:
    late = {(gap.wrapper.cls, gap.member): gap for gap in refused}
    return replace(analysis, gaps=tuple(late.get((g.wrapper.cls, g.member), g) for g in analysis.gaps))


def apply(settings: Settings) -> Outcome:
    """`generate`, then write the series to the work tree: all or nothing. Nothing to do is no error.

    Raises BaselineError when the pin does not hold, or a file that would change differs from the baseline.
    """
    recovered = baseline.recover(baseline.open_checkout(settings.checkout))
    session = open_session(settings)
    check_pin(session.checkout, session.tree, settings.pin)
    outcome = _generate(session)
    _refuse_dirty(session, (change.path for change in outcome.changes))
    baseline.apply_changes(session.checkout, outcome.changes)
    return replace(outcome, recovered=recovered or "")


def check_pin(checkout: Checkout, tree: Tree, pin: Pin | None) -> None:
    """Raises BaselineError that says how the checkout differs from the pin."""
    fault = pin.differs(tree.baseline) if pin is not None else ""
    if fault:
        raise BaselineError(
            f"{fault} ({checkout.root}); nothing was changed", "shimgen diff, then shimgen init --force"
        )


def _refuse_dirty(session: Session, paths: Iterable[str]) -> None:
    """Uncommitted changes in a file that would be touched, other than shimgen's own, stop everything."""
    own = {file.path for file in baseline.state(session.checkout) if file.intact}
    dirty = [p for p in session.checkout.dirty_files(paths) if p not in own]
    if dirty:
        more = f" and {len(dirty) - 1} more" if len(dirty) > 1 else ""
        message = f"{dirty[0]}{more} has uncommitted changes and would be changed; nothing was changed"
        raise BaselineError(message, f"git -C {session.checkout.root} commit or stash first")


def revert(settings: Settings) -> Outcome:
    """Takes out of the work tree what apply put in. Nothing to revert is no error."""
    from shimgen.patch import undo

    opened = baseline.open_checkout(settings.checkout)
    recovered = baseline.recover(opened)
    found = baseline.revert(opened, undo)
    changes = tuple(FileChange(path, b"", b"") for path in found.restored)
    tree = opened.tree()
    return Outcome(Analysis(tree.baseline, settings.profile_name), changes, recovered=recovered or "")


def series(settings: Settings, folder: Path) -> tuple[Outcome, tuple[Path, ...]]:
    """`generate`, then write the series as files into `folder`; returns them in order. Raises GenerateError."""
    from shimgen.patch import Letter, parse, render_series
    from shimgen.report import letters

    session = open_session(settings)
    outcome = _generate(session)
    if not outcome.changes:
        return outcome, ()
    files = {file.path: file for file in parse(outcome.patch)}
    identity = baseline.identify(session.checkout)
    mails = [
        Letter(letters.subject(change), letters.body(change), (files[session.checkout.prefix + change.path],))
        for change in outcome.changes
    ]
    rendered = render_series(mails, cover=letters.cover(outcome), **({"date": identity.date} if identity.date else {}))
    return outcome, baseline.write_folder(folder, rendered)
