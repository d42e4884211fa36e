"""One run of apply or revert, as a value."""

from __future__ import annotations

import msgspec


class Entry(msgspec.Struct, frozen=True):
    """One file of a record, with its content before and after."""

    path: str
    before: bytes
    after: bytes


class Record(msgspec.Struct, frozen=True):
    """One run. `kind`: "apply" or "revert"; `head`, `version`: the baseline then; `drops`: the records taken back."""

    kind: str
    entries: tuple[Entry, ...]
    head: str = ""
    version: str = ""
    drops: tuple[str, ...] = ()
