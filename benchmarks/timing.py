"""Runs commands and measures them: the wall time of a fresh process, and the peak memory of all processes it starts.

Commands that are compared take turns, so that a disturbance of the machine meets them alike. Memory is sampled in
runs of its own, since looking costs time.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
PAUSE = 0.005
DONE = (0, 1)
"""Exit codes of a command that did its work; `check` answers 1 where gaps are."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to measure. `cache` is the folder of shimgen's facts; `prepare` runs before each run, untimed."""

    name: str
    command: tuple[str, ...]
    cache: Path = Path(os.devnull)
    prepare: Callable[[], object] = lambda: None


def medians(cases: Sequence[Case], runs: int, run: Callable[[Case], float]) -> dict[str, float]:
    """The median of `runs` measurements of each case; every round measures each case as often as it is listed."""
    found: dict[str, list[float]] = {case.name: [] for case in cases}
    for number in range(runs):
        for case in cases:
            if sys.stderr.isatty():
                print(f"\r\033[Kround {number + 1} of {runs}: {case.name}", end="", file=sys.stderr, flush=True)
            case.prepare()
            found[case.name].append(run(case))
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return {name: statistics.median(values) for name, values in found.items()}


def seconds(case: Case) -> float:
    """Wall seconds of one run. Raises RuntimeError when the command fails."""
    started = time.perf_counter()
    with _running(case) as process:
        process.wait()
        return time.perf_counter() - started


def megabytes(case: Case) -> float:
    """Peak memory of one run in MB, processes that it starts included; a page that several share counts once.

    Where /proc tells no shares, it is the most that any one of them held. Raises RuntimeError when the command fails.
    """
    most = 0
    with _running(case) as process:
        if not _tells_shares():
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
        while process.poll() is None:
            most = max(most, held_by(process.pid))
            time.sleep(PAUSE)
    return most / 1e6


def held_by(pid: int) -> int:
    """Bytes that a process and all below it hold now (PSS); what has ended meanwhile holds nothing."""
    return sum(_share(process) for process in _tree(pid))


def environment(given: Mapping[str, str], cache: Path) -> dict[str, str]:
    """The environment of what is measured: no setting of Python, git or shimgen but the folder of the cache."""
    kept = {key: value for key, value in given.items() if not key.startswith(("PYTHON", "GIT_", "SHIMGEN_"))}
    return {**kept, "SHIMGEN_CACHE_DIR": str(cache)}


@contextmanager
def _running(case: Case) -> Iterator[subprocess.Popen[bytes]]:
    """The running command, in an empty folder. It has ended when the block is left, else that is waited for."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as said:
        env = environment(os.environ, case.cache)
        with subprocess.Popen(case.command, stdout=subprocess.DEVNULL, stderr=said, env=env, cwd=folder) as process:
            yield process
        if process.returncode not in DONE:
            said.seek(0)
            raise RuntimeError(f"{case.name}: {' '.join(case.command)} failed: {said.read().decode()}")


def _tells_shares() -> bool:
    return (PROC / "self" / "smaps_rollup").exists()


def _tree(pid: int) -> Iterable[int]:
    """The process and all below it."""
    yield pid
    try:
        found = list((PROC / str(pid) / "task").glob("*/children"))
    except OSError:  # it has ended meanwhile
        return
    for children in found:
        for child in _read(children).split():
            yield from _tree(int(child))


def _share(pid: int) -> int:
    for line in _read(PROC / str(pid) / "smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, ValueError):
        return ""
