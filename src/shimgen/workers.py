"""Work that is spread over processes where that is faster. What a process does not bring back, the caller does again.

Processes are forked, since starting Python and importing the package would cost more than it saves; where there is no
fork, or other threads run, everything is done in this process.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Self

_TOKEN = 4
_MOST = 4
Away = Callable[[int], bytes]


def available() -> int:
    """How many processes may work at once."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST)


def spread(tasks: int, here: Callable[[int], None], away: Away, processes: int) -> Iterator[bytes]:
    """Do each task once: `here` in this process, or `away` in one of `processes` - 1 others, which gives the results.

    Tasks are numbers, begun in their order, at most a few hundred. The results come in any order. What another
    process fails to do is left out; an error in this one is raised.
    """
    queue = _filled(tasks)
    children: list[_Child] = []
    try:
        children.extend(_Child(queue, away) for _ in range(processes - 1))
        for number in _taken(queue):
            here(number)
        for child in children:
            yield from child.results()
    finally:
        os.close(queue)
        for child in children:
            child.end()


@contextmanager
def aside(work: Callable[[], bytes]) -> Iterator[Callable[[], bytes | None]]:
    """Do one piece of work in another process, meanwhile. What is handed out waits for its result and gives it, None
    where no other process could do it."""
    if available() == 1:
        yield lambda: None
        return
    queue = _filled(1)
    child = _Child(queue, lambda _: work())
    try:
        yield lambda: next(child.results(), None)
    finally:
        os.close(queue)
        child.end()


class Standby:
    """A process that is begun before it is known what it is to do, and gets ready meanwhile. A context manager."""

    def __init__(self) -> None:
        self._orders = -1
        self._child: _Child | None = None

    def begin(self, prepare: Callable[[], None], work: Callable[[bytes], bytes]) -> None:
        """Begin the process, which will `work` on what it is asked; nothing happens where no other can do anything."""
        if self._child is not None or available() == 1:
            return
        orders, self._orders = os.pipe()
        queue = _filled(1)

        def away(_: int) -> bytes:
            os.close(self._orders)  # or the end of the process that asks would not be seen
            prepare()
            with os.fdopen(orders, "rb") as file:
                size = int.from_bytes(file.read(_TOKEN), "big")
                return work(file.read(size))

        try:
            self._child = _Child(queue, away)
        finally:
            os.close(orders)
            os.close(queue)

    def ask(self, order: bytes) -> bytes | None:
        """What comes of the work, None where the process cannot do it. To be asked once."""
        if self._child is None:
            return None
        with suppress(BrokenPipeError), open(self._orders, "wb", closefd=False) as file:
            file.write(len(order).to_bytes(_TOKEN, "big") + order)
        return next(self._child.results(), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            os.close(self._orders)
            self._child.end()


def _filled(tasks: int) -> int:
    """A pipe from which each process takes the numbers of its tasks, one at a time, until none is left."""
    source, target = os.pipe()
    try:
        os.write(target, b"".join(number.to_bytes(_TOKEN, "big") for number in range(tasks)))
    finally:
        os.close(target)
    return source


def _taken(queue: int) -> Iterator[int]:
    while token := os.read(queue, _TOKEN):
        yield int.from_bytes(token, "big")


class _Child:
    """A forked process that takes tasks and writes their results, each after its length, once none is left."""

    def __init__(self, queue: int, away: Away) -> None:
        self._output, output = os.pipe()
        self._process = os.fork()
        if self._process:
            os.close(output)
            return
        status = 1
        try:
            results = [away(number) for number in _taken(queue)]
            with open(output, "wb", closefd=False) as file:
                for result in results:
                    file.write(len(result).to_bytes(_TOKEN, "big") + result)
            status = 0
        except BaseException:  # noqa: S110  the parent does the work again and meets the error itself
            pass
        finally:
            os._exit(status)

    def results(self) -> Iterator[bytes]:
        """The results, as far as the process wrote them whole."""
        with open(self._output, "rb", closefd=False) as file:
            while size := file.read(_TOKEN):
                result = file.read(int.from_bytes(size, "big"))
                if len(result) == int.from_bytes(size, "big"):
                    yield result

    def end(self) -> None:
        """Let nothing remain of the process, whatever it does."""
        os.close(self._output)
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
