"""What apply put in: is it still there, and taking it out again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shimgen.checkout.files import content_id, inside
from shimgen.checkout.journal import Entry, Place, Record, applied, drop, read_record
from shimgen.checkout.transaction import perform
from shimgen.model.domain import FileChange
from shimgen.model.errors import GenerateError
from shimgen.model.source import blob_id

Undo = Callable[[FileChange, bytes], bytes]
"""Takes a change out of a content that was edited since; raises GenerateError when it cannot (`patch.undo`)."""
Replaced = Callable[[Record, str, bytes], bool]
"""Whether a content of a path came with another baseline than the record's (an upgrade took the place of the file)."""


def origins(place: Place) -> dict[str, bytes]:
    """Path -> content before shimgen, of the files that still are as it left them.

    Where something else changed a file between two runs (a commit, another release), it is what the later one found.
    """
    first: dict[str, bytes] = {}
    last: dict[str, str] = {}
    for name in applied(place):
        for entry in read_record(place.state / name).entries:
            if last.get(entry.path) != blob_id(entry.before):
                first[entry.path] = entry.before
            last[entry.path] = blob_id(entry.after)
    return {path: first[path] for path, after in last.items() if content_id(inside(place.base, path)) == after}


def contents(place: Place) -> dict[str, set[str]]:
    """Path -> the ids of all contents that records in effect found or left there."""
    found: dict[str, set[str]] = {}
    for name in applied(place):
        for entry in read_record(place.state / name).entries:
            found.setdefault(entry.path, set()).update((blob_id(entry.before), blob_id(entry.after)))
    return found


def take_out(place: Place, undo: Undo, replaced: Replaced) -> tuple[str, ...]:
    """Undo all records, newest first, as one change, and give the paths that it changed. The caller holds the lock and
    has recovered.

    Raises GenerateError, with nothing changed, when some file was edited where apply had put something.
    """
    names = applied(place)
    now = _work_back(place, [read_record(place.state / name) for name in reversed(names)], undo, replaced)
    entries = tuple(Entry(path, before, after) for path, (before, after) in sorted(now.items()) if before != after)
    if entries:
        perform(place, Record("revert", entries, drops=tuple(names)))
    else:
        drop(place, names)
    return tuple(entry.path for entry in entries)


def _work_back(
    place: Place, records: Sequence[Record], undo: Undo, replaced: Replaced
) -> dict[str, tuple[bytes, bytes]]:
    """Path -> (content on disk, content without shimgen), of the files that are still there."""
    contents: dict[str, tuple[bytes, bytes]] = {}
    above: dict[str, Record] = {}
    for record in records:
        for entry in record.entries:
            target = inside(place.base, entry.path)
            if entry.path not in contents and not content_id(target):
                continue  # deleted since
            disk, current = contents.get(entry.path) or (target.read_bytes(),) * 2
            later = above.get(entry.path)
            without = _without(record, entry, current, undo, replaced if later is None else _found_by(later))
            contents[entry.path] = (disk, current if without is None else without)
            if without is not None:
                above[entry.path] = record
    return contents


def _found_by(later: Record) -> Replaced:
    """Whether what a later run found in the place of what an earlier one had left came with another baseline."""
    return lambda record, *_: (record.head, record.version) != (later.head, later.version)


def _without(record: Record, entry: Entry, current: bytes, undo: Undo, replaced: Replaced) -> bytes | None:
    """The content without what the entry put in; None when nothing of it is there any more."""
    if current == entry.after:
        return entry.before
    if current == entry.before:
        return None
    try:
        return undo(FileChange(entry.path, entry.before, entry.after), current)
    except GenerateError as error:
        if replaced(record, entry.path, current):
            return None
        raise GenerateError(
            f"{error.message}; nothing was changed", f"take the shims out of {entry.path} by hand, or restore the file"
        ) from error
