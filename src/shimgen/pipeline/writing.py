"""What changes a checkout: apply, by generation or from a reviewed series, and revert."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from shimgen import checkout as baseline
from shimgen.checkout import Commit, Made
from shimgen.config import Settings
from shimgen.model.domain import FileChange
from shimgen.model.errors import BaselineError, GenerateError
from shimgen.model.results import Analysis, Outcome
from shimgen.pipeline.filing import replay
from shimgen.pipeline.generation import generate_in
from shimgen.pipeline.pins import pin_fault
from shimgen.pipeline.session import Session, open_session, open_source
from shimgen.pipeline.steps import pages


class Manner(msgspec.Struct, frozen=True):
    """How a series is applied. `series`: a folder with a reviewed one, which is brought back in place of generating;
    `branch`: a new branch to do it on; `commit`: "each" makes a commit of each letter, "one" of all, "" none;
    `dry`: everything but writing."""

    series: Path | None = None
    branch: str = ""
    commit: str = ""
    dry: bool = False


AS_IT_IS = Manner()


def apply(settings: Settings, manner: Manner = AS_IT_IS) -> Outcome:
    """`generate` (or take a reviewed series), then write it to the work tree: all or nothing.

    Nothing to do is no error. Raises BaselineError when the pin does not hold, or a file that would change differs from
    the baseline.
    """
    session = open_session(settings, writes=not manner.dry)
    _refuse_unpinned(session)
    if manner.branch or manner.commit:
        baseline.check_recording(session.checkout, manner.branch)
    if manner.series is not None:
        outcome = replay(session, manner.series)
    else:
        outcome = generate_in(session, steps=bool(manner.commit))
    _refuse_dirty(session, (change.path for change in outcome.changes))
    made, subjects = _commits(session, outcome, manner.commit)
    written = replace(outcome, recovered=session.recovered)
    if manner.dry:
        return written
    paths = baseline.apply_changes(session.checkout, outcome.changes)
    if made.ids or (manner.branch and outcome.changes):
        try:
            baseline.adopt(session.checkout, made, manner.branch)
        except BaseException:
            if paths:
                baseline.take_back(session.checkout)
            raise
    return replace(written, commits=tuple(zip(made.ids, subjects, strict=True)))


def _commits(session: Session, outcome: Outcome, how: str) -> tuple[Made, tuple[str, ...]]:
    """The commits that lead from what is checked out to the end of the series, and their first lines."""
    if not how:
        return Made(()), ()
    committed = _committed(session, outcome)
    made = pages(outcome, lambda path: committed.get(path))
    if how == "one" and made:
        from shimgen.report import letters

        ends = {change.path: change.after for page in made for change in page.changes}
        changes = tuple(FileChange(path, committed[path], ends[path]) for path in sorted(ends))
        commits = [Commit(letters.together([page.subject for page in made]), changes)]
    else:
        commits = [Commit(page.message, page.changes) for page in made]
    date = baseline.identify(session.checkout).date
    found = baseline.make_commits(session.checkout, commits, date)
    return found, tuple(commit.message.partition("\n")[0] for commit in commits)


def _committed(session: Session, outcome: Outcome) -> Mapping[str, bytes]:
    """What is checked out has of the files that the series is about."""
    paths = {change.path for change in outcome.changes}
    paths |= {change.path for step in outcome.steps for change in step.changes}
    head = baseline.open_checkout(session.checkout.root, "HEAD")
    found = {path: head.read(path) for path in sorted(paths)}
    held = {path: content for path, content in found.items() if content is not None}
    for path in baseline.other_forms(session.checkout, held):
        message = f"git has {path} in another form than the work tree (line ends, or another commit's)"
        raise GenerateError(
            f"{message}, so it is not committed; nothing was changed", "leave out --commit, and commit by hand"
        )
    return held


def _refuse_unpinned(session: Session) -> None:
    """Raises BaselineError that says how the checkout differs from the pin."""
    fault = pin_fault(session)
    if fault is not None:
        raise BaselineError(f"{fault.sentence} ({session.checkout.root}); nothing was changed", fault.command)


def _refuse_dirty(session: Session, paths: Iterable[str]) -> None:
    """Uncommitted changes in a file that would be touched, other than shimgen's own, stop everything."""
    own = baseline.origins(session.checkout)
    dirty = [p for p in session.checkout.dirty_files(paths) if p not in own]
    if dirty:
        more = f" and {len(dirty) - 1} more" if len(dirty) > 1 else ""
        what, hint = _as_it_was(session)
        raise BaselineError(f"{dirty[0]}{more} {what} and would be changed; nothing was changed", hint)


def _as_it_was(session: Session) -> tuple[str, str]:
    """What a changed file is called, and how a person gets rid of the change."""
    if not session.settings.package:
        return "has uncommitted changes", f"git -C {session.checkout.root} stash (or commit them), then run this again"
    wanted = f"{session.settings.package}=={session.checkout.version}"
    python = session.settings.python or "python"
    return "is not as it was installed", f"{python} -m pip install --force-reinstall --no-deps {wanted}"


def revert(settings: Settings) -> Outcome:
    """Takes out of the work tree what apply put in. Nothing to revert is no error."""
    opened = open_source(settings)
    recovered = baseline.recover(opened)
    changes = tuple(FileChange(path, b"", b"") for path in baseline.revert(opened, _take_out))
    tree = opened.tree()
    return Outcome(Analysis(tree.baseline, settings.profile_name), changes, recovered=recovered or "")


def _take_out(change: FileChange, current: bytes) -> bytes:
    """`current` without what `change` put in. Raises GenerateError where that stands there otherwise by now."""
    from shimgen.patch import undo

    try:
        return undo(change, current)
    except GenerateError:
        from shimgen.shims import take_out

        found = take_out(change.before, change.after, current)
        if found is None:
            raise
        return found
