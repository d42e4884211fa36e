"""Mails -> the patch text in them."""

from __future__ import annotations

import base64
import binascii
import re

_ENCODING = re.compile(rb"^Content-Transfer-Encoding:[ \t]*([\w-]+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


def content_of(mail: bytes) -> bytes:
    """The text of a mail as it was before it was encoded for the way; what is no mail, or not encoded, is as it is."""
    head, blank, body = mail.partition(b"\n\n")
    found = _ENCODING.search(head) if head.startswith((b"From ", b"From:")) else None
    encoding = found[1].lower() if found is not None else b""
    if encoding == b"quoted-printable":
        return head + blank + binascii.a2b_qp(body)
    if encoding == b"base64":
        try:
            return head + blank + base64.b64decode(body, validate=False)
        except binascii.Error:
            return mail
    return mail
