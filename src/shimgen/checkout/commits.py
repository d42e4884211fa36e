"""Changes as commits: made from git's objects, without the user's index, hooks and filters.

Commits are made before any file of the work tree is written, and count only when the branch is moved to them: an
atomic step of git's. What was staged stays staged.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from shimgen.checkout.command import GitError, ask, git
from shimgen.checkout.objects import listing
from shimgen.checkout.opening import Checkout
from shimgen.checkout.repository import Repository
from shimgen.model.domain import FileChange
from shimgen.model.errors import ConfigError, GenerateError

OWN_INDEX = ("-c", "core.splitIndex=false", "-c", "index.threads=1")
HEADS = "refs/heads/"


class Commit(msgspec.Struct, frozen=True):
    """One commit to be made: its message, and the files as they are before (in the commit below) and after."""

    message: str
    changes: tuple[FileChange, ...]


class Made(msgspec.Struct, frozen=True):
    """Commits that exist and that no branch has yet: their ids, the oldest first, and what the index will hold."""

    ids: tuple[str, ...]
    entries: tuple[tuple[str, str, str], ...] = ()


def check_recording(checkout: Checkout, branch: str = "") -> None:
    """Raises ConfigError where nothing can be committed, or when no branch of that name can be made and it is not the
    one that is checked out."""
    repository = _repository(checkout)
    if not branch:
        return
    if not ask(repository.folder, "check-ref-format", "--branch", branch):
        raise ConfigError(f"{branch!r} is no name for a branch", "shimgen apply --branch NAME")
    ref = ("rev-parse", "--verify", "--quiet", HEADS + branch)
    if branch != current_branch(checkout) and ask(repository.folder, *ref):
        raise ConfigError(f"there is a branch {branch} already", f"git switch {branch}, or give another name")


def current_branch(checkout: Checkout) -> str:
    """The branch that is checked out, "" for none."""
    return ask(_repository(checkout).folder, "symbolic-ref", "--quiet", "HEAD").removeprefix(HEADS)


def make_commits(checkout: Checkout, commits: Sequence[Commit], date: str = "") -> Made:
    """Make the commits, one on top of the other, the first on what is checked out; `date` is the author's.

    Nothing in the work tree and no branch changes. Raises GenerateError where git does not know who commits.
    """
    import tempfile  # slow to import, and most runs make no commits

    repository = _repository(checkout)
    _require_name(repository)
    paths = sorted({change.path for commit in commits for change in commit.changes})
    held = listing(repository, repository.head, paths)
    ids = {path: blob for path, (_, blob) in held.items()}
    with tempfile.TemporaryDirectory(prefix="shimgen-") as temporary:
        own = {"GIT_INDEX_FILE": str(Path(temporary, "index"))}
        git(repository.folder, *OWN_INDEX, "read-tree", repository.head, extra=own)
        made, parent = [], repository.head
        for commit in commits:
            for change in commit.changes:
                stored = git(repository.folder, "hash-object", "-w", "--no-filters", "--stdin", given=change.after)
                ids[change.path] = stored.decode().strip()
            entries = [(held[c.path][0], ids[c.path], checkout.prefix + c.path) for c in commit.changes]
            git(repository.folder, *OWN_INDEX, "update-index", "-z", "--index-info", given=_info(entries), extra=own)
            tree = git(repository.folder, *OWN_INDEX, "write-tree", extra=own).decode().strip()
            dated = {"GIT_AUTHOR_DATE": date} if date else {}
            given = commit.message.encode("utf-8", "surrogateescape")
            command = ("commit-tree", "--no-gpg-sign", tree, "-p", parent, "-F", "-")
            parent = git(repository.folder, *command, given=given, extra=dated).decode().strip()
            made.append(parent)
    return Made(tuple(made), tuple((held[path][0], ids[path], checkout.prefix + path) for path in paths))


def adopt(checkout: Checkout, made: Made, branch: str = "") -> None:
    """Let the branch that is checked out, or a new one that then is, end with the commits; without commits, only
    start the branch. The work tree has to have the files already. Raises GenerateError, with branches and index as they
    were, when git cannot record it."""
    repository = _repository(checkout)
    tip = made.ids[-1] if made.ids else repository.head
    was = current_branch(checkout)
    undo: list[tuple[str, ...]] = []
    try:
        if branch and branch != was:
            git(repository.folder, "update-ref", "-m", "shimgen: branch", HEADS + branch, tip, "0" * len(tip))
            undo.append(("update-ref", "-d", HEADS + branch, tip))
            git(repository.folder, "symbolic-ref", "-m", f"shimgen: to {branch}", "HEAD", HEADS + branch)
            back = (
                ("symbolic-ref", "HEAD", HEADS + was) if was else ("update-ref", "--no-deref", "HEAD", repository.head)
            )
            undo.append(back)
        elif made.ids:
            git(repository.folder, "update-ref", "-m", "shimgen: apply", "HEAD", tip, repository.head)
            undo.append(("update-ref", "-m", "shimgen: taken back", "HEAD", repository.head, tip))
        if made.entries:
            git(repository.folder, "update-index", "-z", "--index-info", given=_info(made.entries))
    except GitError as error:
        for command in reversed(undo):
            git(repository.folder, *command)
        message = f"git could not record the change: {error.said}; nothing was changed"
        raise GenerateError(message, f"git -C {checkout.root} status") from error


def _repository(checkout: Checkout) -> Repository:
    if checkout.repository is None or checkout.revision:
        message = f"{checkout.root} is no git work tree, so there are no branches and no commits"
        raise ConfigError(message, "leave out --branch and --commit")
    return checkout.repository


def _require_name(repository: Repository) -> None:
    if not all(ask(repository.folder, "var", name) for name in ("GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT")):
        message = f"git does not know who commits to {repository.toplevel}"
        raise GenerateError(message, "git config user.name NAME; git config user.email ADDRESS")


def _info(entries: Sequence[tuple[str, str, str]]) -> bytes:
    lines = (f"{mode} {blob}\t{path}\0" for mode, blob, path in entries)
    return "".join(lines).encode("utf-8", "surrogateescape")
