"""File patches -> the files of a series: mails for `git am` and `git apply`, and the list of them.

The same patches give the same bytes: date and author are arguments, nothing is taken from the machine.
"""

from __future__ import annotations

import binascii
import re
import unicodedata
from collections.abc import Mapping, Sequence

import msgspec

from shimgen.patch.text import encode_path, quote, render
from shimgen.patch.values import FilePatch

EPOCH = "Thu, 1 Jan 1970 00:00:00 +0000"
AUTHOR = "shimgen <shimgen@localhost>"
COVER = "0000-cover-letter.txt"
LIST = "series"
GRAPH_WIDTH = 40
LONGEST_SLUG = 52
# In a message these would end it, or be taken for a header, a separator of mails or the begin of the patch.
MISREAD = re.compile(r"(---|diff -|Index: |From |>From |[A-Za-z-]+: |\[PATCH|-- >8)")


class Letter(msgspec.Struct, frozen=True):
    """One patch of a series: what its commit says, and the files it changes."""

    subject: str
    body: str
    files: tuple[FilePatch, ...]


def render_series(
    letters: Sequence[Letter], *, cover: str = "", author: str = AUTHOR, date: str = EPOCH, signature: str = "shimgen"
) -> Mapping[str, bytes]:
    """File name -> bytes, in order: the cover letter (if there is a text), the numbered patches, `series`.

    `git am *.patch` takes the patches in order; the cover letter is no patch and is named so that the glob leaves
    it out. `date` is an RFC 2822 date, best the one of the commit that the series is made for.
    """
    files = {COVER: cover.encode()} if cover else {}
    for number, letter in enumerate(letters, 1):
        title = f"[PATCH {number}/{len(letters)}] {' '.join(letter.subject.split())}"
        files[f"{number:04d}-{slug(letter.subject)}.patch"] = _mail(letter, title, author, date, signature)
    names = [name for name in files if name != COVER]
    return {**files, LIST: "".join(f"{name}\n" for name in names).encode()}


def slug(subject: str) -> str:
    """The part of a file name that stands for a subject: letters, digits, dots and underscores, joined by dashes."""
    plain = unicodedata.normalize("NFKD", subject).encode("ascii", "ignore").decode()
    short = re.sub(r"[^A-Za-z0-9_]+", "-", plain)[:LONGEST_SLUG].strip("-")
    return short or "patch"


def _mail(letter: Letter, title: str, author: str, date: str, signature: str) -> bytes:
    content = f"{_message(letter.body)}---\n{diffstat(letter.files)}\n".encode() + render(letter.files)
    content += f"-- \n{signature}\n".encode()
    # `git am` takes away the CR of a line end, unless the text is encoded.
    encoded = b"\r" in content
    head = (
        "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"
        f"From: {author}\nDate: {date}\nSubject: {_header(title)}\n"
        "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
        f"Content-Transfer-Encoding: {'quoted-printable' if encoded else '8bit'}\n\n"
    )
    if encoded:  # line by line, so that CRs come out as they went in
        content = b"\n".join(binascii.b2a_qp(line, istext=False) for line in content.split(b"\n"))
    return head.encode() + content


def _header(title: str) -> str:
    if title.isascii():
        return title
    from email.header import Header  # slow to import, and titles are mostly ASCII

    return Header(title, "utf-8", header_name="Subject").encode()


def _message(body: str) -> str:
    lines = [line.rstrip() for line in body.strip().splitlines()]
    safe = [f" {line}" if MISREAD.match(line) else line for line in lines]
    return "".join(f"{line}\n" for line in safe)


def diffstat(files: Sequence[FilePatch]) -> str:
    """The summary that git writes below a commit's message: one line a file, then the totals."""
    names = [quote(encode_path(patch.path)).decode("ascii") for patch in files]
    counts = [patch.counts for patch in files]
    width = max((len(name) for name in names), default=0)
    most = max((sum(pair) for pair in counts), default=0)
    scale = min(1.0, GRAPH_WIDTH / most) if most else 1.0
    rows = []
    for name, (added, removed) in zip(names, counts, strict=True):
        graph = "+" * _bars(added, scale) + "-" * _bars(removed, scale)
        rows.append(f" {name:<{width}} | {added + removed:>{len(str(most))}} {graph}".rstrip() + "\n")
    return "".join(rows) + _totals(len(files), sum(a for a, _ in counts), sum(r for _, r in counts))


def _bars(count: int, scale: float) -> int:
    return max(1, round(count * scale)) if count else 0


def _totals(files: int, added: int, removed: int) -> str:
    parts = [f"{files} file{'s' if files != 1 else ''} changed"]
    if added or not removed:
        parts.append(f"{added} insertion{'s' if added != 1 else ''}(+)")
    if removed:
        parts.append(f"{removed} deletion{'s' if removed != 1 else ''}(-)")
    return f" {', '.join(parts)}\n"
