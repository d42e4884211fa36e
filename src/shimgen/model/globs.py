"""Path globs as profiles and options write them: `*` stays inside a folder, `**` crosses folders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(parts.get(piece, re.escape(piece)) for piece in pieces))


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether `path` as a whole matches one of the globs."""
    return any(_compiled(pattern).fullmatch(path) for pattern in patterns)
