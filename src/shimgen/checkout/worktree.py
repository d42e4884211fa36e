"""The Python files of a git work tree as they are on disk.

What git's index knows of a file (time, size, inode) tells whether it still is what git has; only files of which it
does not are read and hashed. git is never asked to compare contents itself: it would run the filters that the
checkout configures.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from shimgen.checkout.command import finish, paths_in, start
from shimgen.checkout.links import behind, told
from shimgen.checkout.objects import listing, read_blobs
from shimgen.checkout.reading import Seen, read_seen, read_unchanged, unreadable
from shimgen.checkout.repository import PYTHON_FILES, Repository
from shimgen.checkout.scratch import converted_ids
from shimgen.model.errors import BaselineError
from shimgen.model.source import Baseline, Skipped, Tree

ENTRY = re.compile(
    rb"(\S) (\d{6}) ([0-9a-f]+) (\d)\t([^\0]*)\0"
    rb"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: (\d+)\n  uid: \d+\tgid: \d+\n  size: (\d+)\t.*\n"
)
REGULAR = (b"100644", b"100755")
LINK = b"120000"


class _Listing(msgspec.Struct):
    """What is known of the work tree while it is being listed. `links` says where they lead, `others` why files are
    left out that are no links themselves."""

    blobs: dict[str, str]
    seen: dict[str, Seen]
    dirty: set[str]
    links: dict[str, str]
    others: dict[str, str]


def worktree_tree(repository: Repository) -> Tree:
    """The tracked and untracked (not ignored) Python files below the directory that the repository is seen from.

    Symbolic links and submodules are left out. A file that a sparse checkout leaves out is read from git's objects.
    """
    folder = repository.folder
    found = _Listing({}, {}, set(), {}, {})
    with (
        start(folder, "ls-files", "--stage", "--debug", "-t", "-z", "--", PYTHON_FILES) as index,
        start(folder, "ls-files", "--others", "--exclude-standard", "-z", "--", PYTHON_FILES) as others,
        start(folder, *STAGED, repository.head, "--", PYTHON_FILES) as staged,
    ):
        _list_index(repository, finish(index), found)
        for path in paths_in(finish(others)):
            _list_untracked(repository, path, found)
        dirty = found.dirty | {path for path in paths_in(finish(staged)) if path.endswith(".py")}
    if not found.blobs:
        raise BaselineError(f"{folder} has no Python files", "shimgen scan CHECKOUT")
    baseline = Baseline("git", repository.head, tuple(sorted(dirty)))
    blobs = dict(sorted(found.blobs.items()))
    apart = (Skipped(path, reason) for path, reason in sorted(found.others.items()))
    links = (*told(found.links, str(folder), blobs), *apart)
    return Tree(baseline, blobs, lambda paths: _load(repository, blobs, found.seen, paths), links)


def changed_files(repository: Repository, paths: Sequence[str]) -> set[str]:
    """Those of `paths` that are not on the disk as the commit has them."""
    held = {path: blob for path, (_, blob) in listing(repository, repository.head, paths).items()}
    now: dict[str, str] = {}
    for path in paths:
        target = repository.folder / path
        if target.is_file() and not target.is_symlink():
            now[path] = repository.object_id(target.read_bytes())
    changed = {path for path in paths if now.get(path) != held.get(path)}
    same = converted_ids(repository, sorted(changed & now.keys()))
    return {path for path in changed if path not in held or same.get(path) != held[path]}


STAGED = ("diff-index", "--cached", "--name-only", "-z", "--relative", "--no-renames", "--ignore-submodules=all")


def _list_index(repository: Repository, output: bytes, found: _Listing) -> None:
    index_time = (repository.gitdir / "index").stat().st_mtime_ns if output else 0
    root = f"{repository.folder}/"
    unsure: dict[str, str] = {}
    folders: dict[str, str] = {}
    for tag, mode, blob, stage, name, *numbers in ENTRY.findall(output):
        path = name.decode("utf-8", "surrogateescape")
        if mode not in (*REGULAR, LINK) or not path.endswith(".py"):
            continue
        link = behind(str(repository.folder), path, folders)
        if link:
            found.others[path] = f"lies behind the symbolic link {link}, which is not followed"
            found.dirty.add(path)
            continue
        try:
            now = os.lstat(root + path)
        except (FileNotFoundError, NotADirectoryError):
            if tag == b"S":
                found.blobs[path] = blob.decode()
            else:
                found.dirty.add(path)
            continue
        except OSError as error:
            raise unreadable(root + path, error) from error
        if stat.S_ISLNK(now.st_mode):
            found.links[path] = os.readlink(root + path)  # noqa: PTH115 - for every file
        elif mode == LINK:
            found.others[path] = "is a symbolic link in git and none on the disk"
        if mode in REGULAR and not stat.S_ISREG(now.st_mode):
            found.dirty.add(path)
        if mode == LINK or not stat.S_ISREG(now.st_mode):
            continue
        found.blobs[path] = blob.decode()
        found.seen[path] = (now.st_mtime_ns, now.st_size)
        if stage != b"0" or not _as_recorded(now, numbers, index_time):
            unsure[path] = blob.decode()
    _compare(repository, unsure, found)


def _as_recorded(now: os.stat_result, numbers: list[bytes], index_time: int) -> bool:
    """Whether a file is as the index saw it, and was last written safely before the index was."""
    ctime, ctime_ns, mtime, mtime_ns, inode, size = map(int, numbers)
    written = mtime * 1_000_000_000 + mtime_ns
    # Where an index has no sub-second times the files look changed, and are then compared by content.
    same_time = now.st_mtime_ns == written and now.st_ctime_ns == ctime * 1_000_000_000 + ctime_ns
    return same_time and now.st_size & 0xFFFFFFFF == size and now.st_ino & 0xFFFFFFFF == inode and written < index_time


def _compare(repository: Repository, unsure: Mapping[str, str], found: _Listing) -> None:
    """Read the files that may have changed, and tell those that did."""
    changed: dict[str, str] = {}
    for path, blob in unsure.items():
        content, found.seen[path] = read_seen(f"{repository.folder}/{path}")
        own = repository.object_id(content)
        if own != blob:
            changed[path] = own
    same = converted_ids(repository, changed)
    for path, own in changed.items():
        if same.get(path) != unsure[path]:
            found.blobs[path] = own
            found.dirty.add(path)


def _list_untracked(repository: Repository, path: str, found: _Listing) -> None:
    target = repository.folder / path
    if not path.endswith(".py"):
        return
    if target.is_symlink():
        found.links[path] = str(target.readlink())
    elif target.is_file():
        content, found.seen[path] = read_seen(str(target))
        found.blobs[path] = repository.object_id(content)
        found.dirty.add(path)


def _load(
    repository: Repository, blobs: Mapping[str, str], seen: Mapping[str, Seen], paths: Iterable[str]
) -> Mapping[str, bytes]:
    contents: dict[str, bytes] = {}
    absent: dict[str, str] = {}
    for path in paths:
        if path in seen:
            contents[path] = read_unchanged(f"{repository.folder}/{path}", seen[path])
        else:
            absent[path] = blobs[path]
    stored = read_blobs(repository, absent.values())
    return {**contents, **{path: stored[blob] for path, blob in absent.items()}}
