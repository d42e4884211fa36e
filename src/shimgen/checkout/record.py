"""One run of apply or revert, as a value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a record, with its content before and after."""

    path: str
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Record:
    """One run. `kind`: "apply" or "revert"; `head`, `version`: the baseline then; `drops`: the records taken back."""

    kind: str
    entries: tuple[Entry, ...]
    head: str = ""
    version: str = ""
    drops: tuple[str, ...] = ()
