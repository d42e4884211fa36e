"""Patches that others wrote (git, diff -u, mails) -> file patches. Only changes of files that are there."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from shimgen.model.errors import GenerateError
from shimgen.patch.diff import split_lines
from shimgen.patch.text import Reader, unquote
from shimgen.patch.values import CONTEXT, FilePatch

UNKNOWN_ID = "-"  # begins no blob id
NOTHING = "/dev/null"
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


def read_foreign(name: str, content: bytes) -> tuple[FilePatch, ...]:
    """The file patches in `content`, in its order; `name` is what errors call it.

    Every byte is kept. Raises GenerateError for what is no patch, and for what adds, deletes, renames or changes the
    mode of files, or is binary.
    """
    patches = tuple(_Foreign(name, _content_of(content)).files())
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


class _Foreign(Reader):
    """Reads what git and diff print. What is no patch (the text of a mail) is passed over."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(split_lines(content))
        self.what = name

    def begins(self) -> bool:
        return super().begins() or self._at_names()

    def _at_names(self) -> bool:
        """Whether a file begins here as `diff -u` prints it."""
        marks = (b"--- ", b"+++ ", b"@@ -")
        following = self.lines[self.at : self.at + len(marks)]
        return len(following) == len(marks) and all(map(bytes.startswith, following, marks))

    def file(self) -> FilePatch:
        head = self._head()
        source, target = _names(head.source or "", head.target or "")
        shown = target if source == NOTHING else source
        if shown.startswith("/") or ".." in shown.split("/"):
            raise GenerateError(
                f"{self.what} changes {shown}, which is not a path inside a checkout",
                "git diff > FILE, in the checkout",
            )
        fault = _fault(head, source, target)
        if fault:
            message = f"{self.what} {fault} {shown}, and only changes of files that are there can be carried"
            raise GenerateError(message, f"commit {shown} to the checkout, and leave it out of the patch")
        return FilePatch(shown, *head.ids, self.hunks(), head.mode)

    def _head(self) -> _Head:
        head = _Head()
        if super().begins():
            head.source, head.target = _git_names(self.take()[len(b"diff --git ") :].rstrip(b"\r\n"))
            while found := _EXTENDED.fullmatch(self.peek()):
                head.extended[found[1].decode()] = found[2].decode("utf-8", "replace")
                if index := _INDEX.fullmatch(self.take()):
                    head.ids = index[1].decode(), index[2].decode()
                    head.mode = index[3].decode() if index[3] else head.mode
        if self.peek().startswith(b"--- "):
            head.source = _path(self.take()[len(b"--- ") :])
            if not self.peek().startswith(b"+++ "):
                raise self.fail("does not begin with '+++ '", back=0)
            head.target = _path(self.take()[len(b"+++ ") :])
        return head

    def goes_on(self) -> bool:
        return super().goes_on() and not self._at_names()

    def body(self) -> bytes:
        """The next line of a hunk. Mailers take the only blank from empty lines of context."""
        line = self.take()
        return CONTEXT + line if line in (b"\n", b"\r\n") else line

    def at_marker(self) -> bool:
        return self.peek().startswith(b"\\ ")


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
    text = header.rstrip(b"\r\n")
    text = text if text.startswith(b'"') else text.partition(b"\t")[0]
    return unquote(text.strip()).decode("utf-8", "surrogateescape")


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
