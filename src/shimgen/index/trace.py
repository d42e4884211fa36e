"""What an analysis has seen of a tree: enough to tell whether another tree shows it the same.

An analysis reads facts, the names of files, and where files mention a name; nothing else. So it would find the same
in any tree whose files have the same names, and whose changed files have the same facts and mentions, but for the
places of lines (`index.moves`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from shimgen.index.files import Files, Mentions
from shimgen.index.moves import Moves
from shimgen.model.facts import ModuleFacts, Searched

_MANY = 24
"""From so many changed files on it is quicker to analyse than to compare."""


class Trace(msgspec.Struct, frozen=True, array_like=True):
    """What was seen of a tree: `blobs` of all Python files by path, the lines of those whose definitions (`modules`)
    or uses (`searches`) were asked for, and where the names that were looked for are mentioned."""

    blobs: Mapping[str, str]
    modules: Mapping[str, int]
    searches: Mapping[str, int]
    mentions: Mapping[str, Mentions]


def traced(files: Files) -> Trace:
    """What has been seen so far."""
    modules = {path: facts.lines for path, facts in files.modules.items()}
    searches = {path: found.lines for path, found in files.searches.items()}
    return Trace({path: files.tree.blobs[path] for path in files.python}, modules, searches, dict(files.mentioned))


class Followed(msgspec.Struct, frozen=True, array_like=True):
    """A tree that looks the same as another: the lines that an analysis would read of it, and where those lines went
    that facts of the other speak of (`moves`, by path, of the files in which one has moved)."""

    lines: int
    moves: Mapping[str, Mapping[int, int]]


def followed(files: Files, trace: Trace) -> Followed | None:
    """How `files`, of the same names as the tree of the trace, look the same but for the places of lines; None when
    an analysis may find something else, or when the facts of a changed file are no longer known."""
    changed = changed_since(files, trace)
    if len(changed) > _MANY:
        return None
    files.store.fetch(
        [trace.blobs[path] for path in changed if path in trace.modules],
        [files.search_key(path, trace.blobs[path]) for path in changed if path in trace.searches],
    )
    lines = {**trace.searches, **trace.modules}
    moves: dict[str, Mapping[int, int]] = {}
    for path in changed:
        found = _moved(files, trace, path)
        if found is None:
            return None
        lines.update((path, facts.lines) for facts in _now(files, trace, path))
        if any(old != new for old, new in found.items()):
            moves[path] = found
    if any(_is_ambiguous(path, files.python) for path in moves):
        return None
    return Followed(sum(lines.values()), moves)


def _is_ambiguous(path: str, others: Sequence[str]) -> bool:
    """Whether a text that names another file could be read as one that names this: "a b.py" and "b.py"."""
    return any(other.endswith(path) and other[-len(path) - 1 : -len(path)] not in ("", "/") for other in others)


def _moved(files: Files, trace: Trace, path: str) -> Mapping[int, int] | None:
    """Where the lines of a changed file have moved, None when more than that has changed."""
    blob, moves = trace.blobs[path], Moves()
    before: list[ModuleFacts | Searched | None] = []
    if path in trace.searches:
        before.append(files.store.searches.get(files.search_key(path, blob)))
    if path in trace.modules:
        before.append(files.store.definitions.get(blob))
    for old, new in zip(before, _now(files, trace, path), strict=True):
        if old is None or not moves.follow(old, new):
            return None
    for name, found in trace.mentions.items():
        now = [line for _, line in files.mentions_in(name, (path,))]
        if not moves.follow_lines([line for place, line in found if place == path], now):
            return None
    return moves.moved()


def _now(files: Files, trace: Trace, path: str) -> Iterator[ModuleFacts | Searched]:
    if path in trace.searches:
        yield files.searched(path)
    if path in trace.modules:
        yield files.module(path)


def changed_since(files: Files, trace: Trace) -> list[str]:
    """The files, of the same names, that have other bytes."""
    return [path for path in files.python if files.tree.blobs[path] != trace.blobs[path]]
