"""The profiles that shimgen ships: one TOML file each, next to this module."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path

from shimgen.model.errors import ConfigError, did_you_mean, nearest
from shimgen.model.profile import Profile
from shimgen.profiles.table import from_table

_FOLDER, _SUFFIX = Path(__file__).parent, ".toml"


def names() -> tuple[str, ...]:
    """The names of the shipped profiles, sorted."""
    return tuple(sorted(path.stem for path in _FOLDER.iterdir() if path.suffix == _SUFFIX))


def load(name: str) -> Profile:
    """A shipped profile. Raises ConfigError when there is none of that name."""
    if name not in names():
        usable = (*nearest(name, names()), *names())[0]
        raise ConfigError(
            f'there is no profile "{name}"{did_you_mean(name, names())}', f"shimgen scan --profile {usable}"
        )
    return _load(name)


@cache
def _load(name: str) -> Profile:
    return from_table(tomllib.loads((_FOLDER / f"{name}{_SUFFIX}").read_text("utf-8")), load)


def recognise(paths: Collection[str]) -> list[tuple[str, str]]:
    """The shipped profiles whose stack is among `paths` (relative to a checkout), each with the prefix it stands under.

    A stack is recognised when all the files that its profile names are there. Sorted by profile and prefix.
    """
    present = frozenset(paths)
    found: list[tuple[str, str]] = []
    for name in names():
        profile = load(name)
        for root in profile.roots:
            wanted = [f"{root}{profile.package}/{file}" for file in profile.recognise]
            if wanted and present.issuperset(wanted):
                found.append((name, root))
    return found
