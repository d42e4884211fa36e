"""Reading files of a checkout, and noticing when they change meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from shimgen.model.errors import BaselineError

Seen = tuple[int, int]
"""When a file was last written and how large it was: (mtime in ns, size)."""
Known = TypeVar("Known")
_READERS = 4


def read_seen(target: str) -> tuple[bytes, Seen]:
    """The content of a file, and when it was written. Raises BaselineError when it cannot be read."""
    try:
        with os.fdopen(os.open(target, os.O_RDONLY | os.O_CLOEXEC), "rb") as file:
            first = os.fstat(file.fileno())
            content = file.read()
            last = os.fstat(file.fileno())
    except FileNotFoundError:
        raise _changed(target) from None
    except OSError as error:
        raise unreadable(target, error) from error
    if (first.st_mtime_ns, first.st_size) != (last.st_mtime_ns, len(content)):
        raise _changed(target)
    return content, (last.st_mtime_ns, last.st_size)


def read_unchanged(target: str, seen: Seen) -> bytes:
    """The content of a file, provided that it is as it was listed. Raises BaselineError when it is not."""
    content, now = read_seen(target)
    if now != seen:
        raise _changed(target)
    return content


def read_all(
    folder: str, paths: Sequence[str], known: Callable[[str, bytes], Known]
) -> tuple[dict[str, Known], Callable[[Iterable[str]], Mapping[str, bytes]]]:
    """What is `known` of each file of a folder by its path and content, and what brings the contents again, provided
    that they are unchanged."""
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and git checkouts do not need it

    def look(path: str) -> tuple[Known, Seen]:
        content, seen = read_seen(f"{folder}/{path}")
        return known(path, content), seen

    with ThreadPoolExecutor(_READERS) as pool:
        looks = dict(zip(paths, pool.map(look, paths), strict=True))

    def load(wanted: Iterable[str]) -> Mapping[str, bytes]:
        return {path: read_unchanged(f"{folder}/{path}", looks[path][1]) for path in wanted}

    return {path: found for path, (found, _) in looks.items()}, load


def unreadable(path: str, error: OSError) -> BaselineError:
    """What is told when a file or a folder of a checkout cannot be read."""
    place = path if os.path.exists(path) else os.path.dirname(path)  # noqa: PTH110, PTH120 - False where nothing may be read
    return BaselineError(f"{path} cannot be read: {error.strerror}", f"ls -ld {place}")


def _changed(target: str) -> BaselineError:
    return BaselineError(f"{target} changed while shimgen was reading it", "run the command again")
