"""A series as files, and a reviewed series brought back: what was reviewed, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from shimgen import __version__
from shimgen import checkout as baseline
from shimgen.config import Settings
from shimgen.model.carried import CarriedPatch, CarriedState
from shimgen.model.domain import FileChange
from shimgen.model.errors import BaselineError, ConfigError, GenerateError
from shimgen.model.results import Analysis, Outcome, Step
from shimgen.pipeline.generation import generate_in
from shimgen.pipeline.session import Session, open_session, timed
from shimgen.pipeline.steps import Page, pages

if TYPE_CHECKING:
    from shimgen.patch import FilePatch

SCHEMA = "shimgen-series/1"
MANIFEST = "series.json"
LIST = "series"
AGAIN = "shimgen patch -o DIR"


class _MadeFor(msgspec.Struct, frozen=True):
    kind: str
    id: str
    version: str
    digest: str


class _Patch(msgspec.Struct, frozen=True):
    file: str
    sha256: str


class _File(msgspec.Struct, frozen=True):
    path: str
    before: str
    after: str


class _Manifest(msgspec.Struct, frozen=True):
    """`series.json`: what a series was made for, its patches, and the files it touches, each with its sha256."""

    schema: str
    shimgen: str
    profile: str
    baseline: _MadeFor
    patches: tuple[_Patch, ...]
    files: tuple[_File, ...]


def series(settings: Settings, folder: Path) -> tuple[Outcome, tuple[Path, ...]]:
    """`generate`, then write the series as files into `folder`; returns them in order. Raises GenerateError.

    One baseline gives the same bytes again. Patches of an earlier series in the folder are taken away; so is all of it
    when nothing is needed any more.
    """
    from shimgen.patch import Letter, render_series
    from shimgen.report import letters

    session = open_session(settings)
    outcome = generate_in(session)
    if not outcome.changes:
        if _earlier(folder) and not generate_in(session, steps=True).steps:
            from shimgen.patch import COVER

            baseline.write_folder(folder, {}, (*_earlier(folder), COVER, LIST, MANIFEST))
        return outcome, ()
    made = pages(outcome, session.read)
    mails = [Letter(page.subject, page.body, _file_patches(session, page)) for page in made]
    identity = baseline.identify(session.checkout)
    who = {"date": identity.date, "author": identity.author}
    named = {key: value for key, value in who.items() if value}
    files = dict(render_series(mails, cover=letters.cover(outcome, len(made)), **named))
    files[MANIFEST] = _manifest(session, outcome, files)
    return outcome, baseline.write_folder(folder, files, _earlier(folder))


def _earlier(folder: Path) -> list[str]:
    """The patches of a series that was written to the folder before. Raises ConfigError when it holds another's."""
    if not (folder / LIST).is_file():
        return []
    if not (folder / MANIFEST).is_file():
        message = f"{folder} holds a series that is not shimgen's ({LIST} without {MANIFEST}); nothing was written"
        raise ConfigError(message, "shimgen patch -o another DIR")
    names = [patch.file for patch in _read_manifest(folder).patches]
    return [name for name in names if name.endswith(".patch") and "/" not in name]


def _file_patches(session: Session, page: Page) -> tuple[FilePatch, ...]:
    from shimgen.patch import read_patch, render_changes

    return read_patch("the patch", baseline.render_patch(session.checkout, page.changes, render_changes))


def _manifest(session: Session, outcome: Outcome, files: Mapping[str, bytes]) -> bytes:
    """What the series was made for, and the digests of all that it consists of and touches."""
    source = session.tree.baseline
    manifest = _Manifest(
        SCHEMA,
        __version__,
        session.profile.name,
        _MadeFor(source.kind, source.id, source.version, baseline.digest(session.tree.blobs)),
        tuple(_Patch(name, _sha256(files[name])) for name in _patch_names(files[LIST])),
        tuple(
            _File(session.checkout.prefix + change.path, _sha256(change.before), _sha256(change.after))
            for change in outcome.changes
        ),
    )
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


def _patch_names(listed: bytes) -> list[str]:
    return listed.decode("utf-8", "replace").split("\n")[:-1]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def replay(session: Session, folder: Path) -> Outcome:
    """The changes of a reviewed series, for this checkout; none where it stands already. Nothing is generated.

    Raises ConfigError when the folder holds no series, GenerateError when a file of the series is not as it was
    written, BaselineError when the checkout is not what the series was made for.
    """
    manifest = _read_manifest(folder)
    contents = _reviewed(folder, manifest)
    rows = {_path(session, file.path): (file.before, file.after) for file in manifest.files}
    now = {path: session.read(path) for path in rows}
    found = {path: _sha256(content) if content is not None else "" for path, content in now.items()}
    analysis = timed(session, Analysis(session.tree.baseline, session.profile.name, session.root))
    if rows and all(found[path] == after for path, (_, after) in rows.items()):
        return Outcome(analysis)
    _refuse_drift(session, manifest, rows, found)
    start = {path: content for path, content in now.items() if content is not None}
    steps = _steps(session, contents, start)
    ends = dict(start)
    for step in steps:
        ends.update((change.path, change.after) for change in step.changes)
    wrong = next((path for path, (_, after) in rows.items() if _sha256(ends[path]) != after), None)
    if wrong is not None:
        raise GenerateError(f"the patches of {folder} do not lead to what {MANIFEST} says of {wrong}", AGAIN)
    changes = tuple(FileChange(path, start[path], ends[path]) for path in sorted(rows))
    return Outcome(analysis, changes, steps=steps)


def _read_manifest(folder: Path) -> _Manifest:
    path = folder / MANIFEST
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=_Manifest)
    except OSError as error:
        raise ConfigError(f"{folder} holds no series: {path.name} cannot be read ({error.strerror})", AGAIN) from error
    except msgspec.MsgspecError as error:
        raise ConfigError(f"{path} describes no series: {error}", AGAIN) from error
    if manifest.schema != SCHEMA:
        raise ConfigError(f"{path} describes no series: its schema is {manifest.schema!r}, not {SCHEMA!r}", AGAIN)
    return manifest


def _reviewed(folder: Path, manifest: _Manifest) -> dict[str, bytes]:
    """The patches of the series, each as it was written, and no other. Raises GenerateError."""
    names = [patch.file for patch in manifest.patches]
    there = sorted(path.name for path in folder.glob("*.patch"))
    odd = sorted(set(names) ^ set(there))
    if odd:
        verb = "is missing from" if odd[0] in names else "is no part of"
        raise GenerateError(f"{odd[0]} {verb} the series in {folder}; nothing was changed", AGAIN)
    listed = (folder / LIST).read_bytes() if (folder / LIST).is_file() else b""
    if _patch_names(listed) != names:
        raise GenerateError(f"{folder / LIST} lists other patches than {MANIFEST}; nothing was changed", AGAIN)
    contents = {name: (folder / name).read_bytes() for name in names}
    for patch in manifest.patches:
        if _sha256(contents[patch.file]) != patch.sha256:
            message = f"{folder / patch.file} is not as the series was written; nothing was changed"
            raise GenerateError(message, f"restore it, or: {AGAIN}")
    return contents


def _path(session: Session, path: str) -> str:
    """A path of the series as the checkout has it."""
    return path.removeprefix(session.checkout.prefix)


def _refuse_drift(
    session: Session, manifest: _Manifest, rows: Mapping[str, tuple[str, str]], found: Mapping[str, str]
) -> None:
    """Raises BaselineError where the checkout is not what the series was made for: shims depend on more of its Python
    files than they change."""
    made_for = manifest.baseline.id[:12]
    for path, (before, after) in rows.items():
        if found[path] != before:
            what = "has this series already, and others do not" if found[path] == after else "is not as it was there"
            message = f"the series was made for {made_for}, and {path} {what if found[path] else 'is not here'}"
            raise BaselineError(f"{message}; nothing was changed", f"shimgen revert, or {AGAIN}")
    if baseline.digest(session.tree.blobs) != manifest.baseline.digest:
        message = f"the series was made for {made_for}, and Python files that it does not touch differ here"
        raise BaselineError(f"{message} ({session.tree.baseline.id[:12]}); nothing was changed", AGAIN)


def _steps(session: Session, contents: Mapping[str, bytes], start: Mapping[str, bytes]) -> tuple[Step, ...]:
    """Patch after patch, each on what the ones before it left."""
    from shimgen.patch import Conflict, apply_exact, read_patch

    now = dict(start)
    steps = []
    for name, content in contents.items():
        changes = []
        for patch in read_patch(name, content):
            path = _path(session, patch.path)
            if path not in now:
                raise GenerateError(
                    f"{name} changes {path}, which {MANIFEST} does not name; nothing was changed", AGAIN
                )
            after = apply_exact(patch, now[path])
            if isinstance(after, Conflict):
                where = f"{path}:{after.line}: {after.reason}"
                raise GenerateError(f"{name} does not apply ({where}); nothing was changed", AGAIN)
            changes.append(FileChange(path, now[path], after))
            now[path] = after
        paths = tuple(change.path for change in changes)
        steps.append(Step(tuple(changes), CarriedPatch(name, "", True, CarriedState.APPLIES, paths)))
    return tuple(steps)
