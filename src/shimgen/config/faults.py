"""What is wrong with a parsed `shimgen.toml`: a person who mends it gets every fault at once, each with its key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from typing import Any

from shimgen.model.accepts import release_key
from shimgen.model.domain import Severity
from shimgen.model.errors import did_you_mean

SEVERITIES = (*(severity.value for severity in Severity), "all")

_COMMIT = "a commit of 7 to 64 hexadecimal digits"
_UNTIL, _WHEN = "a date or a release", '"before" or "after"'
_SAID = "a string that is not empty"
_TEXT, _TEXTS, _SEVERITY, _TABLE = "a string", "a list of strings", "a severity", "a table"
_SCHEMA: dict[str, Any] = {
    "profile": _TEXT,
    "checkout": _TEXT,
    "package": _TEXT,
    "python": _TEXT,
    "pin": {**dict.fromkeys(("url", "revision", "digest", "version"), _TEXT), "commit": _COMMIT},
    "scope": {"interfaces": _TEXTS, "wrappers": _TEXTS, "members": _TEXTS, "severity": _SEVERITY},
    "carried": [{"patch": _TEXT, "reason": _TEXT, "when": _WHEN}],
    "accept": [{"wrapper": _TEXT, "member": _TEXT, "reason": _SAID, "until": _UNTIL}],
    "stack": _TABLE,
}
_REQUIRED = {"carried": ("patch",), "accept": ("wrapper", "member", "reason")}


def faults(raw: Mapping[str, Any]) -> Iterator[str]:
    """Every fault of a parsed file, one line each: its key, then what is wrong."""
    if "package" in raw and "checkout" in raw:
        yield "package: goes without checkout, which names another place"
    yield from _table_faults("", raw, _SCHEMA)


def _table_faults(prefix: str, table: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if key in schema:
            yield from _value_faults(f"{prefix}{key}", value, schema[key])
        else:
            yield f"{prefix}{key}: unknown key{did_you_mean(key, schema)}"


def _value_faults(key: str, value: Any, expected: Any) -> Iterator[str]:
    if isinstance(expected, dict):
        if isinstance(value, dict):
            yield from _table_faults(f"{key}.", value, expected)
        else:
            yield f"{key}: a table is expected, not {_named(value)}"
    elif isinstance(expected, list):
        yield from _rows_faults(key, value, expected[0])
    elif expected == _SEVERITY:
        if value not in SEVERITIES:
            yield f"{key}: one of {', '.join(SEVERITIES)} is expected, not {_named(value)}"
    elif not _fits(value, expected):
        yield f"{key}: {expected} is expected, not {_named(value)}"


def _rows_faults(key: str, value: Any, schema: Mapping[str, Any]) -> Iterator[str]:
    """Faults of an array of tables; rows are counted from 1, as a person does."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        yield f"{key}: tables are expected ([[{key}]]), not {_named(value)}"
        return
    for number, row in enumerate(value, 1):
        yield from (f"{key}[{number}].{needed}: missing" for needed in _REQUIRED[key] if needed not in row)
        yield from _table_faults(f"{key}[{number}].", row, schema)


def _fits(value: Any, expected: str) -> bool:
    if expected == _TEXTS:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if expected == _UNTIL and isinstance(value, str):
        return release_key(value) is not None
    if expected == _UNTIL:
        return isinstance(value, date) and not isinstance(value, datetime)
    if expected == _SAID:
        return isinstance(value, str) and bool(value.strip())
    if expected == _WHEN:
        return value in ("before", "after")
    if expected == _COMMIT:
        return isinstance(value, str) and re.fullmatch("[0-9a-f]{7,64}", value) is not None
    return isinstance(value, dict if expected == _TABLE else str)


def _named(value: Any) -> str:
    """A value as an error shows it."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, bool | date | time):
        return str(value).lower()
    return "a list" if isinstance(value, list) else repr(value)
