"""Patches as text, in git's own format: render and parse are inverse to each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from shimgen.model.domain import FileChange
from shimgen.model.errors import GenerateError
from shimgen.patch.diff import REGULAR, file_patch, split_lines
from shimgen.patch.values import ADDED, CONTEXT, REMOVED, FilePatch, Hunk

NO_NEWLINE = b"\\ No newline at end of file\n"
SIGNATURES = (b"-- \n", b"--\n")
SHORT = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}
LONG = {letter[0]: code for code, letter in SHORT.items()}
HEADER = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: ([^\n]*))?\n")
INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64}) (100644|100755)\n")
ESCAPE = re.compile(rb'\\([0-3][0-7]{2}|[abtnvfr"\\])')


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


def unquote(text: bytes) -> bytes:
    if not text.startswith(b'"'):
        return text
    return ESCAPE.sub(lambda m: bytes([LONG[m[1][0]]]) if len(m[1]) == 1 else bytes([int(m[1], 8)]), text[1:-1])


def parse(text: bytes) -> tuple[FilePatch, ...]:
    """The file patches in `text`. What stands before the first patch, and a mail's signature, is passed over.

    Raises GenerateError, naming the line, for anything that is not a change of the content of existing files.
    """
    return tuple(Reader(split_lines(text)).files())


class Reader:
    """Walks the lines of a patch once; every complaint names the line it stands at."""

    what = "the patch"

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.lines = lines
        self.at = 0

    def files(self) -> Iterable[FilePatch]:
        while self.at < len(self.lines):
            if self.begins():
                yield self.file()
            else:
                self.at += 1

    def begins(self) -> bool:
        """Whether the next line is the first of a file."""
        return self.peek().startswith(b"diff --git ")

    def peek(self) -> bytes:
        return self.lines[self.at] if self.at < len(self.lines) else b""

    def take(self) -> bytes:
        line = self.peek()
        self.at += 1
        return line

    def fail(self, reason: str, back: int = 1) -> GenerateError:
        return GenerateError(
            f"{self.what} is not usable: line {self.at - back + 1} {reason}",
            "make it anew: git diff, or git format-patch",
        )

    def file(self) -> FilePatch:
        """The patch of one file."""
        names = self.take()[len(b"diff --git ") :]
        index = INDEX.fullmatch(self.take())
        if index is None:
            raise self.fail("is no `index` line of a changed file (shimgen patches change content, nothing else)")
        old, new = self._name(b"--- "), self._name(b"+++ ")
        path = unquote(old)[2:]
        if (unquote(old), unquote(new)) != (b"a/" + path, b"b/" + path) or names != b"%s %s\n" % (old, new):
            raise self.fail("names another file than the lines above")
        hunks = self.hunks()
        old_id, new_id, mode = (group.decode() for group in index.groups())
        return FilePatch(path.decode("utf-8", "surrogateescape"), old_id, new_id, hunks, mode)

    def _name(self, mark: bytes) -> bytes:
        line = self.take()
        if not line.startswith(mark) or not line.endswith(b"\n"):
            raise self.fail(f"does not begin with {mark.decode()!r}")
        return line[len(mark) : -1].removesuffix(b"\t")

    def hunks(self) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        while self.peek().startswith(b"@@ "):
            hunks.append(self.hunk())
        if not hunks:
            raise self.fail("is no hunk", back=0)
        if self.goes_on():
            raise self.fail("is not counted in the header of its hunk", back=0)
        return tuple(hunks)

    def goes_on(self) -> bool:
        """Whether the next line looks like one more of the hunk that has ended."""
        return self.peek()[:1] in (CONTEXT, ADDED, REMOVED) and self.peek() not in SIGNATURES

    def hunk(self) -> Hunk:
        header = HEADER.fullmatch(self.take())
        if header is None:
            raise self.fail("is no hunk header")
        old_start, old_count, new_start, new_count = (1 if g is None else int(g) for g in header.groups()[:4])
        lines: list[bytes] = []
        left = {CONTEXT: 0, REMOVED: old_count, ADDED: new_count}
        while left[REMOVED] or left[ADDED]:
            lines.append(self.line(left))
        at = old_start - bool(old_count), new_start - bool(new_count)
        if min(at) < 0:
            raise self.fail("is no hunk header", back=len(lines) + 1)
        return Hunk(*at, tuple(lines), header[5] or b"")

    def body(self) -> bytes:
        """The next line of a hunk."""
        return self.take()

    def at_marker(self) -> bool:
        """Whether the next line says that the one above has no newline."""
        return self.peek() == NO_NEWLINE

    def line(self, left: dict[bytes, int]) -> bytes:
        line = self.body()
        mark = line[:1]
        counted = {CONTEXT: (REMOVED, ADDED), REMOVED: (REMOVED,), ADDED: (ADDED,)}.get(mark, ())
        if not counted or any(not left[side] for side in counted) or not line.endswith(b"\n"):
            raise self.fail("does not fit the header of its hunk")
        for side in counted:
            left[side] -= 1
        if not self.at_marker():
            return line
        self.at += 1
        if any(left[side] for side in counted):
            raise self.fail("says that a file ends here, but its hunk goes on")
        return line[:-1]
