"""The Python files of a directory that git does not hold: an installed package, an unpacked wheel or archive."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from hashlib import sha1
from pathlib import Path

from shimgen.checkout.links import told
from shimgen.checkout.reading import read_all, unreadable
from shimgen.model.errors import BaselineError
from shimgen.model.source import Baseline, Tree, blob_id

DIST_INFO = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+)\.dist-info")


def directory_tree(folder: Path, pristine: Mapping[str, str]) -> Tree:
    """The Python files below `folder`, without hidden directories, virtual environments and symbolic links.

    `pristine` names the files that shimgen itself changed, with the blob ids they had before: the baseline is
    identified by what was there before, so that its id stays what a pin expects.
    """
    links: dict[str, str] = {}
    paths = sorted(python_files(str(folder), links))
    if not paths:
        also = ", but symbolic links, which are not followed" if links else ""
        raise BaselineError(f"{folder} has no Python files{also}", "shimgen scan CHECKOUT")
    blobs, load = read_all(str(folder), paths, lambda _, content: blob_id(content))
    version = installed_version(folder)
    dirty = tuple(sorted(path for path in pristine if path in blobs))
    before = digest({**blobs, **{path: pristine[path] for path in dirty}})
    baseline = Baseline("package" if version else "directory", before, dirty, version)
    return Tree(baseline, blobs, load, told(links, str(folder), blobs))


def python_files(top: str, links: dict[str, str]) -> Iterator[str]:
    """The regular Python files below a folder, unsorted, relative to it; symbolic links of their names, and where these
    lead, are put into `links`. Raises BaselineError for a closed folder."""

    def fail(error: OSError) -> None:
        raise unreadable(error.filename, error) from error

    for parent, folders, names in os.walk(top, onerror=fail):
        folders[:] = sorted(name for name in folders if _is_source(parent, name))
        inner = os.path.relpath(parent, top).replace(os.sep, "/")
        prefix = "" if inner == "." else f"{inner}/"
        for name in names:
            if name.endswith(".py"):
                mode = os.lstat(f"{parent}/{name}").st_mode
                if stat.S_ISREG(mode):
                    yield prefix + name
                elif stat.S_ISLNK(mode):
                    links[prefix + name] = os.readlink(f"{parent}/{name}")  # noqa: PTH115 - beside os.walk


def _is_source(parent: str, name: str) -> bool:
    hidden = name.startswith(".") or name == "__pycache__"
    return not hidden and not os.path.exists(f"{parent}/{name}/pyvenv.cfg")  # noqa: PTH110 - False where nothing may be read


def digest(blobs: Mapping[str, str]) -> str:
    """The digest of a content: paths and their blob ids."""
    listing = "".join(f"{blob} {path}\n" for path, blob in sorted(blobs.items()))
    return sha1(listing.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


def installed_version(folder: Path) -> str:
    """The version that an installer recorded: next to the package, or in the one wheel unpacked here; "" if unknown."""
    beside = [found for found in _recorded(folder.parent) if _normal(found["name"]) == _normal(folder.name)]
    inside = _recorded(folder)
    found = beside or inside
    return found[0]["version"] if len(found) == 1 else ""


def _recorded(folder: Path) -> list[re.Match[str]]:
    return [found for path in folder.glob("*.dist-info") if (found := DIST_INFO.fullmatch(path.name))]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()
