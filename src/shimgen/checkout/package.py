"""The Python files of an installed distribution, and its list of files.

The baseline is what the installer recorded, not what is on the disk: its id stays the same whatever was changed since,
and a file that differs from its recorded hash is a changed file.
"""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from collections.abc import Sequence

from shimgen.checkout.directory import python_files
from shimgen.checkout.installed import Package
from shimgen.checkout.links import told
from shimgen.checkout.reading import read_all
from shimgen.model.errors import BaselineError
from shimgen.model.source import Baseline, Tree, blob_id

HASHES = ("sha256", "sha384", "sha512")


def package_tree(package: Package) -> Tree:
    """The Python files that the distribution installed, and those that somebody added to its packages.

    Changed, added and lost files are the baseline's dirty files. Raises BaselineError when files are links to a place
    that other environments share, or cannot be read.
    """
    listed = {path: value for path, value in package.recorded.items() if path.endswith(".py")}
    found: set[str] = set()
    links: dict[str, str] = {}
    for top in package.tops:
        inside: dict[str, str] = {}
        found.update(f"{top}/{path}" for path in python_files(f"{package.folder}/{top}", inside))
        links.update((f"{top}/{path}", target) for path, target in inside.items())
    paths = sorted(found.union(path for path in listed if _is_file(package, path)))

    def known(path: str, content: bytes) -> tuple[str, bool]:
        return blob_id(content), _as_recorded(package, content, listed.get(path, ""))

    looks, load = read_all(str(package.folder), paths, known)
    blobs = {path: blob for path, (blob, _) in looks.items()}
    changed = {path for path, (_, same) in looks.items() if not same}
    dirty = tuple(sorted(changed | (listed.keys() - looks.keys())))
    baseline = Baseline("package", _digest(package), dirty, package.version)
    return Tree(baseline, blobs, load, told(links, str(package.folder), blobs))


def _is_file(package: Package, path: str) -> bool:
    try:
        mode = os.lstat(f"{package.folder}/{path}").st_mode
    except OSError:
        return False
    if stat.S_ISLNK(mode):
        raise BaselineError(
            f"{package.folder}/{path} is a symbolic link: {package.name} is installed as links to a shared cache",
            f"install it as copies (uv pip install --link-mode copy --reinstall {package.name})",
        )
    return stat.S_ISREG(mode)


def _as_recorded(package: Package, content: bytes, recorded: str) -> bool:
    if not recorded:
        return False
    kind, _, value = recorded.partition("=")
    if kind not in HASHES:
        raise BaselineError(
            f"{package.folder / package.record} has hashes of kind {kind}, which shimgen does not trust",
            f"pip install --force-reinstall --no-deps {package.name}=={package.version}",
        )
    digest = base64.urlsafe_b64encode(hashlib.new(kind, content).digest())
    return digest.rstrip(b"=") == value.encode().rstrip(b"=")


def _digest(package: Package) -> str:
    """One digest of all recorded hashes; it does not depend on the installer or on the place."""
    listing = "".join(f"{value} {path}\n" for path, value in sorted(package.recorded.items()) if value)
    return hashlib.sha256(listing.encode()).hexdigest()


def listed_too(record: bytes, paths: Sequence[str]) -> bytes:
    """The list of files with `paths` at its end, in its own line ends, so that an uninstall takes them along."""
    end = b"\r\n" if b"\r\n" in record else b"\n"
    start = record if not record or record.endswith(b"\n") else record + end
    lines = {line.partition(b",")[0] for line in record.splitlines()}
    return start + b"".join(path.encode() + b",," + end for path in paths if path.encode() not in lines)
