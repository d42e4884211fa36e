"""File changes -> the patch of a source that git does not hold (a package directory)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shimgen.model.domain import FileChange
from shimgen.patch.diff import file_patch
from shimgen.patch.text import render

REGULAR = "100644"


def render_changes(changes: Sequence[FileChange], modes: Mapping[str, str] | None = None) -> bytes:
    """The patch text, files sorted by path. `modes` gives git's mode of the files that are executable ("100755")."""
    known = modes or {}
    ordered = sorted(changes, key=lambda change: change.path)
    return render(file_patch(c.path, c.before, c.after, known.get(c.path, REGULAR)) for c in ordered)
