"""Mails -> the patch text in them."""

from __future__ import annotations

import re

_HEADER = re.compile(rb"From |[A-Za-z][A-Za-z-]*:")
_ENCODED = re.compile(rb"^Content-(Transfer-Encoding:\s*(quoted-printable|base64)|Type:\s*multipart/)", re.I | re.M)
_BLANK = re.compile(rb"\r?\n\r?\n")
_NEXT = re.compile(rb"^(?=From [0-9a-f]{40,64} Mon Sep 17 00:00:00 2001\r?$)", re.M)
"""How a mail begins that git wrote, with a date that never changes (git format-patch)."""


def content_of(mails: bytes) -> bytes:
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
