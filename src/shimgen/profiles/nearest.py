"""Names that a mistyped one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names most like `name`, best first; [] when none is close."""
    return get_close_matches(name, sorted(known), n=3, cutoff=0.6)


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """The sentence about an unknown name, with the nearest known one."""
    close = nearest(name, known)
    return f'{what} "{name}" is not known' + (f' (did you mean "{close[0]}"?)' if close else "")
