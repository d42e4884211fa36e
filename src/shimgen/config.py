"""`shimgen.toml` and the command line, as one frozen `Settings`.

The file is checked as a whole: a person who mends it gets every fault at once, each with its key.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import msgspec

from shimgen.model.accepts import Accept, release_key
from shimgen.model.domain import Scope, Severity
from shimgen.model.errors import ConfigError, FaultsError, did_you_mean
from shimgen.model.profile import Profile
from shimgen.model.source import Baseline
from shimgen.profiles import from_table, load

FILE_NAME = "shimgen.toml"
SEVERITIES = (*(severity.value for severity in Severity), "all")
GENERIC = "generic"
AGAIN = "correct the file and run the command again"
DEFAULT = Scope()
UNSAID = Scope(severity="")

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


class Pin(msgspec.Struct, frozen=True):
    """The baseline that the user expects. "" means: any. `revision` is the name by which a person knows it."""

    url: str = ""
    revision: str = ""
    commit: str = ""
    digest: str = ""
    version: str = ""

    @property
    def named(self) -> str:
        """What is pinned, as a clause: `commit 0123456789ab (v0.5.9)`."""
        what = f"commit {self.commit[:12]}" if self.commit else f"digest {self.digest[:12]}"
        if not (self.commit or self.digest):
            return f"version {self.version}"
        name = self.revision or self.version
        return f"{what} ({name})" if name else what

    def holds(self, baseline: Baseline, content: Callable[[], str]) -> bool:
        """Whether the baseline is the pinned one: the same commit, or the same Python files wherever they are from.

        `content` gives the digest of the Python files; it is only asked for where the commit does not decide.
        """
        if self.commit and baseline.kind == "git" and baseline.id.startswith(self.commit):
            return True
        if self.version and baseline.version and baseline.version != self.version:
            return False
        return content() == self.digest if self.digest else not self.commit


class Carried(msgspec.Struct, frozen=True):
    """A patch that the user carries besides shimgen's own, as an absolute path; `name` is how the file names it.

    `when`: "before" or "after" the shims.
    """

    patch: Path
    reason: str = ""
    when: str = "before"
    name: str = ""


class Options(msgspec.Struct, frozen=True):
    """What the command line said; empty values leave it to `shimgen.toml`."""

    scope: Scope = UNSAID
    profile: str = ""
    rev: str = ""
    use_cache: bool = True
    verbose: int = 0
    package: str = ""
    python: str = ""


class Settings(msgspec.Struct, frozen=True):
    """All that a command needs to know.

    `profile` None (and `profile_name` "") means that the profile is recognised. `rev` is a git revision to
    read in place of the work tree, or None. `package` is the installed package that is meant in place of `checkout`,
    `python` the stack's own interpreter; each "" when it was not named.
    """

    checkout: Path
    profile: Profile | None = None
    profile_name: str = ""
    scope: Scope = DEFAULT
    pin: Pin | None = None
    rev: str | None = None
    carried: tuple[Carried, ...] = ()
    accepts: tuple[Accept, ...] = ()
    config_path: Path | None = None
    use_cache: bool = True
    verbose: int = 0
    package: str = ""
    python: str = ""

    @property
    def source(self) -> str:
        """What is analysed, as the user named it."""
        return self.package or str(self.checkout)


def load_settings(
    checkout: Path | None = None,
    config: Path | None = None,
    options: Options | None = None,
    cwd: Path | None = None,
    use_file: bool = True,
) -> Settings:
    """The settings for one run: the command line first, then `shimgen.toml`, then defaults.

    The file is `config`, else the working directory's, else the one at the checkout's root; none with `use_file`
    false. Raises ConfigError when `config` does not exist, or with every fault of the file.
    """
    said = options or Options()
    here = cwd or Path.cwd()
    path = _find(checkout, config, here) if use_file else None
    raw = _read(path) if path else {}
    faults = list(_faults(raw))
    name, profile = said.profile or raw.get("profile", ""), None
    try:
        profile = _profile(name if isinstance(name, str) else "", raw.get("stack"), faults)
    except ConfigError as error:
        if said.profile or not faults:
            raise
        faults.append(f"profile: {error.message}")
    if faults:
        raise FaultsError(str(path), faults, AGAIN)
    folder = path.parent if path else here
    named = raw.get("checkout")
    default = folder / str(named) if named is not None else here
    return Settings(
        checkout=(here / checkout if checkout is not None else default),
        profile=profile,
        profile_name=profile.name if profile else name,
        scope=_scope(said.scope, raw.get("scope", {})),
        pin=Pin(**raw["pin"]) if raw.get("pin") else None,
        rev=said.rev or None,
        carried=tuple(_carried(folder, row) for row in raw.get("carried", ())),
        accepts=tuple(Accept(**row) for row in raw.get("accept", ())),
        config_path=path,
        use_cache=said.use_cache,
        verbose=said.verbose,
        package=said.package or ("" if checkout is not None else str(raw.get("package", ""))),
        python=_program(here, said.python) or _program(folder, str(raw.get("python", ""))),
    )


def _program(folder: Path, named: str) -> str:
    """A program as it is started: a path is relative to `folder`, a bare name is looked for where the shell would."""
    return os.path.abspath(folder / named) if os.sep in named else named  # noqa: PTH100 - a venv's link is not followed


def _carried(folder: Path, row: Mapping[str, str]) -> Carried:
    return Carried(folder / row["patch"], row.get("reason", ""), row.get("when", "before"), row["patch"])


def _find(checkout: Path | None, config: Path | None, cwd: Path) -> Path | None:
    """The `shimgen.toml` that holds: `config`, else the working directory's, else the checkout's, else None."""
    if config is not None:
        return cwd / config
    places = [cwd] if checkout is None else [cwd, cwd / checkout]
    return next((place / FILE_NAME for place in places if (place / FILE_NAME).is_file()), None)


def _read(path: Path) -> dict[str, Any]:
    """The parsed file. Raises ConfigError when it cannot be read or is not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}", f"shimgen init --config {path}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}", AGAIN) from error


def _faults(raw: Mapping[str, Any]) -> Iterator[str]:
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


def _profile(name: str, stack: Any, faults: list[str]) -> Profile | None:
    """The profile of that name with the `[stack]` table on top, None when it is to be recognised.

    A `[stack]` without a name extends the generic profile. The table's faults are added to `faults`; raises
    ConfigError for an unknown name.
    """
    if not isinstance(stack, dict):
        return load(name) if name else None
    base = load(name or GENERIC)
    try:
        return from_table({"extends": base.name, **stack}, load)
    except FaultsError as error:
        faults += [f"stack.{fault}" for fault in error.faults]
        return None


def _scope(said: Scope, raw: Mapping[str, Any]) -> Scope:
    """The command line's scope, completed kind by kind from the file's."""
    return Scope(
        interfaces=said.interfaces or tuple(raw.get("interfaces", ())),
        wrappers=said.wrappers or tuple(raw.get("wrappers", ())),
        members=said.members or tuple(raw.get("members", ())),
        severity=said.severity or raw.get("severity", DEFAULT.severity),
    )
