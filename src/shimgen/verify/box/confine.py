"""Takes from the process what no shim needs: memory beyond a limit, time, files, processes, the network."""

from __future__ import annotations

import resource
import sys
from contextlib import suppress

FORBIDDEN = (
    "open",
    "import",
    "os.",
    "socket.",
    "subprocess.",
    "shutil.",
    "ctypes.",
    "mmap.",
    "urllib.",
    "sys.addaudit",
)


class ForbiddenError(RuntimeError):
    """Something that a shim must not do was tried."""


def confine(memory: int, seconds: int) -> None:
    """Set the limits (bytes, seconds of CPU). What a platform does not know is left to the audit hook."""
    compile("é", "", "eval")  # letters beyond ASCII make the compiler import something, which it can do now only
    limits = {
        "RLIMIT_AS": memory,
        "RLIMIT_CPU": seconds,
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NPROC": 0,
        "RLIMIT_NOFILE": 3,
    }
    for name, value in limits.items():
        with suppress(AttributeError, ValueError, OSError):
            resource.setrlimit(getattr(resource, name), (value, value))
    sys.addaudithook(_watch)


def _watch(event: str, args: tuple[object, ...]) -> None:
    """Deny whatever reaches out of the process."""
    if event.startswith(FORBIDDEN):
        raise ForbiddenError(f"a shim tried to use {event}")
