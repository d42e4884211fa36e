"""Patches as text, in git's own format, as `reader` reads them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shimgen.model.domain import FileChange
from shimgen.patch.diff import REGULAR, file_patch
from shimgen.patch.values import FilePatch, Hunk

NO_NEWLINE = b"\\ No newline at end of file\n"
SHORT = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}


def render(patches: Iterable[FilePatch]) -> bytes:
    """The text of several file patches, in the order given. A file patch without hunks gives no text."""
    return b"".join(_render_file(patch) for patch in patches if patch.hunks)


def render_changes(changes: Sequence[FileChange], modes: Mapping[str, str]) -> bytes:
    """The patch of a source that git does not hold, files sorted by path. `modes` gives git's mode of each file."""
    ordered = sorted(changes, key=lambda change: change.path)
    return render(file_patch(c.path, c.before, c.after, modes.get(c.path, REGULAR)) for c in ordered)


def _render_file(patch: FilePatch) -> bytes:
    old, new = quote(b"a/" + encode_path(patch.path)), quote(b"b/" + encode_path(patch.path))
    tab = b"\t" if b" " in old else b""
    head = b"diff --git %s %s\nindex %s..%s %s\n--- %s%s\n+++ %s%s\n" % (
        *(old, new),
        *(patch.old_id.encode(), patch.new_id.encode(), patch.mode.encode()),
        *(old, tab, new, tab),
    )
    return head + b"".join(_render_hunk(hunk) for hunk in patch.hunks)


def _render_hunk(hunk: Hunk) -> bytes:
    spans = _span(hunk.old_at, len(hunk.old)), _span(hunk.new_at, len(hunk.new))
    title = b" " + hunk.section if hunk.section else b""
    body = [line if line.endswith(b"\n") else line + b"\n" + NO_NEWLINE for line in hunk.lines]
    return b"@@ -%s +%s @@%s\n" % (*spans, title) + b"".join(body)


def _span(at: int, count: int) -> bytes:
    start = at + 1 if count else at
    return b"%d" % start if count == 1 else b"%d,%d" % (start, count)


def encode_path(path: str) -> bytes:
    """A path as git stores it (undecodable bytes survive as surrogates)."""
    return path.encode("utf-8", "surrogateescape")


def quote(path: bytes) -> bytes:
    """`path` in quotes and with escapes, if it has a control character, quote, backslash or non-ASCII byte."""
    if all(32 <= byte < 127 and byte not in SHORT for byte in path):
        return path
    return b'"%s"' % b"".join(_quoted_byte(byte) for byte in path)


def _quoted_byte(byte: int) -> bytes:
    if byte in SHORT:
        return b"\\" + SHORT[byte]
    return bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte
