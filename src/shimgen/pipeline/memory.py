"""What an analysis of a tree found, kept for the next run over the same files.

A finding is known by the tree: the names and blob ids of its Python files. Where some files have other bytes than
before, and what an analysis sees of them is still the same, so is what it finds (`index.trace`).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from hashlib import blake2b
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from shimgen.cache import Store
from shimgen.model.domain import Demand, Gap, Wrapper
from shimgen.model.profile import Profile
from shimgen.model.source import Stats, Tree

Kind = TypeVar("Kind")


class Finding(msgspec.Struct, frozen=True, array_like=True):
    """All that one tree holds, whatever the scope; `unnamed` are the demanded members that no interface of the
    profile names, `marked` the model files in which a marker of shimgen's is."""

    wrappers: tuple[Wrapper, ...]
    demands: tuple[Demand, ...]
    gaps: tuple[Gap, ...]
    unnamed: tuple[str, ...]
    marked: tuple[str, ...]
    stats: Stats


class _Known(msgspec.Struct, frozen=True, array_like=True):
    """Under which key a tree's finding is kept, and the lines that were seen of this very tree."""

    finding: bytes
    lines: int


class Memory:
    """The findings of one profile, in trees that hold its package under one prefix."""

    def __init__(self, store: Store, profile: Profile, root: str) -> None:
        self._store = store
        self._profile = profile
        self._root = root
        self._recalled: dict[bytes, Finding] = {}

    def key(self, tree: Tree) -> bytes:
        """What stands for the tree: the same for the same Python files under the same names."""
        return _digest(b"tree", self._root, *(f"{path}\0{blob}" for path, blob in _python(tree)))

    def recall(self, tree: Tree) -> Finding | None:
        """What was found in the same tree, or in one that looks the same to an analysis; None when it is not known."""
        key = self.key(tree)
        found = self._recalled.get(key)
        if found is None:
            known, parsed = self._get(key, _Known), 0
            if known is None:
                known, parsed = self._follow(tree)
            kept = self._get(known.finding, Finding) if known is not None else None
            if known is None or kept is None:
                return None
            found = self._recalled[key] = replace(kept, stats=_recalled(kept.stats, known.lines, parsed))
            self._put(key, known)
        return found

    def keep(self, tree: Tree, finding: Finding, trace: msgspec.Struct) -> None:
        """Remember what was found in a tree; `trace` is what the analysis saw of it."""
        if not self._store.lasts:
            return
        encoded = msgspec.msgpack.encode(finding)
        name = _digest(b"finding", encoded)
        known = _Known(name, finding.stats.lines)
        self._put(name, finding)
        self._put(self.key(tree), known)
        self._put(self._names(tree), (known, trace))

    def once(self, kind: type[Kind], tree: Tree, depends: object, make: Callable[[], Kind]) -> Kind:
        """What `make` gives for a tree and for all else that it `depends` on, from an earlier run if that is known.
        Not for what is written: that is made anew each time."""
        key = _digest(b"once", self.key(tree), repr(kind), msgspec.msgpack.encode(depends))
        found = self._get(key, kind)
        if found is None:
            found = make()
            self._put(key, found)
            self._store.save()
        return found

    def _follow(self, tree: Tree) -> tuple[_Known | None, int]:
        """What is known of the tree of the same names that was analysed last, where it holds for this one as well, and
        how many files had to be parsed to see that."""
        from shimgen.index import Index, Trace  # which is not needed where nothing has changed

        last = self._get(self._names(tree), tuple[_Known, Trace])
        if last is None:
            return None, 0
        index = Index(tree, self._profile, self._root, self._store)
        trace = index.followed(last[1])
        if trace is None:
            return None, 0
        known = _Known(last[0].finding, trace.lines)
        self._put(self._names(tree), (known, trace))
        return known, index.stats.parsed

    def _names(self, tree: Tree) -> bytes:
        """What stands for the names of the tree's files."""
        return _digest(b"names", self._root, *(path for path, _ in _python(tree)))

    def _get(self, key: bytes, kind: type[Kind]) -> Kind | None:
        kept = self._store.results.get(key)
        if kept is None:
            return None
        try:
            return msgspec.msgpack.decode(zlib.decompress(kept), type=kind)
        except (zlib.error, msgspec.DecodeError):
            return None

    def _put(self, key: bytes, value: object) -> None:
        self._store.results.put(key, zlib.compress(msgspec.msgpack.encode(value), 1))


def _python(tree: Tree) -> list[tuple[str, str]]:
    return sorted((path, blob) for path, blob in tree.blobs.items() if path.endswith(".py"))


def _digest(kind: bytes, *parts: str | bytes) -> bytes:
    digest = blake2b(person=kind, digest_size=16)
    for part in parts:
        encoded = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        digest.update(b"%d " % len(encoded) + encoded)
    return digest.digest()


def _recalled(stats: Stats, lines: int, parsed: int) -> Stats:
    """The statistics of a run that recalls what another one saw, and parsed some files for that."""
    return replace(stats, parsed=parsed, cached=stats.parsed + stats.cached - parsed, lines=lines)
