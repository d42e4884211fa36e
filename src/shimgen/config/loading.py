"""`shimgen.toml` and the command line -> `Settings`."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shimgen.config.faults import faults
from shimgen.config.settings import DEFAULT, Carried, Options, Pin, Settings
from shimgen.model.accepts import Accept
from shimgen.model.domain import Scope
from shimgen.model.errors import ConfigError, FaultsError
from shimgen.model.profile import Profile
from shimgen.profiles import from_table, load

FILE_NAME = "shimgen.toml"
GENERIC = "generic"
AGAIN = "correct the file and run the command again"


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
    here = cwd or _here()
    path = _find(checkout, config, here) if use_file else None
    raw = _read(path) if path else {}
    found = list(faults(raw))
    name, profile = said.profile or raw.get("profile", ""), None
    try:
        profile = _profile(name if isinstance(name, str) else "", raw.get("stack"), found)
    except ConfigError as error:
        if said.profile:
            raise
        found.append(f"profile: {error.message}")
    if found:
        raise FaultsError(str(path), found, AGAIN)
    folder = path.parent if path else here
    named = raw.get("checkout")
    default = folder / str(named) if named is not None else here
    return Settings(
        checkout=(here / checkout if checkout is not None else default),
        profile=profile,
        profile_name=profile.name if profile else name,
        scope=_scope(said.scope, raw.get("scope", {})),
        said=said.scope,
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


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise ConfigError("the working directory is not there any more", "cd to a folder that is") from None


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


def _profile(name: str, stack: Any, found: list[str]) -> Profile | None:
    """The profile of that name with the `[stack]` table on top, None when it is to be recognised.

    A `[stack]` without a name extends the generic profile. The table's faults are added to `found`; raises
    ConfigError for an unknown name.
    """
    if not isinstance(stack, dict):
        return load(name) if name else None
    base = load(name or GENERIC)
    try:
        return from_table({"extends": base.name, **stack}, load)
    except FaultsError as error:
        found += [f"stack.{fault}" for fault in error.faults]
        return None


def _scope(said: Scope, raw: Mapping[str, Any]) -> Scope:
    """The command line's scope, completed kind by kind from the file's."""
    return Scope(
        interfaces=said.interfaces or tuple(raw.get("interfaces", ())),
        wrappers=said.wrappers or tuple(raw.get("wrappers", ())),
        members=said.members or tuple(raw.get("members", ())),
        severity=said.severity or raw.get("severity", DEFAULT.severity),
    )
