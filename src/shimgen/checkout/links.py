"""Python files that are symbolic links, or lie behind one: never followed, and told of."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Container, Mapping

from shimgen.model.source import Skipped


def told(links: Mapping[str, str], folder: str, files: Container[str]) -> tuple[Skipped, ...]:
    """The links of a checkout in `folder` that has `files`, each with why it is left out. `links` maps their paths to
    what they lead to, as it is written there."""
    return tuple(Skipped(path, _reason(path, links[path], folder, files)) for path in sorted(links))


def behind(folder: str, path: str, known: dict[str, str]) -> str:
    """The outermost folder on the way to a file of a checkout that is a symbolic link, "" when none is. `known` keeps
    what was found of folders."""
    parent = posixpath.dirname(path)
    if not parent:
        return ""
    if parent not in known:
        known[parent] = behind(folder, parent, known) or (parent if os.path.islink(f"{folder}/{parent}") else "")  # noqa: PTH114 - for every folder
    return known[parent]


def _reason(path: str, target: str, folder: str, files: Container[str]) -> str:
    shown = " ".join(target.encode("utf-8", "surrogateescape").decode("utf-8", "replace").split())
    inner = target.removeprefix(f"{folder}/")
    place = posixpath.normpath(inner if inner != target else posixpath.join(posixpath.dirname(path), target))
    if place in files:
        return f"is a symbolic link to {shown}, which is looked at in its own place"
    if place.startswith(("/", "../")):
        return f"is a symbolic link to {shown}, outside of the checkout, and is not followed"
    return f"is a symbolic link to {shown}, which is no Python file of the checkout, and is not followed"
