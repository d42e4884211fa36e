"""How long shimgen takes on a release: `python -m benchmarks.speed [VERSION] [--runs N]`.

Each figure is the median of the wall times of fresh processes, with the peak memory of the largest. For comparison:
bare Python, and `ast.parse` of every file of the release in one process.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.releases import checkout

PARSE = """
import ast, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    ast.parse(path.read_bytes())
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One process: wall seconds and peak memory in MB."""

    seconds: float
    megabytes: float


def measure(command: Sequence[str], env: Mapping[str, str]) -> Run:
    """Run a command to its end. Raises RuntimeError when it fails (1 is what `check` answers where gaps are)."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env) as process:
        assert process.stderr
        complaint = process.stderr.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} failed: {complaint}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(seconds, usage.ru_maxrss * unit / 1e6)


def report(version: str, runs: int) -> str:
    """The figures for one release as a table."""
    with tempfile.TemporaryDirectory() as folder:
        tree = checkout(version, Path(folder, "tree"))
        shimgen = [sys.executable, "-m", "shimgen"]
        rows = [
            _row("bare Python", [sys.executable, "-c", "pass"], folder, runs),
            _row("ast.parse of every file", [sys.executable, "-c", PARSE, str(tree)], folder, min(runs, 3)),
            _row("scan, first time", [*shimgen, "scan", str(tree)], folder, runs, cold=True),
            _row("scan, again", [*shimgen, "scan", str(tree)], folder, runs),
            _row("check, again", [*shimgen, "check", str(tree)], folder, runs),
            _row("diff of everything, again", [*shimgen, "diff", str(tree)], folder, runs),
        ]
        files = sum(1 for _ in tree.rglob("*.py"))
    return "\n".join([f"SGLang {version}, {files:,} files, median of {runs}", *rows]) + "\n"


def _row(title: str, command: Sequence[str], folder: str, runs: int, cold: bool = False) -> str:
    """One line; `cold` gives each run a cache of its own, the others share one."""
    found = []
    for number in range(runs):
        cache = Path(folder, f"cold-{number}" if cold else "warm")
        found.append(measure(command, {**os.environ, "SHIMGEN_CACHE_DIR": str(cache)}))
    if not cold and "shimgen" in command:
        found = found[1:] or found
    seconds = statistics.median(run.seconds for run in found)
    return f"  {title:28} {seconds:7.2f} s  {max(run.megabytes for run in found):6.0f} MB"


def main() -> int:
    """Command line; prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("version", nargs="?", default="0.5.9")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(report(options.version, max(options.runs, 2)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
