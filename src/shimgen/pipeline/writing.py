"""What changes a checkout, or writes files of the user's: apply, revert, series."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from shimgen import checkout as baseline
from shimgen.config import Settings
from shimgen.model.domain import FileChange
from shimgen.model.errors import BaselineError
from shimgen.model.results import Analysis, Outcome
from shimgen.pipeline.generation import generate_in
from shimgen.pipeline.pins import pin_fault
from shimgen.pipeline.session import Session, open_session, open_source


def apply(settings: Settings) -> Outcome:
    """`generate`, then write the series to the work tree: all or nothing. Nothing to do is no error.

    Raises BaselineError when the pin does not hold, or a file that would change differs from the baseline.
    """
    session = open_session(settings, writes=True)
    _refuse_unpinned(session)
    outcome = generate_in(session)
    _refuse_dirty(session, (change.path for change in outcome.changes))
    baseline.apply_changes(session.checkout, outcome.changes)
    return replace(outcome, recovered=session.recovered)


def _refuse_unpinned(session: Session) -> None:
    """Raises BaselineError that says how the checkout differs from the pin."""
    fault = pin_fault(session.settings.pin, session.checkout, session.tree.baseline)
    if fault is not None:
        raise BaselineError(f"{fault.sentence} ({session.checkout.root}); nothing was changed", fault.command)


def _refuse_dirty(session: Session, paths: Iterable[str]) -> None:
    """Uncommitted changes in a file that would be touched, other than shimgen's own, stop everything."""
    own = {file.path for file in baseline.state(session.checkout) if file.intact}
    dirty = [p for p in session.checkout.dirty_files(paths) if p not in own]
    if dirty:
        more = f" and {len(dirty) - 1} more" if len(dirty) > 1 else ""
        what, hint = _as_it_was(session)
        raise BaselineError(f"{dirty[0]}{more} {what} and would be changed; nothing was changed", hint)


def _as_it_was(session: Session) -> tuple[str, str]:
    """What a changed file is called, and how a person gets rid of the change."""
    if not session.settings.package:
        return "has uncommitted changes", f"git -C {session.checkout.root} commit or stash first"
    wanted = f"{session.settings.package}=={session.checkout.version}"
    python = session.settings.python or "python"
    return "is not as it was installed", f"{python} -m pip install --force-reinstall --no-deps {wanted}"


def revert(settings: Settings) -> Outcome:
    """Takes out of the work tree what apply put in. Nothing to revert is no error."""
    from shimgen.patch import undo

    opened = open_source(settings)
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
    outcome = generate_in(session)
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
