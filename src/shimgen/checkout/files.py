"""Writing files so that they are there, complete, or not there at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from shimgen.model.errors import GenerateError
from shimgen.model.source import blob_id

RETRY = "shimgen diff"


def beside(target: Path) -> Path:
    """Where the new content of `target` waits until it is moved into place (same directory, so same file system)."""
    return target.with_name(f".{target.name}.shimgen")


def write_beside(target: Path, content: bytes) -> None:
    """Write `content` next to `target`, with the mode and, as far as permitted, the owner of `target`."""
    waiting = beside(target)
    waiting.unlink(missing_ok=True)
    like = target.lstat()
    write_new(waiting, content, stat.S_IMODE(like.st_mode))
    made = waiting.lstat()
    if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.chown(waiting, like.st_uid, like.st_gid)
            waiting.chmod(stat.S_IMODE(like.st_mode))  # a change of owner takes away set-id bits
        except PermissionError:
            pass  # as git does: the file then belongs to who replaced it


def write_new(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Create `path`, which must not exist, and do not return before it is on the disk. Raises OSError, with the file's
    name and no file left, when that fails."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_folder(folder: Path, contents: Mapping[str, bytes], earlier: Iterable[str] = ()) -> tuple[Path, ...]:
    """Write files of these names into `folder`, which is made; all are complete before the first takes its place.
    Returns their paths.

    Of the names of an `earlier` run, those that are not written again are deleted. Raises GenerateError when the
    folder cannot be written.
    """
    targets = [folder / name for name in contents]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for target, content in zip(targets, contents.values(), strict=True):
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
            beside(target).unlink(missing_ok=True)
            write_new(beside(target), content)
        for target in targets:
            beside(target).rename(target)
        for name in set(earlier) - contents.keys():
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        for target in targets:
            with suppress(OSError):
                beside(target).unlink(missing_ok=True)
        raise unwritable(error) from error
    return tuple(targets)


def unwritable(error: OSError) -> GenerateError:
    """What is told when a file cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        hint = "make room, then run the command again"
    else:
        hint = f"ls -ld {Path(error.filename).parent}, and run this as who may write there"
    return GenerateError(f"cannot write {error.filename}: {error.strerror}; nothing was changed", hint)


def move(source: Path, target: Path) -> None:
    """Put `source` in the place of `target` and do not return before the directory is on the disk."""
    source.rename(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names of a directory to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # as some network file systems say of any folder
            raise OSError(error.errno, error.strerror, str(folder)) from error
    finally:
        os.close(descriptor)


def inside(base: Path, path: str) -> Path:
    """The file `path` below `base`. Raises GenerateError when that is not really inside `base`."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or parts[0] == ".git":
        raise GenerateError(f"{path!r} is not a path inside {base}", "take it out of what names it")
    target = base.joinpath(*parts)
    if target.parent.resolve() != target.parent:
        raise GenerateError(f"{target} lies behind a symbolic link, and is not written to", RETRY)
    return target


def regular_target(base: Path, path: str) -> Path:
    """As `inside`, for a file that must be there. Raises GenerateError when it is not, or is no regular file."""
    target = inside(base, path)
    if target.is_symlink():
        raise GenerateError(f"{target} is a symbolic link, and is not written to", RETRY)
    if not target.is_file():
        hint = f"git sparse-checkout add {PurePosixPath(path).parent}, or restore the file"
        raise GenerateError(f"{target} is not there (deleted, or left out of a sparse checkout)", hint)
    return target


def content_id(target: Path) -> str:
    """The blob id of what is on the disk, "" when there is no such regular file."""
    if target.is_symlink() or not target.is_file():
        return ""
    return blob_id(target.read_bytes())
