"""What apply did, on disk: one archive a run, with every file's content before and after.

For a git work tree the journal is in its git directory (`shimgen/`): there it is out of the way of `git status`, is
one per work tree and goes away with it. For a plain directory it is in `.shimgen/` at its top, the one place that
stays with the files when the directory is moved or deleted. For an installed package it is in the metadata folder
(`NAME.dist-info/shimgen/`) and in the installer's list of files, so that an uninstall takes it along. A record is
complete or not there: it is written beside and moved into place. Contents are kept here and not as git blobs, because
git may collect those.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from shimgen.checkout.files import move, sync_folder, write_new
from shimgen.model.errors import GenerateError

PENDING = "pending.zip"
LOCK = "lock"


class Entry(msgspec.Struct, frozen=True):
    """One file of a record, with its content before and after."""

    path: str
    before: bytes
    after: bytes


class Record(msgspec.Struct, frozen=True):
    """One run. `kind`: "apply" or "revert"; `head`, `version`: the baseline then; `drops`: the records taken back."""

    kind: str
    entries: tuple[Entry, ...]
    head: str = ""
    version: str = ""
    drops: tuple[str, ...] = ()


class Place(msgspec.Struct, frozen=True):
    """Where files are (`base`, to which recorded paths are relative) and where the journal about them is (`state`)."""

    base: Path
    state: Path

    @property
    def pending(self) -> Path:
        """The record of a run that has begun and not ended."""
        return self.state / PENDING


def applied(place: Place) -> list[str]:
    """The names of the records in effect, oldest first."""
    if not place.state.is_dir():
        return []
    return sorted(path.name for path in place.state.glob("[0-9]*.zip"))


def next_name(place: Place) -> str:
    """The name of the record that comes after those in effect."""
    names = applied(place)
    return f"{int(names[-1].removesuffix('.zip')) + 1 if names else 1:04d}.zip"


def read_record(path: Path) -> Record:
    """Raises GenerateError when the file is not a record that shimgen wrote."""
    from shimgen.checkout.archive import unpack  # slow to import, and most runs meet no journal

    try:
        return unpack(path.read_bytes())
    except (OSError, ValueError) as error:
        raise GenerateError(
            f"the record {path} cannot be read ({error})", "restore the checkout with git, then delete that file"
        ) from error


def write_pending(place: Place, record: Record) -> None:
    """From here on the run has begun."""
    from shimgen.checkout.archive import pack

    waiting = place.state / f"{PENDING}.new"
    waiting.unlink(missing_ok=True)
    write_new(waiting, pack(record))
    move(waiting, place.pending)


def settle(place: Place, record: Record) -> None:
    """The run has ended: its record counts from now on, or takes back those that it names."""
    if record.kind == "apply":
        move(place.pending, place.state / next_name(place))
        return
    drop(place, record.drops)
    place.pending.unlink()
    sync_folder(place.state)


def drop(place: Place, names: Sequence[str]) -> None:
    """Forget records, newest first."""
    for name in sorted(names, reverse=True):
        if name in applied(place):
            (place.state / name).unlink()


@contextmanager
def locked(place: Place) -> Iterator[None]:
    """Be the only shimgen that writes here. The lock ends with the process, however that ends.

    Raises GenerateError when another process holds it.
    """
    descriptor = _open_lock(place)
    try:
        with suppress(OSError):  # on a full disk nobody learns who holds the lock; it holds all the same
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
        yield
    finally:
        _leave_nothing(place)
        os.close(descriptor)


def _open_lock(place: Place) -> int:
    while True:
        try:
            _make_state(place)
            descriptor = os.open(place.state / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except FileNotFoundError:  # another process has just tidied up behind itself
            continue
        except OSError as error:
            message = f"cannot write to {place.state}: {error.strerror}; nothing was changed"
            raise GenerateError(message, f"ls -ld {place.state.parent}, and run this as who may write there") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_current(descriptor, place.state / LOCK):
                return descriptor
        except OSError as error:
            holder = os.pread(descriptor, 20, 0).decode().strip() or "unknown"
            os.close(descriptor)
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise GenerateError(
                    f"cannot lock {place.state / LOCK}: {error.strerror}", "move the checkout to a local disk"
                ) from error
            raise GenerateError(
                f"another shimgen (process {holder}) is writing to {place.base}", "wait for it, and run this again"
            ) from None
        os.close(descriptor)


def _make_state(place: Place) -> None:
    if not place.state.parent.is_dir():
        raise GenerateError(f"{place.state.parent} is not there any more", "ls -ld " + str(place.state.parent))
    if place.state.is_symlink():
        raise GenerateError(f"{place.state} is a symbolic link, and is not written to", f"rm {place.state}")
    place.state.mkdir(exist_ok=True)


def _is_current(descriptor: int, path: Path) -> bool:
    """Whether the file locked is still the one that others would lock."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _leave_nothing(place: Place) -> None:
    """Without records, no trace is left in the checkout."""
    if not applied(place) and not place.pending.exists():
        (place.state / f"{PENDING}.new").unlink(missing_ok=True)
        (place.state / LOCK).unlink(missing_ok=True)
        try:
            place.state.rmdir()
        except OSError:
            return  # something else is in there, or another process has just come
