"""What an analysis has seen of a tree: enough to tell whether another tree shows it the same.

An analysis reads facts, the names of files, and where files mention a name; nothing else. So it would find the same
in any tree whose files have the same names, and whose changed files have the same facts and mentions.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from shimgen.index.files import Files, Mentions
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


def followed(files: Files, trace: Trace) -> int | None:
    """The lines that an analysis of `files` would read, of the same names as the tree of the trace and found to look
    the same; None when it may find something else, or when the facts of a changed file are no longer known."""
    changed = changed_since(files, trace)
    if len(changed) > _MANY:
        return None
    files.store.fetch(
        [trace.blobs[path] for path in changed if path in trace.modules],
        [files.search_key(path, trace.blobs[path]) for path in changed if path in trace.searches],
    )
    lines = {**trace.searches, **trace.modules}
    for path in changed:
        blob = trace.blobs[path]
        pairs: list[tuple[ModuleFacts | Searched | None, ModuleFacts | Searched]] = []
        if path in trace.searches:
            pairs.append((files.store.searches.get(files.search_key(path, blob)), files.searched(path)))
        if path in trace.modules:
            pairs.append((files.store.definitions.get(blob), files.module(path)))
        for old, new in pairs:
            if old is None or replace(old, lines=new.lines) != new:
                return None
            lines[path] = new.lines
    if any(files.mentions_in(name, changed) != _within(found, changed) for name, found in trace.mentions.items()):
        return None
    return sum(lines.values())


def changed_since(files: Files, trace: Trace) -> list[str]:
    """The files, of the same names, that have other bytes."""
    return [path for path in files.python if files.tree.blobs[path] != trace.blobs[path]]


def _within(found: Mentions, paths: list[str]) -> Mentions:
    inside = frozenset(paths)
    return tuple((path, line) for path, line in found if path in inside)
