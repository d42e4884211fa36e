"""Work that is spread over processes where that is faster. What a process does not bring back, the caller does again.

Processes are forked, since starting Python and importing the package would cost more than it saves; where there is no
fork, or other threads run, everything is done in this process.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Self, TypeVar

import msgspec

_TOKEN = 4
_MOST = 4
Away = Callable[[int], bytes]
Made = TypeVar("Made")


def available() -> int:
    """How many processes may work at once, this one among them, besides those that it has begun already."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(min(cores, _MOST) - _Child.begun, 1)


def spread(
    tasks: int, here: Callable[[int], None], away: Away, processes: int, first: Callable[[], None] = lambda: None
) -> Iterator[bytes]:
    """Do each task once: `here` in this process, or `away` in one of `processes` - 1 others, which gives the results.

    Tasks are numbers, begun in their order, at most a few hundred. This process takes part once it has done what is to
    be done `first`. The results come in any order. What another process fails to do is left out; an error in this one
    is raised.
    """
    queue = _filled(tasks)
    children: list[_Child] = []
    try:
        with suppress(OSError):  # no process can be begun: then there are fewer
            children.extend(_Child(queue, away) for _ in range(processes - 1))
        first()
        for number in _taken(queue):
            here(number)
        for child in children:
            yield from child.results()
    finally:
        os.close(queue)
        for child in children:
            child.end()


def shared_out(
    tasks: int, work: Callable[[int], Made], kind: type[Made], processes: int, first: Callable[[], None] = lambda: None
) -> list[Made]:
    """What `work` gives for each task, of that kind, in their order; what another process fails to do is done here."""
    found: dict[int, Made] = {}

    def here(number: int) -> None:
        found[number] = work(number)

    def away(number: int) -> bytes:
        return msgspec.msgpack.encode((number, work(number)))

    for result in spread(tasks, here, away, processes, first):
        number, made = msgspec.msgpack.decode(result, type=tuple[int, kind])  # type: ignore[valid-type]
        found[number] = made
    for number in set(range(tasks)) - found.keys():
        here(number)
    return [found[number] for number in range(tasks)]


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
            with suppress(OSError):  # no process can be begun
                self._child = _Child(queue, away)
        finally:
            os.close(orders)
            os.close(queue)
            if self._child is None:
                os.close(self._orders)

    def ask(self, order: bytes) -> bytes | None:
        """What comes of the work, None where the process cannot do it. To be asked once."""
        if self._child is None:
            return None
        with suppress(BrokenPipeError), open(self._orders, "wb", closefd=False) as file:
            file.write(len(order).to_bytes(_TOKEN, "big") + order)
        try:
            return next(self._child.results(), None)
        finally:
            self._end()

    def _end(self) -> None:
        if self._child is not None:
            child, self._child = self._child, None
            os.close(self._orders)
            child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()


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

    begun = 0
    """How many of this process have not ended yet."""

    def __init__(self, queue: int, away: Away) -> None:
        self._output, output = os.pipe()
        try:
            self._process = os.fork()
        except OSError:
            os.close(self._output)
            os.close(output)
            raise
        if self._process:
            os.close(output)
            _Child.begun += 1
            return
        _Child.begun = 0
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
        _Child.begun -= 1
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
