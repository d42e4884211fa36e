"""Where the git repository of a directory is, if there is one."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from shimgen.checkout.command import GitError, GitMissingError, ask, finish, git, start
from shimgen.model.errors import BaselineError

PYTHON_FILES = "*.py"


class Repository(msgspec.Struct, frozen=True):
    """A git repository as seen from one directory of it.

    `prefix` leads from the top level of the work tree to that directory ("" or "python/"); `head` is the commit
    checked out ("" while there is none); `algorithm` is how the repository hashes.
    """

    folder: Path
    toplevel: Path
    gitdir: Path
    prefix: str
    head: str
    algorithm: str
    bare: bool

    def object_id(self, content: bytes) -> str:
        """The id that this repository gives to `content`."""
        return hashlib.new(self.algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def find_repository(folder: Path) -> Repository | None:
    """The repository that `folder` (resolved) belongs to, or None.

    Raises BaselineError when there is one that cannot be used.
    """
    try:
        with (
            start(folder, "rev-parse", *FACTS) as facts,
            start(folder, "rev-parse", "--absolute-git-dir") as gitdir,
            start(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") as head,
        ):
            known, directory = finish(facts).decode(), Path(_path(finish(gitdir)))
            commit = head.communicate()[0].decode().strip()
    except GitMissingError:
        _refuse_without_git(folder)
        return None
    except GitError as failure:
        _refuse_unreadable(folder, failure)
        return None
    bare, inside, algorithm, up = known.split("\n", 3)
    if "true" not in (bare, inside):
        raise BaselineError(f"{folder} is inside the git directory {directory}", "give the work tree instead")
    toplevel = folder if bare == "true" else (folder / up.removesuffix("\n")).resolve()
    return Repository(
        folder, toplevel, directory, _prefix(folder, toplevel, directory), commit, algorithm, bare == "true"
    )


FACTS = ("--is-bare-repository", "--is-inside-work-tree", "--show-object-format", "--show-cdup")


def _prefix(folder: Path, toplevel: Path, directory: Path) -> str:
    if not folder.is_relative_to(toplevel):
        raise BaselineError(
            f"the work tree of {directory} is {toplevel}, and {folder} is not in it", "git worktree list"
        )
    inner = folder.relative_to(toplevel).as_posix()
    return "" if inner == "." else f"{inner}/"


def _path(output: bytes) -> str:
    return output.removesuffix(b"\n").decode("utf-8", "surrogateescape")


def _refuse_without_git(folder: Path) -> None:
    for parent in (folder, *folder.parents):
        if (parent / ".git").exists():
            raise BaselineError(f"{parent} is a git work tree, but there is no git on this machine", "install git")


def _refuse_unreadable(folder: Path, failure: GitError) -> None:
    if "not a git repository" in failure.said:
        return
    if "dubious ownership" in failure.said:
        raise BaselineError(
            f"git does not read {folder}, because the repository belongs to another user",
            f"git config --global --add safe.directory {folder}",
        )
    raise BaselineError(f"git cannot read {folder}: {failure.said}", "git status")


def tracks_python(repository: Repository) -> bool:
    """Whether the repository itself holds Python files of this directory (and is not just one that lies around it)."""
    return bool(git(repository.folder, "ls-files", "-z", "--", PYTHON_FILES))


def commit_named(folder: Path, revision: str) -> str:
    """The commit that `revision` names, "" when it names none."""
    return ask(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")


def resolve(repository: Repository, revision: str) -> str:
    """The commit that `revision` names. Raises BaselineError when it names none."""
    found = commit_named(repository.folder, revision)
    if not found:
        message = f"{repository.folder} has no revision {revision!r}"
        raise BaselineError(message, "git fetch --tags (or see: git log --oneline)")
    return found
