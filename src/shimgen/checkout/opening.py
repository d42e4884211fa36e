"""CHECKOUT as the user gave it -> where it is, what holds it and what it contains."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from shimgen.checkout.directory import digest, directory_tree, installed_version
from shimgen.checkout.journal import Place
from shimgen.checkout.objects import listing, read_blobs, revision_tree
from shimgen.checkout.repository import Repository, find_repository, resolve, tracks_python
from shimgen.checkout.worktree import changed_files, worktree_tree
from shimgen.model.errors import BaselineError
from shimgen.model.source import Tree, blob_id

if TYPE_CHECKING:
    from shimgen.checkout.installed import Package


class Checkout(msgspec.Struct, frozen=True):
    """A serving stack's source.

    `root` is the directory that all paths are relative to. `repository` is None where git does not hold the source.
    `revision` is the commit that is read (from git's objects) instead of the work tree, "" for the work tree.
    `package` is the installed distribution that was asked for by its name; `root` is then the folder it is in.
    """

    root: Path
    repository: Repository | None = None
    revision: str = ""
    package: Package | None = None

    @property
    def version(self) -> str:
        """The version that an installer recorded, "" when unknown and in git."""
        if self.package is not None:
            return self.package.version
        return "" if self.repository is not None else installed_version(self.root)

    @property
    def head(self) -> str:
        """The commit that is checked out, "" without git."""
        return self.repository.head if self.repository else ""

    @property
    def place(self) -> Place:
        """Where apply and revert write, and where their journal is."""
        if self.package is not None:
            return Place(self.root, self.root / self.package.info / "shimgen")
        if self.repository is None:
            return Place(self.root, self.root / ".shimgen")
        return Place(self.repository.toplevel, self.repository.gitdir / "shimgen")

    @property
    def touched(self) -> bool:
        """Whether some run has written here, and left a journal."""
        return self.place.state.is_dir()

    @property
    def prefix(self) -> str:
        """What stands before a path of this checkout in a patch: the way from the top of the work tree to `root`."""
        return self.repository.prefix if self.repository else ""

    def tree(self) -> Tree:
        """The Python files as they are now (or at the revision). Raises BaselineError when there are none."""
        if self.package is not None:
            from shimgen.checkout.package import package_tree

            return package_tree(self.package)
        if self.repository is None:
            from shimgen.checkout.undoing import origins

            return directory_tree(self.root, {path: blob_id(before) for path, before in origins(self.place).items()})
        if self.revision:
            return revision_tree(self.repository, self.revision)
        return worktree_tree(self.repository)

    def digest(self) -> str:
        """The digest of the Python files of the commit (without git: the baseline's id), the same for the same files
        wherever they are from. Edits in the work tree do not count."""
        if self.repository is None:
            return self.tree().baseline.id
        return digest(revision_tree(self.repository, self.revision or self.head).blobs)

    def read(self, path: str) -> bytes | None:
        """The content of a file of any kind as it is now (or at the revision), None when there is none."""
        if self.repository is not None and self.revision:
            found = listing(self.repository, self.revision, (path,)).get(path)
            return read_blobs(self.repository, (found[1],))[found[1]] if found else None
        if self.package is not None and path not in self.package.recorded:
            return None  # beside it is what other distributions installed
        target = self.root / path
        try:
            return target.read_bytes() if target.is_file() else None  # a pipe would not end, nor would /dev/zero
        except OSError:
            return None

    def dirty_files(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of `paths` that differ from the commit (without git: from what was there before shimgen), sorted.

        Of files other than Python's only git knows what they were.
        """
        wanted = set(paths)
        others = [path for path in wanted if not path.endswith(".py")]
        dirty = wanted & set(self.tree().baseline.dirty)
        if others and self.repository is not None:
            dirty |= changed_files(self.repository, others)
        return tuple(sorted(dirty))


def open_checkout(path: str | Path, rev: str | None = None) -> Checkout:
    """The checkout at `path`: a git work tree, a directory of one, or a directory without git.

    With `rev`, that revision's objects are read; no file is moved. A directory that merely lies inside a repository,
    which tracks no Python file of it, is a directory without git. Raises BaselineError when there is nothing to read.
    """
    root = Path(path).resolve()
    if not root.is_dir():
        raise BaselineError(f"{path} is {'not a directory' if root.exists() else 'not there'}", "shimgen scan CHECKOUT")
    repository = find_repository(root)
    if rev is not None:
        return Checkout(root, repository, _revision(root, repository, rev))
    if repository is None or (not repository.bare and not tracks_python(repository)):
        return Checkout(root)
    if repository.bare:
        raise BaselineError(f"{root} is a bare repository and has no work tree", f"shimgen scan {path} --at HEAD")
    if not repository.head:
        raise BaselineError(f"{root} has no commit yet, so there is no baseline", "git commit")
    return Checkout(root, repository)


def open_package(name: str, python: str = "") -> Checkout:
    """The installed distribution `name` of the interpreter `python` ("": the one that runs shimgen), not imported.

    Raises ConfigError when the interpreter cannot be asked, BaselineError when there is nothing that can be changed.
    """
    from shimgen.checkout.installed import find_package

    package = find_package(name, python)
    return Checkout(package.folder, package=package)


def _revision(root: Path, repository: Repository | None, rev: str) -> str:
    if repository is None:
        raise BaselineError(f"{root} is not a git checkout, so it has no revision {rev!r}", "name a git work tree")
    return resolve(repository, rev)
