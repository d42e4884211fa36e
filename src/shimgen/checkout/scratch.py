"""A throw-away repository next to the real one: git's own answers, without the real one's configuration.

It reads the real repository's objects and attributes, and of its configuration only how line ends are converted. So
git can be asked what it would print or store, and nothing that a checkout or a user configured runs or changes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from shimgen.checkout.command import ISOLATED, ask, git
from shimgen.checkout.repository import Repository

CONVERSION = ("autocrlf", "eol")


class Scratch(msgspec.Struct, frozen=True):
    """A scratch repository: its own work tree, and how git is told about it."""

    worktree: Path
    environment: Mapping[str, str]

    def git(self, *arguments: str, given: bytes | None = None, worktree: Path | None = None) -> bytes:
        """Run git on the scratch repository, with its own or another work tree."""
        tree = worktree or self.worktree
        return git(tree, *arguments, given=given, extra={**self.environment, "GIT_WORK_TREE": str(tree)})


@contextmanager
def scratch(repository: Repository) -> Iterator[Scratch]:
    """A scratch repository that sees the objects of `repository`; gone afterwards."""
    import shutil  # these two are slow to import, and reading a clean checkout does not need them
    import tempfile

    with tempfile.TemporaryDirectory(prefix="shimgen-") as temporary:
        gitdir, worktree = Path(temporary, "git"), Path(temporary, "tree")
        worktree.mkdir()
        for name in ("objects", "refs", "info"):
            (gitdir / name).mkdir(parents=True)
        (gitdir / "HEAD").write_text("ref: refs/heads/main\n")
        (gitdir / "config").write_text(_configuration(repository))
        common = _git_path(repository, "info/attributes")
        if common.is_file():
            shutil.copyfile(common, gitdir / "info" / "attributes")
        objects = str(_git_path(repository, "objects")).replace("\\", "\\\\").replace('"', '\\"')
        environment = {**ISOLATED, "GIT_DIR": str(gitdir), "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{objects}"'}
        yield Scratch(worktree, environment)


def _configuration(repository: Repository) -> str:
    lines = ["[core]", "repositoryformatversion = 1", "bare = false", "filemode = true"]
    lines += [f"attributesFile = {os.devnull}", f"excludesFile = {os.devnull}"]
    lines += [f"{name} = {value}" for name in CONVERSION if (value := _setting(repository, f"core.{name}"))]
    return "\n".join([*lines, "[extensions]", f"objectFormat = {repository.algorithm}", ""])


def _setting(repository: Repository, name: str) -> str:
    """A setting of the real repository, as a plain word ("" when unset)."""
    value = ask(repository.folder, "config", "--get", name)
    return value if value.isalnum() else ""


def _git_path(repository: Repository, name: str) -> Path:
    found = git(repository.folder, "rev-parse", "--git-path", name).removesuffix(b"\n")
    return repository.folder / found.decode("utf-8", "surrogateescape")


def converted_ids(repository: Repository, paths: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Path -> the id that git would store, where it converts contents itself on the way from the work tree: line ends,
    `$Id$` and the encoding. Only for files whose content can be meant; of all others it is what git stores.
    """
    plain = [path for path in paths if "\n" not in path and not path.startswith('"')]  # the input is one path a line
    candidates = [path for path in plain if _may_be_converted((repository.folder / path).read_bytes())]
    if not candidates:
        return {}
    given = "".join(f"{repository.prefix}{path}\n" for path in candidates).encode("utf-8", "surrogateescape")
    with scratch(repository) as own:
        output = own.git("hash-object", "--stdin-paths", given=given, worktree=repository.toplevel)
    return dict(zip(candidates, output.decode().split(), strict=True))


def _may_be_converted(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return True
    return any(mark in content for mark in (b"\r\n", b"$Id", b"\0"))
