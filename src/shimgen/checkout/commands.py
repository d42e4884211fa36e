"""The commands that write a checkout, and the patch text that says what they write."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from shimgen.checkout import transaction
from shimgen.checkout.journal import LOCK, Entry, Record, applied, locked, next_name, read_record
from shimgen.checkout.objects import listing
from shimgen.checkout.opening import Checkout
from shimgen.checkout.package import listed_too
from shimgen.checkout.repository import Repository
from shimgen.checkout.scratch import Scratch, scratch
from shimgen.checkout.undoing import Undo, contents, take_out
from shimgen.checkout.undoing import origins as origins_of
from shimgen.model.domain import FileChange
from shimgen.model.errors import GenerateError
from shimgen.model.source import blob_id

Renderer = Callable[[Sequence[FileChange], Mapping[str, str]], bytes]
"""Patch text of changes, given the git mode of each path (`patch.render_changes`)."""
DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--text", "--unified=3")


def apply_changes(checkout: Checkout, changes: Sequence[FileChange]) -> tuple[str, ...]:
    """Write the changes, all or none, and remember them for revert; returns the paths written, sorted.

    What an earlier run left unfinished is ended first. Raises GenerateError, with nothing changed, when a file is
    not byte for byte what its change was made for, cannot be written, or another shimgen is writing.
    """
    if checkout.revision:
        raise GenerateError("a revision cannot be changed, only a work tree", "leave out --at")
    wanted = [change for change in sorted(changes, key=lambda c: c.path) if change.before != change.after]
    if not wanted:
        return ()
    entries = tuple(Entry(checkout.prefix + c.path, c.before, c.after) for c in wanted)
    with locked(checkout.place):
        transaction.recover(checkout.place)
        entries += _listing(checkout)
        transaction.perform(checkout.place, Record("apply", entries, checkout.head, checkout.version))
    return tuple(change.path for change in wanted)


def take_back(checkout: Checkout) -> None:
    """Undo what the last `apply_changes` wrote, and nothing that an earlier one did."""
    with locked(checkout.place):
        name = applied(checkout.place)[-1]
        record = read_record(checkout.place.state / name)
        entries = tuple(Entry(entry.path, entry.after, entry.before) for entry in record.entries)
        transaction.perform(checkout.place, Record("revert", entries, drops=(name,)))


def _listing(checkout: Checkout) -> tuple[Entry, ...]:
    """For an installed package: its list of files has to name the journal, so that an uninstall takes that along."""
    if checkout.package is None:
        return ()
    state = checkout.place.state.relative_to(checkout.root).as_posix()
    before = (checkout.root / checkout.package.record).read_bytes()
    after = listed_too(before, [f"{state}/{name}" for name in (LOCK, next_name(checkout.place))])
    return (Entry(checkout.package.record, before, after),)


def revert(checkout: Checkout, undo: Undo) -> tuple[str, ...]:
    """Take out everything that apply put into this work tree (also below other directories of it), and give the paths
    of the files that changed; none when there was nothing to revert.

    A file that still is as apply left it becomes what it was, byte for byte. Where it was edited elsewhere, `undo`
    (pass `patch.undo`) takes out the shims and keeps the edit. Raises GenerateError, naming file and line and with
    nothing changed, where that is not possible.
    """
    place = checkout.place
    if not place.state.is_dir():
        return ()
    with locked(place):
        transaction.recover(place)
        found = take_out(place, undo, lambda *what: _replaced(checkout, *what))
    return tuple(_shown(checkout, path) for path in found if path != _own_list(checkout))


def _replaced(checkout: Checkout, record: Record, path: str, content: bytes) -> bool:
    """Whether `content` came with another commit, or package version, than the one that apply saw."""
    repository = checkout.repository
    if repository is None:
        return bool(record.version) and checkout.version not in ("", record.version)
    if record.head == repository.head:
        return False
    top = replace(repository, folder=repository.toplevel, prefix="")
    held = listing(top, repository.head, (path,)).get(path)
    return held is not None and held[1] == repository.object_id(content)


def _shown(checkout: Checkout, path: str) -> str:
    """A path of the journal, relative to the checkout as the user gave it."""
    return os.path.relpath(checkout.place.base / path, checkout.root).replace(os.sep, "/")


def recover(checkout: Checkout) -> str | None:
    """End what a killed apply or revert began: complete it or take it back. Says which, or None if nothing was to do.

    To be called before a tree is read, by every command that writes; the others tell what `interrupted` says. Raises
    GenerateError when a file was edited in between.
    """
    if checkout.revision or not checkout.place.pending.exists():
        return None
    with locked(checkout.place):
        return transaction.recover(checkout.place)


def interrupted(checkout: Checkout) -> str:
    """What a run that was killed, or is running now, has left open, as a sentence; "" when nothing is open."""
    if checkout.revision or not checkout.place.pending.exists():
        return ""
    kind = read_record(checkout.place.pending).kind
    return (
        f"an interrupted {kind} has changed some files and others not, or still runs; shimgen apply or revert ends it"
    )


def origins(checkout: Checkout) -> dict[str, bytes]:
    """Path -> content before shimgen, of the files of the work tree that still are as apply left them."""
    if checkout.revision:
        return {}
    found = origins_of(checkout.place)
    return {_shown(checkout, path): found[path] for path in found if path != _own_list(checkout)}


def other_forms(checkout: Checkout, held: Mapping[str, bytes]) -> tuple[str, ...]:
    """Those paths, sorted, of which git holds another content than the work tree and any that apply found or left: with
    other line ends, or of another commit."""
    own = {_shown(checkout, path): ids for path, ids in contents(checkout.place).items()}
    differ = (path for path in held if checkout.read(path) != held[path])
    return tuple(sorted(path for path in differ if blob_id(held[path]) not in own.get(path, ())))


def _own_list(checkout: Checkout) -> str:
    """An installed package's list of files, which is no source; "" elsewhere."""
    return checkout.package.record if checkout.package else ""


def render_patch(checkout: Checkout, changes: Sequence[FileChange], plain: Renderer) -> bytes:
    """The patch text of the changes, files sorted by path: what `git diff` prints once they are applied.

    In a git checkout git itself prints it, under its default settings (not the user's), paths relative to the top of
    the work tree. Elsewhere `plain` (pass `patch.render_changes`) does.
    """
    wanted = [change for change in changes if change.before != change.after]
    if not wanted:
        return b""
    if checkout.repository is None:
        return plain(wanted, {change.path: _disk_mode(checkout, change.path) for change in wanted})
    modes = _git_modes(checkout, checkout.repository, wanted)
    with scratch(checkout.repository) as own:
        _copy_attributes(checkout, own, wanted)
        _write(checkout, own, {change.path: change.before for change in wanted}, modes)
        own.git("add", "--all", "--force")
        _write(checkout, own, {change.path: change.after for change in wanted}, modes)
        return own.git(*DIFF)


def _disk_mode(checkout: Checkout, path: str) -> str:
    return "100755" if (checkout.root / path).stat().st_mode & 0o100 else "100644"


def _git_modes(checkout: Checkout, repository: Repository, changes: Sequence[FileChange]) -> dict[str, str]:
    """The mode that git has for each path; for what git does not know, the one on the disk."""
    paths = [change.path for change in changes]
    known = listing(repository, checkout.revision or repository.head, paths)
    return {path: known[path][0] if path in known else _disk_mode(checkout, path) for path in paths}


def _write(checkout: Checkout, own: Scratch, contents: Mapping[str, bytes], modes: Mapping[str, str]) -> None:
    for path, content in contents.items():
        target = own.worktree / (checkout.prefix + path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if modes[path] == "100755" else 0o644)


def _copy_attributes(checkout: Checkout, own: Scratch, changes: Sequence[FileChange]) -> None:
    """Bring the .gitattributes files that apply to the changed files: they decide on line ends and hunk headers."""
    folders = {folder for change in changes for folder in (own.worktree / (checkout.prefix + change.path)).parents}
    for folder in folders:
        if folder.is_relative_to(own.worktree):
            source = checkout.place.base / folder.relative_to(own.worktree) / ".gitattributes"
            if source.is_file() and not source.is_symlink():
                folder.mkdir(parents=True, exist_ok=True)
                (folder / ".gitattributes").write_bytes(source.read_bytes())
