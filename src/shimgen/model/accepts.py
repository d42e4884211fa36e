"""Gaps that the user knows and lives with, for a time."""

from __future__ import annotations

import re
from datetime import date
from fnmatch import fnmatchcase

import msgspec

RELEASE = re.compile(r"[vV]?(\d+(?:\.\d+)*)(?:[._-]?(a|b|c|rc|alpha|beta|pre|preview|dev|post)[._-]?(\d*))?(?:[-+].*)?")
_BEFORE = ("dev", "a", "alpha", "b", "beta", "c", "rc", "pre", "preview")


def release_key(text: str) -> tuple[tuple[int, ...], int, int] | None:
    """What orders releases ("0.5.9" < "0.5.10rc1" < "0.5.10" < "0.5.10.post1"), None for what names no release.

    A leading v is no part of it, nor is what follows a - or + (`git describe`, a local version).
    """
    found = RELEASE.fullmatch(text.strip())
    if found is None:
        return None
    numbers = [int(number) for number in found[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    kind = found[2] or ""
    phase = 1 if kind == "post" else _BEFORE.index(kind) - len(_BEFORE) if kind else 0
    return tuple(numbers), phase, int(found[3] or 0) if kind else 0


class Accept(msgspec.Struct, frozen=True):
    """Gaps that the user accepts: globs of wrapper and member, and why.

    `until` is the last day on which it holds, or the release with which it no longer does; None: for ever.
    """

    wrapper: str
    member: str
    reason: str
    until: date | str | None = None

    def names(self, wrapper: str, member: str) -> bool:
        """True when it is about that member of that wrapper."""
        return fnmatchcase(wrapper, self.wrapper) and fnmatchcase(member, self.member)

    def has_expired(self, today: date, release: str) -> bool:
        """True when it no longer holds. With a release that is not known ("") it holds."""
        if isinstance(self.until, date):
            return today > self.until
        limit, found = release_key(self.until or ""), release_key(release)
        return limit is not None and found is not None and found >= limit
