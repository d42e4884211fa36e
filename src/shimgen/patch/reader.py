"""Patches as text (of git, of diff -u, in mails) -> file patches. Only changes of files that are there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from shimgen.model.errors import GenerateError
from shimgen.patch.diff import split_lines
from shimgen.patch.text import SHORT
from shimgen.patch.values import ADDED, CONTEXT, REMOVED, FilePatch, Hunk

UNKNOWN_ID = "-"  # begins no blob id
NOTHING = "/dev/null"
_GIT = b"diff --git "
_SIGNATURES = (b"-- \n", b"--\n")
_RANGES = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: ([^\n]*))?\n")
_ESCAPE = re.compile(rb'\\([0-3][0-7]{2}|[abtnvfr"\\])')
_LONG = {letter[0]: code for code, letter in SHORT.items()}
_INDEX = re.compile(rb"index ([0-9a-f]{7,64})\.\.([0-9a-f]{7,64})(?: (\d{6}))?\r?\n")
_EXTENDED = re.compile(
    rb"(index|old mode|new mode|new file mode|deleted file mode|similarity index|dissimilarity index|"
    rb"rename from|rename to|copy from|copy to|GIT binary patch|Binary files) ?([^\n]*)\n"
)
_HEADER = re.compile(rb"From |[A-Za-z][A-Za-z-]*:")
_ENCODED = re.compile(rb"^Content-(Transfer-Encoding:\s*(quoted-printable|base64)|Type:\s*multipart/)", re.I | re.M)
_BLANK = re.compile(rb"\r?\n\r?\n")
_NEXT = re.compile(rb"^(?=From [0-9a-f]{40,64} Mon Sep 17 00:00:00 2001\r?$)", re.M)
"""How a mail begins that git wrote, with a date that never changes (git format-patch)."""
_FAULTS = {
    "new file mode": "adds",
    "deleted file mode": "deletes",
    "GIT binary patch": "changes the binary file",
    "Binary files": "changes the binary file",
    "rename from": "renames",
    "copy from": "copies",
    "old mode": "changes the mode of",
}


def read_patch(name: str, content: bytes) -> tuple[FilePatch, ...]:
    """The file patches in `content`, in its order; `name` is what errors call it.

    Every byte is kept. Raises GenerateError for what is no patch, and for what adds, deletes, renames or changes the
    mode of files, or is binary.
    """
    patches = tuple(_Reader(name, _content_of(content)).files())
    if not patches:
        raise GenerateError(f"{name} holds no patch", "git diff > FILE, or git format-patch")
    paths = [patch.path for patch in patches]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise GenerateError(f"{name} changes {twice} in two places of the patch", "make one patch of each commit")
    return patches


class _Head(msgspec.Struct):
    """What stands above the hunks of a file: names (None until they are known), blob ids, mode, and what git adds."""

    source: str | None = None
    target: str | None = None
    ids: tuple[str, str] = (UNKNOWN_ID, UNKNOWN_ID)
    mode: str = "100644"
    extended: dict[str, str] = msgspec.field(default_factory=dict)


class _Reader:
    """Walks the lines of a patch once; every complaint names the line it stands at. What is no patch (the text of a
    mail) is passed over."""

    def __init__(self, name: str, content: bytes) -> None:
        self._name = name
        self._lines = split_lines(content)
        self._at = 0

    def files(self) -> Iterator[FilePatch]:
        """The patch of each file."""
        while self._at < len(self._lines):
            if self._peek().startswith(_GIT) or self._at_names():
                yield self._file()
            else:
                self._at += 1

    def _at_names(self) -> bool:
        """Whether a file begins here as `diff -u` prints it."""
        marks = (b"--- ", b"+++ ", b"@@ -")
        following = self._lines[self._at : self._at + len(marks)]
        return len(following) == len(marks) and all(map(bytes.startswith, following, marks))

    def _peek(self) -> bytes:
        return self._lines[self._at] if self._at < len(self._lines) else b""

    def _take(self) -> bytes:
        line = self._peek()
        self._at += 1
        return line

    def _fail(self, reason: str, back: int = 1) -> GenerateError:
        return GenerateError(
            f"{self._name} is not usable: line {self._at - back + 1} {reason}",
            "make it anew: git diff, or git format-patch",
        )

    def _file(self) -> FilePatch:
        head = self._head()
        source, target = _names(head.source or "", head.target or "")
        shown = target if source == NOTHING else source
        if shown.startswith("/") or ".." in shown.split("/"):
            raise GenerateError(
                f"{self._name} changes {shown}, which is not a path inside a checkout",
                "git diff > FILE, in the checkout",
            )
        fault = _fault(head, source, target)
        if fault:
            message = f"{self._name} {fault} {shown}, and only changes of files that are there can be carried"
            raise GenerateError(message, f"commit {shown} to the checkout, and leave it out of the patch")
        return FilePatch(shown, *head.ids, self._hunks(), head.mode)

    def _head(self) -> _Head:
        head = _Head()
        if self._peek().startswith(_GIT):
            head.source, head.target = _git_names(self._take()[len(_GIT) :].rstrip(b"\r\n"))
            while found := _EXTENDED.fullmatch(self._peek()):
                head.extended[found[1].decode()] = found[2].decode("utf-8", "replace")
                if index := _INDEX.fullmatch(self._take()):
                    head.ids = index[1].decode(), index[2].decode()
                    head.mode = index[3].decode() if index[3] else head.mode
        if self._peek().startswith(b"--- "):
            head.source = _path(self._take()[len(b"--- ") :])
            if not self._peek().startswith(b"+++ "):
                raise self._fail("does not begin with '+++ '", back=0)
            head.target = _path(self._take()[len(b"+++ ") :])
        return head

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        while self._peek().startswith(b"@@ "):
            hunks.append(self._hunk())
        if not hunks:
            raise self._fail("is no hunk", back=0)
        if self._peek()[:1] in (CONTEXT, ADDED, REMOVED) and self._peek() not in _SIGNATURES and not self._at_names():
            raise self._fail("is not counted in the header of its hunk", back=0)
        return tuple(hunks)

    def _hunk(self) -> Hunk:
        header = _RANGES.fullmatch(self._take())
        if header is None:
            raise self._fail("is no hunk header")
        old_start, old_count, new_start, new_count = (1 if g is None else int(g) for g in header.groups()[:4])
        lines: list[bytes] = []
        left = {CONTEXT: 0, REMOVED: old_count, ADDED: new_count}
        while left[REMOVED] or left[ADDED]:
            lines.append(self._line(left))
        at = old_start - bool(old_count), new_start - bool(new_count)
        if min(at) < 0:
            raise self._fail("is no hunk header", back=len(lines) + 1)
        return Hunk(*at, tuple(lines), header[5] or b"")

    def _line(self, left: dict[bytes, int]) -> bytes:
        line = self._take()
        if line in (b"\n", b"\r\n"):  # mailers take the only blank from empty lines of context
            line = CONTEXT + line
        counted = {CONTEXT: (REMOVED, ADDED), REMOVED: (REMOVED,), ADDED: (ADDED,)}.get(line[:1], ())
        if not counted or any(not left[side] for side in counted) or not line.endswith(b"\n"):
            raise self._fail("does not fit the header of its hunk")
        for side in counted:
            left[side] -= 1
        if not self._peek().startswith(b"\\ "):  # "No newline at end of file", in some language
            return line
        self._at += 1
        if any(left[side] for side in counted):
            raise self._fail("says that a file ends here, but its hunk goes on")
        return line[:-1]


def _fault(head: _Head, source: str, target: str) -> str:
    """What the patch does besides changing lines of one file, as a verb; "" for nothing."""
    for word, verb in _FAULTS.items():
        if word in head.extended:
            return verb
    if head.mode not in ("100644", "100755"):
        return "changes the link"
    pairs = {(source, "adds"), (target, "deletes")}
    plain = next((verb for path, verb in sorted(pairs) if path == NOTHING), "")
    return plain or ("renames" if source != target else "")


def _path(header: bytes) -> str:
    """The name in a `---` or `+++` line: quoted, or up to the tab before a time."""
    name, tab, _ = header.rstrip(b"\r\n").partition(b"\t")
    name = name if tab else name.strip()
    if name.startswith(b'"'):
        name = _ESCAPE.sub(lambda m: bytes([_LONG[m[1][0]] if len(m[1]) == 1 else int(m[1], 8)]), name[1:-1])
    return name.decode("utf-8", "surrogateescape")


def _git_names(text: bytes) -> tuple[str, str]:
    """The two names of a `diff --git` line, which may hold blanks: equal apart from their first component."""
    for at, letter in enumerate(text):
        if letter != ord(" "):
            continue
        source, target = _path(text[:at]), _path(text[at + 1 :])
        if source == target or source.partition("/")[2] == target.partition("/")[2] != "":
            return source, target
    first, _, second = text.partition(b" ")
    return _path(first), _path(second)


def _names(source: str, target: str) -> tuple[str, str]:
    """Both paths without their first component where that tells them apart ("a/" and "b/", "old/" and "new/")."""
    (first, _, inner), (other, _, inner_too) = source.partition("/"), target.partition("/")
    if source == NOTHING:
        return source, inner_too or target
    if target == NOTHING:
        return inner or source, target
    return (inner, inner_too) if first != other and inner and inner_too else (source, target)


def context_of(patches: Iterable[FilePatch]) -> int:
    """How many unchanged lines the hunks have around them, where they are not at an end of the file."""
    return max((max(hunk.margins) for patch in patches for hunk in patch.hunks), default=0)


def _content_of(mails: bytes) -> bytes:
    """The text of one or more mails, attachments with it, as it was before it was encoded for the way; what is no mail,
    or not encoded, is as it is."""
    return b"".join(_decoded(mail) for mail in _NEXT.split(mails))


def _decoded(mail: bytes) -> bytes:
    head = _BLANK.split(mail, maxsplit=1)[0]
    if not _HEADER.match(mail) or not _ENCODED.search(head):
        return mail
    import email  # most patches are no mails, and it takes its time

    contents = (part.get_payload(decode=True) for part in email.message_from_bytes(mail).walk())
    return b"\n".join(content for content in contents if isinstance(content, bytes))
