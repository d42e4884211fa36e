"""Changing several files as one: all of them, or none, also when the process is killed.

The order is what makes it safe. (1) Every file is compared with what the change was made for. (2) A record with all
contents is on the disk (`pending.zip`). (3) The new files are written beside the old ones. (4) They are moved into
place. (5) The record is moved from pending to applied. Killed before (2): nothing has happened. Killed later: the
next command finds the pending record and, if no file has been moved yet, clears up; else it moves the others too.
"""

from __future__ import annotations

from pathlib import Path

from shimgen.checkout.files import (
    RETRY,
    beside,
    content_id,
    inside,
    regular_target,
    sync_folder,
    unwritable,
    write_beside,
)
from shimgen.checkout.journal import Entry, Place, Record, read_record, settle, write_pending
from shimgen.model.errors import GenerateError
from shimgen.model.source import blob_id


def perform(place: Place, record: Record) -> None:
    """Carry out `record`; the caller holds the lock and has recovered. Raises GenerateError with nothing changed."""
    targets = _checked(place, record)
    try:
        write_pending(place, record)
        _write_all(targets, {entry.path: entry.after for entry in record.entries})
    except OSError as error:
        _take_back(place, record, targets)
        raise unwritable(error) from error
    except BaseException:
        _take_back(place, record, targets)
        raise
    settle(place, record)


def _checked(place: Place, record: Record) -> dict[str, Path]:
    """The files to write, each found to be what its change was made for."""
    targets = {entry.path: regular_target(place.base, entry.path) for entry in record.entries}
    if len(targets) != len(record.entries):
        raise GenerateError("a file is listed twice in one change; nothing was changed", RETRY)
    same: dict[tuple[int, int], str] = {}
    for entry in record.entries:
        target = targets[entry.path]
        if target.read_bytes() != entry.before:
            raise GenerateError(f"{target} has changed since the patch was made for it; nothing was changed", RETRY)
        now = target.stat()
        other = same.setdefault((now.st_dev, now.st_ino), entry.path)
        if other != entry.path:
            raise GenerateError(
                f"{other} and {entry.path} are one file; nothing was changed",
                "make two files of it: cp, and mv over one",
            )
    return targets


def _write_all(targets: dict[str, Path], contents: dict[str, bytes]) -> None:
    for path, content in contents.items():
        write_beside(targets[path], content)
    for path in contents:
        beside(targets[path]).rename(targets[path])
    for folder in {targets[path].parent for path in contents}:
        sync_folder(folder)


def _take_back(place: Place, record: Record, targets: dict[str, Path]) -> None:
    moved = {e.path: e.before for e in record.entries if content_id(targets[e.path]) == blob_id(e.after)}
    try:
        _write_all(targets, moved)
    except OSError as error:
        raise GenerateError(
            f"cannot write {error.filename}: {error.strerror}; {len(moved)} of {len(targets)} files are changed",
            "make room or set the permissions right; the next shimgen command then completes the change",
        ) from error
    _clear(targets)
    place.pending.unlink(missing_ok=True)


def _clear(targets: dict[str, Path]) -> None:
    for target in targets.values():
        beside(target).unlink(missing_ok=True)


def recover(place: Place) -> str | None:
    """End what a killed run began, and say how; None when there was nothing. The caller holds the lock.

    Raises GenerateError when a file was edited in between, so that it can neither be completed nor taken back.
    """
    if not place.pending.exists():
        return None
    record = read_record(place.pending)
    targets = {entry.path: inside(place.base, entry.path) for entry in record.entries}
    now = {entry.path: _stands(entry, targets[entry.path]) for entry in record.entries}
    if "after" not in now.values():
        _clear(targets)
        place.pending.unlink()
        return f"An interrupted {record.kind} was taken back: no file had been changed yet."
    edited = [path for path, which in now.items() if which == "other"]
    if edited:
        raise GenerateError(
            f"an interrupted {record.kind} cannot be completed, because {edited[0]} was edited in between",
            f"git checkout -- {edited[0]} (or undo the edit), then run the command again",
        )
    _write_all(targets, {e.path: e.after for e in record.entries if now[e.path] == "before"})
    _clear(targets)
    settle(place, record)
    return f"An interrupted {record.kind} was completed: {len(record.entries)} files."


def _stands(entry: Entry, target: Path) -> str:
    found = content_id(target)
    return {blob_id(entry.before): "before", blob_id(entry.after): "after"}.get(found, "other")
