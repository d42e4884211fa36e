"""Comma-separated lists in source, the bases of a class or the names of an import: how they grow and shrink again.

A list keeps its layout: a name goes in where it belongs, and nothing else moves. Only a line that would be too long is
wrapped, as black wraps it; a word on where the list stood before lets it be put back byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

LINE = "on one line"
OWN_LINE = "on a line of their own"
_ROWS = "rows"  # one element a line, with a trailing comma
_COMMA = re.compile(rb"\s*,")
_ALONE = re.compile(rb"[^\S\n]*\r?\n[^\n]*\n[^\S\n]*")


class Edit(msgspec.Struct, frozen=True):
    """`data[start:end]` becomes `text`."""

    start: int
    end: int
    text: bytes


class Listing(msgspec.Struct, frozen=True):
    """A list in a file: `open` and `close` are the offsets of what stands between its parentheses, or of the names
    themselves when there are none (`bare`). `items` are the offsets of the elements; `names`: they are those of an
    import. `indent` is the indentation of the statement, `unit` one level more, `newline` the file's line end."""

    data: bytes
    open: int
    close: int
    items: tuple[tuple[int, int], ...]
    names: bool
    bare: bool
    indent: bytes
    unit: bytes
    newline: bytes

    @property
    def texts(self) -> list[bytes]:
        """The elements as written."""
        return [self.data[start:end] for start, end in self.items]

    def grown(self, new: Sequence[tuple[int, bytes]], limit: int) -> tuple[list[Edit], str]:
        """The edits that put names before the elements at their positions, and where the list stood if it is wrapped
        because a line would be longer than `limit`."""
        edits = [self._inserted(position, name) for position, name in new]
        layout = self._layout
        fixed = layout not in (LINE, OWN_LINE) or (self.names and (not self.bare or self._has_tail()))
        if fixed or self._width(edits) <= limit:
            return edits, ""
        texts = self._with(new)
        row = self.indent + self.unit + b", ".join(texts)
        if layout == LINE and not self.names and _wide(row) <= limit:
            return [self._replaced(self.newline + row + self.newline + self.indent)], LINE
        rows = b"".join(self.newline + self.indent + self.unit + text + b"," for text in texts)
        return [self._replaced(rows + self.newline + self.indent)], layout

    def shrunk(self, names: Sequence[bytes], was: str) -> list[Edit]:
        """The edits that take names out again, not all of them; `was` tells where the list stood before."""
        if not was:
            return [self._cut(*run) for run in _runs([text in names for text in self.texts])]
        joined = b", ".join(text for text in self.texts if text not in names)
        if was == OWN_LINE:
            joined = self.newline + self.indent + self.unit + joined + self.newline + self.indent
        outer = 1 if self.names and not self.bare else 0  # the parentheses came with the wrapping
        return [Edit(self.open - outer, self.close + outer, joined)]

    @property
    def _comma(self) -> int:
        """The offset behind a trailing comma, 0 when there is none."""
        match = _COMMA.match(self.data, self.items[-1][1], self.close)
        return match.end() if match else 0

    @property
    def _layout(self) -> str:
        """`LINE`, `OWN_LINE`, `_ROWS`, or "" for any other."""
        inside = self.data[self.open : self.close]
        if self._comma:
            return _ROWS if self._in_rows() else ""
        if b"#" in inside or b"\\" in inside:
            return ""
        if b"\n" not in inside:
            return LINE
        return OWN_LINE if _ALONE.fullmatch(inside) else ""

    def _in_rows(self) -> bool:
        gaps = [self.data[a:b] for (_, a), (b, _) in zip(self.items, self.items[1:], strict=False)]
        first, last = self.data[self.open : self.items[0][0]], self.data[self._comma : self.close]
        return all(b"\n" in gap for gap in (first, *gaps, last))

    def _inserted(self, position: int, name: bytes) -> Edit:
        item = self.items[min(position, len(self.items) - 1)][0]
        margin = self.data[self.data.rfind(b"\n", 0, item) + 1 : item]
        rows = self._layout == _ROWS
        if position < len(self.items):
            return Edit(item, item, name + (b"," + self.newline + margin if rows else b", "))
        if not self._comma:
            return Edit(self.items[-1][1], self.items[-1][1], b", " + name)
        return Edit(self._comma, self._comma, (self.newline + margin if rows else b" ") + name + b",")

    def _with(self, new: Sequence[tuple[int, bytes]]) -> list[bytes]:
        texts = [name for position, name in new if position >= len(self.items)]
        for number, text in reversed(list(enumerate(self.texts))):
            texts = [*(name for position, name in new if position == number), text, *texts]
        return texts

    def _width(self, edits: Sequence[Edit]) -> int:
        """How long the line of the first element becomes."""
        start = self.data.rfind(b"\n", 0, self.items[0][0]) + 1
        end = self.data.find(b"\n", self.items[0][0])
        line = self.data[start : end if end >= 0 else len(self.data)].rstrip(b"\r")
        return _wide(line) + sum(_wide(edit.text) for edit in edits)

    def _has_tail(self) -> bool:
        """Whether something follows on the line, as a comment does."""
        end = self.data.find(b"\n", self.close)
        return bool(self.data[self.close : end if end >= 0 else len(self.data)].strip())

    def _replaced(self, inside: bytes) -> Edit:
        return Edit(self.open, self.close, b"(" + inside + b")" if self.bare else inside)

    def _cut(self, first: int, last: int) -> Edit:
        """Neighbours, from the first to the last, with the commas and gaps that came with them."""
        if last + 1 < len(self.items):
            return Edit(self.items[first][0], self.items[last + 1][0], b"")
        start, end = self.items[first - 1][1], self._comma or self.items[last][1]
        before = _COMMA.match(self.data, start, self.close) if self._comma else None
        return Edit(before.end() if before else start, end, b"")


def applied(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The data with all edits made, none of which overlap; of several at one place the first comes first."""
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        pieces += [data[at : edit.start], edit.text]
        at = edit.end
    return b"".join([*pieces, data[at:]])


def _runs(taken: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of elements that are taken."""
    for is_taken, group in groupby(enumerate(taken), key=lambda pair: pair[1]):
        positions = [position for position, _ in group]
        if is_taken:
            yield positions[0], positions[-1]


def _wide(line: bytes) -> int:
    return len(line.decode("utf-8", "replace").expandtabs(4))
