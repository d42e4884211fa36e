"""What is analysed: a baseline and its files, read lazily and never written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha1

import msgspec


class Baseline(msgspec.Struct, frozen=True):
    """The exact source analysed.

    `kind` is "git", "directory" or "package"; `id` a commit, or a digest of the content; `dirty` names the
    tracked or untracked Python files that differ from the commit (paths relative to the checkout).
    """

    kind: str
    id: str
    dirty: tuple[str, ...] = ()
    version: str = ""


def blob_id(content: bytes) -> str:
    """Git's object id (sha1) of `content` as a blob."""
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class Skipped(msgspec.Struct, frozen=True):
    """A file that could not be analysed, and why."""

    path: str
    reason: str
    line: int = 0


class Tree(msgspec.Struct, frozen=True):
    """The files of one baseline: `blobs` maps path -> git blob id, `load` brings the bytes of some paths.

    Paths are relative to the checkout, with forward slashes. `load` must be pure for a given baseline. `links` are
    Python files that are symbolic links, which are never followed.
    """

    baseline: Baseline
    blobs: Mapping[str, str]
    load: Callable[[Iterable[str]], Mapping[str, bytes]]
    links: tuple[Skipped, ...] = ()

    def read(self, path: str) -> bytes:
        """The bytes of one file. Raises KeyError when the baseline has no such file."""
        return self.load((path,))[path]

    def replace(self, changed: Mapping[str, bytes]) -> Tree:
        """The same tree with the content of some files exchanged or added."""
        base = self

        def load(paths: Iterable[str]) -> Mapping[str, bytes]:
            wanted = list(paths)
            found = dict(base.load([p for p in wanted if p not in changed]))
            found.update((p, changed[p]) for p in wanted if p in changed)
            return found

        ids = {**self.blobs, **{path: blob_id(content) for path, content in changed.items()}}
        return Tree(self.baseline, ids, load, self.links)


def memory_tree(files: Mapping[str, bytes]) -> Tree:
    """A tree held in memory, for who has no checkout: tests and benchmarks."""
    content = dict(files)
    ids = {path: blob_id(data) for path, data in content.items()}
    digest = sha1("".join(f"{i} {p}\n" for p, i in sorted(ids.items())).encode(), usedforsecurity=False)
    return Tree(Baseline("directory", digest.hexdigest()), ids, lambda paths: {p: content[p] for p in paths})


class Stats(msgspec.Struct, frozen=True):
    """How much was seen: files of the tree, those parsed now, those whose facts were known (`cached`), those whose
    syntax did not matter (`filtered`); those that had to be `read`, now or in an earlier run, and their `lines`; wall
    seconds, also of each stage.

    `trouble` says why the cache of facts was not used, "" when nothing was wrong with it.
    """

    files: int = 0
    parsed: int = 0
    cached: int = 0
    filtered: int = 0
    read: int = 0
    lines: int = 0
    seconds: float = 0.0
    skipped: tuple[Skipped, ...] = msgspec.field(default=())
    stages: tuple[tuple[str, float], ...] = ()
    trouble: str = ""

    @property
    def left_out(self) -> str:
        """The end of a sentence that says that a name is unknown: where it may be; "" when all files were analysed."""
        if not self.skipped:
            return ""
        first, more = self.skipped[0], len(self.skipped) - 1
        where = f"{first.path}:{first.line}" if first.line else first.path
        return f"; left out: {where}{f' and {more} more' if more else ''}: {first.reason}"
