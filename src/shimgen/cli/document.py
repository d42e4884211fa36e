"""`shimgen.toml` as a document that is rewritten: what a person wrote in it stays, comments included."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from shimgen.model.errors import GenerateError
from shimgen.model.results import Recognition


def parsed(target: Path) -> Any:
    """The existing file as a document that keeps its comments, None when there is none or it cannot be read."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(target.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, TOMLKitError):
        return None


def table(**values: Any) -> Any:
    """A TOML table of the values that are not empty."""
    import tomlkit

    made = tomlkit.table()
    for key, value in values.items():
        if value:
            made[key] = value
    return made


def set_pin(document: Any, found: Recognition) -> None:
    """Write the pin of a checkout. A key that is there keeps its place and its comment, one without value goes."""
    git = found.baseline.kind == "git"
    values = {
        "url": found.url,
        "revision": found.revision,
        "version": found.baseline.version,
        "commit": found.baseline.id if git else "",
        "digest": found.digest or ("" if git else found.baseline.id),
    }
    pin = document.get("pin")
    if not isinstance(pin, dict):
        document["pin"] = table(**values)
        return
    for key in [key for key in pin if not values.get(key)]:
        del pin[key]
    for key, value in values.items():
        if value:
            pin[key] = value


def write(target: Path, document: Any) -> None:
    """Write the file in one step; of a link, the file that it leads to. Raises GenerateError when that is no file, or
    its folder cannot be written."""
    import tomlkit

    target = Path(os.path.realpath(target))
    if target.exists() and not target.is_file():
        raise GenerateError(f"cannot write {target}: it is not a regular file", "shimgen init --config FILE")
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        partial.write_text(tomlkit.dumps(document), encoding="utf-8")
        if target.exists():
            partial.chmod(stat.S_IMODE(target.stat().st_mode))
        partial.replace(target)
    except OSError as error:
        raise GenerateError(f"cannot write {target}: {error.strerror}", "shimgen init --config FILE") from error
    finally:
        partial.unlink(missing_ok=True)


def set_aside(target: Path) -> Path | None:
    """Keep a file that `parsed` cannot read under another name, before a new one takes its place; None without one."""
    if not target.is_file() or parsed(target) is not None:
        return None
    kept = target.with_name(f"{target.name}.old")
    kept.write_bytes(target.read_bytes())
    return kept
