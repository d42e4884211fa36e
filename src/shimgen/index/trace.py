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


def traced(files: Files) -> Trace:
    """What has been seen so far."""
    paths = files.modules.keys() | files.searches.keys()
    seen = {path: _seen(files.modules.get(path), files.searches.get(path)) for path in sorted(paths)}
    return Trace({path: files.tree.blobs[path] for path in files.python}, seen, dict(files.mentioned))


def followed(files: Files, trace: Trace) -> int | None:
    """The lines that an analysis of `files` would read, of the same names as the tree of the trace and found to look
    the same; None when it may find something else."""
    changed = changed_since(files, trace)
    if len(changed) > _MANY:
        return None
    lines = {path: seen.lines for path, seen in trace.seen.items()}
    for path in changed:
        before = trace.seen.get(path)
        if before is not None:
            definitions = files.module(path) if before.definitions else None
            searched = files.searched(path) if before.uses else None
            after = _seen(definitions, searched)
            if replace(after, lines=before.lines) != before:
                return None
            lines[path] = after.lines
    if any(files.mentions_in(name, changed) != _within(found, changed) for name, found in trace.mentions.items()):
        return None
    return sum(lines.values())


def changed_since(files: Files, trace: Trace) -> list[str]:
    """The files, of the same names, that have other bytes."""
    return [path for path in files.python if files.tree.blobs[path] != trace.blobs[path]]


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
