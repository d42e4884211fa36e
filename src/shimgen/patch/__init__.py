"""File changes -> hunks -> patch text and series; reverse, parse and exact application. No git, no syntax, no disk.

    render_changes(changes, modes)     the patch of some file changes, as bytes (for sources that git does not hold)
    read_patch(name, content)          the FilePatch values of a patch's text, whoever wrote it
    render(patches)                    their text in git's own format: of what git wrote, the same bytes
    reverse(patch)                     the patch that undoes it
    apply_exact(patch, content)        the new content, or a Conflict; never fuzzily
    undo(change, content)              content without what the change put in (raises GenerateError)
    weigh(patches, contents)           it applies, is already there (in whole or in part), or conflicts
    render_series(letters, cover=...)  file name -> bytes, for `git am`

For a git checkout the text comes from `shimgen.checkout.render_patch`, since only git knows how its `git diff` will
print a change there; `read_patch` turns it into values for the series.
"""

from shimgen.patch.apply import apply_exact, undo
from shimgen.patch.diff import diff, file_patch, split_lines
from shimgen.patch.reader import read_patch
from shimgen.patch.series import COVER, Letter, diffstat, render_series
from shimgen.patch.text import render, render_changes
from shimgen.patch.values import Conflict, FilePatch, Hunk, reverse
from shimgen.patch.weigh import Weighed, weigh

__all__ = [
    "COVER",
    "Conflict",
    "FilePatch",
    "Hunk",
    "Letter",
    "Weighed",
    "apply_exact",
    "diff",
    "diffstat",
    "file_patch",
    "read_patch",
    "render",
    "render_changes",
    "render_series",
    "reverse",
    "split_lines",
    "undo",
    "weigh",
]
