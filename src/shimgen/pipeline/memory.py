"""What an analysis of a tree found, kept for the next run over the same files.

A finding is known by the tree: the names and blob ids of its Python files. Where some files have other bytes than
before, and what an analysis sees of them is still the same but for the places of lines, so is what it finds
(`index.trace`, `pipeline.moved`).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from typing import TypeVar

import msgspec
from msgspec.structs import force_setattr, replace

from shimgen.cache import Store
from shimgen.model.domain import ClassRef, Delegate, Demand, Gap, Wrapper
from shimgen.model.profile import Profile
from shimgen.model.source import Stats, Tree
from shimgen.pipeline.moved import Moves, moved

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


_NO_WRAPPER = Wrapper(ClassRef("", ""), Delegate("", ClassRef("", ""), 0))
_NO_DEMAND = Demand("", (), ())


class _Filed(msgspec.Struct, frozen=True, array_like=True):
    """A finding as it is kept: many gaps have the same wrapper and the same demand, so each is there once. `numbers`
    are those of each gap's: the wrappers', and the demands'."""

    finding: Finding
    wrappers: tuple[Wrapper, ...]
    demands: tuple[Demand, ...]
    numbers: tuple[tuple[int, ...], tuple[int, ...]]

    def whole(self) -> Finding:
        """The finding; to be asked for once."""
        for gap, wrapper, demand in zip(self.finding.gaps, *self.numbers, strict=True):
            force_setattr(gap, "wrapper", self.wrappers[wrapper])
            force_setattr(gap, "demand", self.demands[demand])
        return self.finding


def _filed(finding: Finding) -> _Filed:
    wrappers: dict[int, tuple[int, Wrapper]] = {}
    demands: dict[int, tuple[int, Demand]] = {}
    numbers = (
        tuple(wrappers.setdefault(id(gap.wrapper), (len(wrappers), gap.wrapper))[0] for gap in finding.gaps),
        tuple(demands.setdefault(id(gap.demand), (len(demands), gap.demand))[0] for gap in finding.gaps),
    )
    bare = replace(finding, gaps=tuple(replace(g, wrapper=_NO_WRAPPER, demand=_NO_DEMAND) for g in finding.gaps))
    return _Filed(bare, tuple(w for _, w in wrappers.values()), tuple(d for _, d in demands.values()), numbers)


class _Analysed(msgspec.Struct, frozen=True, array_like=True):
    """Under which keys it is kept what an analysis found, and what it saw of its tree."""

    finding: bytes
    trace: bytes


class _Known(msgspec.Struct, frozen=True, array_like=True):
    """The analysis that holds for a tree, but for `moves`, and the lines that one of this very tree would read."""

    analysed: _Analysed
    lines: int
    moves: Moves = msgspec.field(default_factory=dict)


_RECENT = 4
"""How many analyses of trees of the same names are compared with a new one, those last asked for."""


class Memory:
    """The findings of one profile, in trees that hold its package under one prefix."""

    def __init__(self, store: Store, profile: Profile, root: str) -> None:
        self._store = store
        self._profile = profile
        self._root = root
        self._recalled: dict[bytes, Finding] = {}

    def key(self, tree: Tree) -> bytes:
        """What stands for the tree: the same for the same Python files under the same names."""
        return _digest(b"tree", self._root, "\0".join(f"{path}\0{tree.blobs[path]}" for path in _python(tree)))

    def recall(self, tree: Tree) -> Finding | None:
        """What was found in the same tree, or in one that looks the same to an analysis; None when it is not known."""
        key = self.key(tree)
        found = self._recalled.get(key)
        if found is None:
            known, parsed = self._get(key, _Known), 0
            if known is None:
                known, parsed = self._follow(tree)
            kept = self._get(known.analysed.finding, _Filed) if known is not None else None
            if known is None or kept is None:
                return None
            if known.moves and not moved(kept, known.moves):
                return None
            finding = kept.whole()
            found = self._recalled[key] = replace(finding, stats=_recalled(finding.stats, known.lines, parsed))
            self._put(key, known)
            self._prefer(tree, known.analysed)
        return found

    def keep(self, tree: Tree, finding: Finding, trace: msgspec.Struct) -> None:
        """Remember what was found in a tree; `trace` is what the analysis saw of it."""
        if not self._store.lasts:
            return
        with suppress(UnicodeEncodeError):  # a file whose name is no text: what names it cannot be kept
            new = _Analysed(self._file(_filed(finding)), self._file(trace))
            self._put(self.key(tree), _Known(new, finding.stats.lines))
            self._prefer(tree, new)

    def once(self, kind: type[Kind], tree: Tree, depends: object, make: Callable[[], Kind]) -> Kind:
        """What `make` gives for a tree and for all else that it `depends` on, from an earlier run if that is known.
        Not for what is written: that is made anew each time."""
        try:
            key = _digest(b"once", self.key(tree), repr(kind), msgspec.msgpack.encode(depends))
        except UnicodeEncodeError:
            return make()
        found = self._once(kind, key, make)
        self._store.save()
        return found

    def once_for(self, kind: type[Kind], content: bytes, make: Callable[[], Kind]) -> Kind:
        """What `make` gives for the bytes of one file, from an earlier run if that is known."""
        return self._once(kind, _digest(b"file", repr(kind), content), make)

    def _once(self, kind: type[Kind], key: bytes, make: Callable[[], Kind]) -> Kind:
        found = self._get(key, kind)
        if found is None:
            found = make()
            with suppress(UnicodeEncodeError):
                self._put(key, found)
        return found

    def _follow(self, tree: Tree) -> tuple[_Known | None, int]:
        """What is known of a tree that looks the same as this one, and how many files had to be parsed to see that."""
        from shimgen.index import Files, Trace, changed_since, followed  # not needed where nothing has changed

        kept = [(one, self._get(one.trace, Trace)) for one in self._recent(self._names(tree))]
        traces = [(one, trace) for one, trace in kept if trace is not None]
        files = Files(tree, self._profile, self._root, self._store)
        traces.sort(key=lambda pair: len(changed_since(files, pair[1])))
        for analysed, trace in traces:
            same = followed(files, trace)
            if same is not None:
                return _Known(analysed, same.lines, same.moves), files.stats.parsed
        for _, trace in traces[:1]:  # most of what that analysis asked for, a new one will ask for
            self._store.fetch([tree.blobs[path] for path in trace.modules])
        return None, 0

    def _prefer(self, tree: Tree, analysed: _Analysed) -> None:
        names = self._names(tree)
        others = [one for one in self._recent(names) if one != analysed]
        self._put(names, (analysed, *others[: _RECENT - 1]))

    def _recent(self, names: bytes) -> tuple[_Analysed, ...]:
        return self._get(names, tuple[_Analysed, ...]) or ()

    def _names(self, tree: Tree) -> bytes:
        """What stands for the names of the tree's files."""
        return _digest(b"names", self._root, "\0".join(_python(tree)))

    def _get(self, key: bytes, kind: type[Kind]) -> Kind | None:
        kept = self._store.results.get(key)
        if kept is None:
            return None
        try:
            return msgspec.msgpack.decode(zlib.decompress(kept), type=kind)
        except (zlib.error, msgspec.DecodeError):
            return None

    def _file(self, value: msgspec.Struct) -> bytes:
        """Keeps a value under what stands for its content, and gives that."""
        encoded = msgspec.msgpack.encode(value)
        name = _digest(b"content", encoded)
        self._store.results.put(name, zlib.compress(encoded, 1))
        return name

    def _put(self, key: bytes, value: object) -> None:
        self._store.results.put(key, zlib.compress(msgspec.msgpack.encode(value), 1))


def _python(tree: Tree) -> list[str]:
    return sorted(path for path in tree.blobs if path.endswith(".py"))


def _digest(kind: bytes, *parts: str | bytes) -> bytes:
    digest = blake2b(person=kind, digest_size=16)
    for part in parts:
        encoded = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        digest.update(b"%d " % len(encoded) + encoded)
    return digest.digest()


def _recalled(stats: Stats, lines: int, parsed: int) -> Stats:
    """The statistics of a run that recalls what another one saw, and parsed some files for that."""
    return replace(stats, parsed=parsed, cached=stats.parsed + stats.cached - parsed, lines=lines)
