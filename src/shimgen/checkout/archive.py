"""Records <-> bytes. A record is a zip archive, so that a person can get the contents out without shimgen."""

from __future__ import annotations

import io
import json
import zipfile
import zlib

from shimgen.checkout.journal import Entry, Record

SCHEMA = "shimgen-journal/1"
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def pack(record: Record) -> bytes:
    """The same record gives the same bytes."""
    head = {
        "schema": SCHEMA,
        "kind": record.kind,
        "head": record.head,
        "version": record.version,
        "drops": record.drops,
        "paths": [entry.path for entry in record.entries],
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "record.json", json.dumps(head, indent=1).encode())
        for number, entry in enumerate(record.entries):
            _add(archive, f"before/{number}", entry.before)
            _add(archive, f"after/{number}", entry.after)
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, LONG_AGO), content, zipfile.ZIP_DEFLATED)


def unpack(content: bytes) -> Record:
    """The record that was packed. Raises ValueError when that is not what the bytes are."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            head = json.loads(archive.read("record.json"))
            if head["schema"] != SCHEMA:
                raise ValueError(f"schema {head['schema']!r}")
            entries = tuple(
                Entry(str(name), archive.read(f"before/{number}"), archive.read(f"after/{number}"))
                for number, name in enumerate(head["paths"])
            )
            return Record(str(head["kind"]), entries, str(head["head"]), str(head["version"]), tuple(head["drops"]))
    except (KeyError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(str(error) or type(error).__name__) from error
