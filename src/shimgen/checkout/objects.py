"""Files of a revision, read from git's objects. Nothing in the work tree is looked at or moved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from shimgen.checkout.command import git
from shimgen.checkout.links import told
from shimgen.checkout.repository import Repository
from shimgen.model.errors import BaselineError
from shimgen.model.source import Baseline, Tree

ENTRY = re.compile(rb"(\d{6}) (\w+) ([0-9a-f]+)\t([^\0]*)\0")
REGULAR = ("100644", "100755")
LINK = "120000"


def revision_tree(repository: Repository, commit: str) -> Tree:
    """The Python files of a commit, below the directory that the repository is seen from."""
    found = [(path, mode, blob) for path, mode, blob in _entries(repository, commit) if path.endswith(".py")]
    blobs = {path: blob for path, mode, blob in found if mode in REGULAR}
    if not blobs:
        raise BaselineError(
            f"{repository.folder} has no Python files at {commit}", "git ls-tree -r --name-only REVISION"
        )

    def load(paths: Iterable[str]) -> Mapping[str, bytes]:
        wanted = {path: blobs[path] for path in paths}
        contents = read_blobs(repository, wanted.values())
        return {path: contents[blob] for path, blob in wanted.items()}

    linked = {path: blob for path, mode, blob in found if mode == LINK}
    texts = read_blobs(repository, linked.values())
    links = {path: texts[blob].decode("utf-8", "surrogateescape") for path, blob in linked.items()}
    return Tree(Baseline("git", commit), blobs, load, told(links, str(repository.folder), blobs))


def listing(repository: Repository, commit: str, paths: Iterable[str] = ()) -> dict[str, tuple[str, str]]:
    """Path -> (mode, blob id) of the regular files of a commit, all or those in `paths`; relative to the directory."""
    return {path: (mode, blob) for path, mode, blob in _entries(repository, commit, paths) if mode in REGULAR}


def _entries(repository: Repository, commit: str, paths: Iterable[str] = ()) -> Iterator[tuple[str, str, str]]:
    """Path, mode and id of what a commit holds, all or `paths`; relative to the directory."""
    output = git(repository.folder, "--literal-pathspecs", "ls-tree", "-r", "-z", commit, "--", *paths)
    for mode, _, blob, path in ENTRY.findall(output):
        yield path.decode("utf-8", "surrogateescape"), mode.decode(), blob.decode()


def read_blobs(repository: Repository, ids: Iterable[str]) -> dict[str, bytes]:
    """Blob id -> content. Raises BaselineError when one is not in the repository (a partial or shallow clone)."""
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    output = git(repository.folder, "cat-file", "--batch", "--buffer", given="\n".join([*wanted, ""]).encode())
    contents: dict[str, bytes] = {}
    at = 0
    for blob in wanted:
        end = output.index(b"\n", at)
        header = output[at:end].split(b" ")
        if len(header) != 3 or header[1] != b"blob":
            raise BaselineError(
                f"the git repository of {repository.folder} does not hold the file content {blob}",
                "git fetch --refetch",
            )
        size = int(header[2])
        contents[blob] = output[end + 1 : end + 1 + size]
        at = end + size + 2
    return contents
