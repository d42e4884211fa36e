"""The order of the stages, and nothing else: checkout -> index -> demands, wrappers -> gaps -> shims -> patch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from shimgen import checkout as baseline
from shimgen.checkout import Checkout
from shimgen.config import EVERYTHING, Pin, Settings
from shimgen.demands import collect
from shimgen.gaps import find_gaps, find_stale, in_scope, named, provided, unknown_names
from shimgen.index import Index, Store, collector_off
from shimgen.model.domain import ClassRef, FileChange, Gap
from shimgen.model.errors import BaselineError, ConfigError, GenerateError, did_you_mean
from shimgen.model.profile import Profile
from shimgen.model.program import Program
from shimgen.model.proof import Proof, summarise
from shimgen.model.results import Analysis, Explanation, Marked, Outcome, Recognition, Stale
from shimgen.model.source import Tree
from shimgen.profiles import load, names
from shimgen.profiles import recognise as recognise_stack
from shimgen.wrappers import find_wrappers


@dataclass(frozen=True, slots=True)
class Session:
    """One checkout, opened and recognised: what every command starts from."""

    settings: Settings
    checkout: Checkout
    tree: Tree
    profile: Profile
    root: str
    store: Store = field(default_factory=Store)

    def index(self, tree: Tree | None = None) -> Index:
        """The index of the checkout's tree, or of another that shares its blobs."""
        return Index(tree or self.tree, self.profile, self.root, self.store)


def open_session(settings: Settings) -> Session:
    """Opens the checkout and settles the profile. Raises BaselineError and ConfigError."""
    opened = baseline.open_checkout(settings.checkout, settings.rev)
    tree = opened.tree()
    profile, root = _profile(settings, tree)
    return Session(settings, opened, tree, profile, root)


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
    analysis = _analyse(session)
    return replace(analysis, stale=_stale(session))


def _stale(session: Session) -> tuple[Stale, ...]:
    """The shims in the checkout that would not be written today: judged by an analysis of it without any shim."""
    from shimgen.shims import find_shims, remove_shims

    sources = session.tree.load(session.index().model_paths())
    found = {path: shims for path, source in sources.items() if (shims := find_shims(source))}
    if not found:
        return ()
    bare = session.tree.replace({path: remove_shims(sources[path], shims) for path, shims in found.items()})
    everything = replace(session, settings=replace(session.settings, scope=EVERYTHING))
    analysis = _analyse(everything, bare)
    program = session.index(bare)
    owned = provided(program, session.profile, tuple(program.model_classes()), analysis.demands)
    scope = session.settings.scope
    marked = tuple(
        Marked(ClassRef(path, shim.cls, shim.class_line), shim.member, shim.line, shim.text)
        for path, shims in sorted(found.items())
        for shim in shims
        if named(scope, shim.cls, shim.member)
    )
    return find_stale(marked, analysis.gaps, analysis.demands, owned)


def _analyse(session: Session, tree: Tree | None = None) -> Analysis:
    started = time.perf_counter()
    tree = tree or session.tree
    with collector_off():
        program = session.index(tree)
        demands = collect(program, session.profile)
        wrappers = find_wrappers(program, session.profile)
        gaps = find_gaps(program, session.profile, wrappers, demands)
    scope = session.settings.scope
    fault = unknown_names(scope, session.profile, wrappers, demands, gaps)
    if fault is not None:
        option, name, known = fault
        raise ConfigError(
            f'--{option} "{name}" matches nothing here{did_you_mean(name, known)}', "shimgen scan --verbose"
        )
    stats = replace(program.stats(), seconds=round(time.perf_counter() - started, 3))
    return Analysis(tree.baseline, session.profile.name, session.root, wrappers, demands, in_scope(gaps, scope), stats)


def explain(settings: Settings, choose: Callable[[Analysis], Analysis]) -> Explanation:
    """What is known of the part of the analysis that `choose` returns, whatever the scope.

    The shims are as `generate` makes them; they are not verified. Raises BaselineError, ConfigError, GenerateError.
    """
    session = open_session(replace(settings, scope=EVERYTHING))
    analysis = choose(_analyse(session))
    program = session.index()
    changes, refused = _shims(session, analysis, program) if analysis.pending else ((), ())
    owned = provided(program, session.profile, [w.cls for w in analysis.wrappers], analysis.demands)
    shims = tuple(shim for change in changes for shim in change.shims)
    return Explanation(_with_refusals(analysis, refused), shims, owned)


def _shims(session: Session, analysis: Analysis, program: Program) -> tuple[tuple[FileChange, ...], tuple[Gap, ...]]:
    """The edited files that close the pending gaps, and the gaps that are refused after all."""
    from shimgen.shims import generate as generate_shims
    from shimgen.shims import style_from_pyproject

    style = style_from_pyproject(_pyproject(session.checkout))
    return generate_shims(analysis.pending, program, session.tree.read, style)


def generate(settings: Settings) -> Outcome:
    """The analysis and its verified series.

    A shim that cannot be placed becomes a refusal. Raises GenerateError when one fails its proof: nothing is emitted
    that was not shown to hold.
    """
    return _generate(open_session(settings))


def _generate(session: Session) -> Outcome:
    from shimgen.patch import render_changes

    analysis = _analyse(session)
    if not analysis.pending:
        return Outcome(analysis)
    changes, refused = _shims(session, analysis, session.index())
    proofs = _prove(session, analysis, changes)
    patch = baseline.render_patch(session.checkout, changes, render_changes) if changes else b""
    return Outcome(_with_refusals(analysis, refused), changes, patch, proofs)


def _pyproject(checkout: Checkout) -> str:
    """The text of the checkout's pyproject.toml, "" when there is none."""
    found = checkout.read("pyproject.toml")
    return found.decode("utf-8", "replace") if found is not None else ""


def _prove(session: Session, analysis: Analysis, changes: Sequence[FileChange]) -> tuple[Proof, ...]:
    from shimgen.verify import sandbox, static

    if not changes:
        return ()

    def again(tree: Tree) -> Sequence[Gap]:
        return _analyse(session, tree).gaps

    proofs = (*static(session.tree, changes, again, analysis.gaps), *sandbox(changes))
    verdict = summarise(proofs)
    if not verdict.passed:
        first = verdict.failures[0]
        where = f"{first.wrapper.path}: {first.wrapper.name}.{first.member}"
        message = f"{where} was generated and failed verification ({first.check}): {first.detail}; nothing was changed"
        raise GenerateError(message, f"shimgen explain {first.wrapper.name}.{first.member}")
    return proofs


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
    dirty = [p for p in session.checkout.dirty_files(paths) if session.checkout.prefix + p not in own]
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
    changes = tuple(FileChange(path, b"", b"") for path in sorted((*found.restored, *found.edited)))
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
