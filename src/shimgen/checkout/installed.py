"""The name of an installed distribution -> where it is and what its installer recorded."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import msgspec

from shimgen.model.errors import BaselineError, ConfigError

PATIENCE = 60.0
"""Seconds that an interpreter may take to start and answer."""
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
RECORD = "RECORD"


class Package(msgspec.Struct, frozen=True):
    """An installed distribution.

    `folder` holds its packages and its metadata folder `info` (a name). `recorded` maps the paths of the files that it
    installed there to the hashes that the installer wrote down ("sha256=..."). `tops` are its packages.
    """

    name: str
    version: str
    folder: Path
    info: str
    recorded: Mapping[str, str]
    tops: tuple[str, ...]

    @property
    def record(self) -> str:
        """The path of the installer's list of files."""
        return f"{self.info}/{RECORD}"


def find_package(name: str, python: str = "") -> Package:
    """The distribution that `import` would find: of the interpreter `python`, or of the one that runs shimgen.

    It is not imported. Where several folders hold one, the first on the path counts, as for imports. Raises ConfigError
    when the interpreter cannot be asked, BaselineError when there is no such distribution, or none that can be changed
    file by file.
    """
    if not NAME.fullmatch(name):
        raise ConfigError(f'"{name}" is not the name of a package', "shimgen scan --package sglang")
    found = _ask(name, python)
    pip = f"{python or 'python'} -m pip"
    if not found:
        raise BaselineError(f'{python or "this Python"} has no package "{name}"', f"{pip} list, or another --python")
    first = found[0]
    info = Path(first["info"])
    again = f"{pip} install --force-reinstall --no-deps {name}=={first['version']}"
    twins = [Path(row["info"]).name for row in found if Path(row["info"]).parent == info.parent]
    if len(twins) > 1:
        message = f"{info.parent} holds {name} more than once: {', '.join(sorted(twins))}"
        raise BaselineError(message, f"{pip} uninstall {name}, then install the one that is meant")
    _refuse_odd_installs(name, info, first["direct"], again)
    return _package(first, info, again)


def _ask(name: str, python: str) -> list[dict[str, str]]:
    from shimgen.checkout import query  # slow to import, and only this needs it

    if not python:
        return query.installed(name)
    try:
        done = subprocess.run(
            [python, "-I", query.__file__, name], capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE
        )
        if done.returncode == 0:
            answer: list[dict[str, str]] = json.loads(done.stdout.splitlines()[-1])
            return answer
        why = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"])[-1]
    except OSError as error:
        why = error.strerror or str(error)
    except subprocess.TimeoutExpired:
        why = f"no answer in {PATIENCE:.0f} s"
    except (ValueError, IndexError):
        why = "it does not answer as Python does"
    raise ConfigError(f"{python} cannot be asked for its packages: {why}", "--python /path/to/bin/python")


def _refuse_odd_installs(name: str, info: Path, direct: str, again: str) -> None:
    """Raises BaselineError for installs whose files are elsewhere, or not listed."""
    source = _editable(direct)
    if source:
        raise BaselineError(f"{name} is installed as editable from {source}", f"shimgen scan {source}")
    archive = next((parent for parent in info.parents if parent.is_file()), None)
    if archive is not None:
        raise BaselineError(f"{name} is inside the archive {archive}, whose files cannot be changed", again)
    if info.suffix != ".dist-info":
        raise BaselineError(f"{name} was installed without a wheel: {info} does not list the files' hashes", again)
    if not (info / RECORD).is_file():
        raise BaselineError(f"{info} has no {RECORD}, so nothing says which files are {name}'s", again)


def _editable(direct: str) -> str:
    """The folder that an editable install points to, "" for any other install."""
    from urllib.parse import unquote, urlsplit

    try:
        said = json.loads(direct)
        return unquote(urlsplit(said["url"]).path) if said["dir_info"]["editable"] else ""
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""


def _package(row: Mapping[str, str], info: Path, again: str) -> Package:
    name = row["name"]
    try:
        recorded = dict(_rows((info / RECORD).read_text(encoding="utf-8"), info.name))
    except (OSError, ValueError, csv.Error) as error:
        raise BaselineError(f"{info / RECORD} cannot be read: {error}", again) from error
    sources = [PurePosixPath(path) for path in recorded if path.endswith(".py")]
    if any("__editable__" in path for path in recorded) or not sources:
        raise BaselineError(f"{name} keeps no source in {info.parent}: it is installed as editable, or is empty", again)
    folders = {path.parts[0] for path in sources if len(path.parts) > 1}
    tops = tuple(sorted(folder for folder in folders if f"{folder}/__init__.py" in recorded))
    if folders and not tops:
        message = f"{name} is a part of the namespace package {sorted(folders)[0]}, whose other parts are not its own"
        raise BaselineError(message, "shimgen scan CHECKOUT, on the source that all parts come from")
    unsure = next((str(path) for path in sources if not recorded[str(path)]), None)
    if unsure is not None:
        raise BaselineError(f"{info / RECORD} has no hash of {unsure}", again)
    return Package(name, row["version"], info.parent, info.name, recorded, tops)


def _rows(text: str, info: str) -> Iterator[tuple[str, str]]:
    """The files below the package's folder, besides its metadata, with their hashes."""
    for path, value, *_ in (row for row in csv.reader(text.splitlines()) if len(row) > 1):
        inner = os.path.normpath(path).replace(os.sep, "/")
        if not inner.startswith(("/", "..", f"{info}/")):
            yield inner, value
