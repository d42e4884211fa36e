"""What an analysis has seen of a tree: enough to tell whether another tree shows it the same.

An analysis reads facts, the names of files, and where files mention a name; nothing else. So it would find the same
in any tree whose files have the same names, and whose changed files have the same facts and mentions.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

import msgspec
from msgspec.structs import replace

from shimgen.index.files import Files, Mentions
from shimgen.model.facts import ModuleFacts, Searched

_MANY = 24
"""From so many changed files on it is quicker to analyse than to compare."""


class Seen(msgspec.Struct, frozen=True, array_like=True):
    """What was seen of one file: its lines, digests of its facts without them (b"" for facts that nobody asked for),
    and whether it had to be parsed."""

    lines: int
    definitions: bytes = b""
    uses: bytes = b""
    parsed: bool = False


class Trace(msgspec.Struct, frozen=True, array_like=True):
    """What was seen of a tree: `blobs` of all Python files by path, what was `seen` of those whose facts were asked
    for, and where the names that were looked for are mentioned."""

    blobs: Mapping[str, str]
    seen: Mapping[str, Seen]
    mentions: Mapping[str, Mentions]

    @property
    def lines(self) -> int:
        """The lines of the files that had to be read."""
        return sum(seen.lines for seen in self.seen.values())


def traced(files: Files) -> Trace:
    """What has been seen so far."""
    paths = files.modules.keys() | files.searches.keys()
    seen = {path: _seen(files.modules.get(path), files.searches.get(path)) for path in sorted(paths)}
    return Trace({path: files.tree.blobs[path] for path in files.python}, seen, dict(files.mentioned))


def followed(files: Files, trace: Trace) -> Trace | None:
    """The trace that an analysis of `files`, of the same names, would leave; None when it may find something else."""
    changed = [path for path in files.python if files.tree.blobs[path] != trace.blobs[path]]
    if len(changed) > _MANY:
        return None
    seen = dict(trace.seen)
    for path in changed:
        before = seen.get(path)
        if before is not None:
            definitions = files.module(path) if before.definitions else None
            searched = files.searched(path) if before.uses else None
            seen[path] = _seen(definitions, searched)
            if replace(seen[path], lines=before.lines) != before:
                return None
    if any(files.mentions_in(name, changed) != _within(found, changed) for name, found in trace.mentions.items()):
        return None
    return Trace({path: files.tree.blobs[path] for path in files.python}, seen, trace.mentions)


def _within(found: Mentions, paths: list[str]) -> Mentions:
    inside = frozenset(paths)
    return tuple((path, line) for path, line in found if path in inside)


def _seen(definitions: ModuleFacts | None, uses: Searched | None) -> Seen:
    lines = definitions.lines if definitions is not None else uses.lines if uses is not None else 0
    return Seen(lines, _digest(definitions), _digest(uses), definitions is not None or bool(uses and uses.parsed))


def _digest(facts: ModuleFacts | Searched | None) -> bytes:
    if facts is None:
        return b""
    return blake2b(msgspec.msgpack.encode(replace(facts, lines=0)), digest_size=12).digest()
