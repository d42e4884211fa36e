"""Starts the sandbox, one process for a whole series, and reads what it found."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from shimgen.verify.cases import Case

# The sandbox loads the folder `box` and the standard library. -I and -S keep everything else out: no environment,
# no site packages, nothing from the working directory.
BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from box.main import main; sys.path.pop(0); main()"
HOME = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Limits:
    """What a sandbox may use: wall seconds in all and for each shim, bytes of memory."""

    seconds: float = 60.0
    each: float = 5.0
    memory: int = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Result:
    """One check of one case, as the sandbox saw it."""

    check: str
    passed: bool
    detail: str = ""


STANDARD = Limits()


def execute(cases: Sequence[Case], limits: Limits = STANDARD, python: str = sys.executable) -> list[list[Result]]:
    """The results of each case, in order. A case of which the sandbox says nothing has one failed result,
    which says why: nothing is raised, whatever the shims do."""
    if not cases:
        return []
    request = {
        "cases": [asdict(c) for c in cases],
        "memory": limits.memory,
        "seconds": max(1, round(limits.seconds)),
        "each": limits.each,
    }
    out, trouble = _run([python, "-I", "-S", "-W", "ignore", "-c", BOOT, str(HOME)], json.dumps(request), limits)
    found = _read(out)
    return [found.get(n) or [Result("sandbox", False, trouble)] for n in range(len(cases))]


def _run(command: list[str], request: str, limits: Limits) -> tuple[str, str]:
    """What the process wrote, and why a case may be missing from it."""
    with tempfile.TemporaryDirectory(prefix="shimgen-") as folder:
        try:
            done = subprocess.run(
                command, input=request, capture_output=True, text=True, timeout=limits.seconds, env={}, cwd=folder
            )
        except subprocess.TimeoutExpired as late:
            written = late.stdout or b""
            text = written.decode(errors="replace") if isinstance(written, bytes) else written
            return text, f"the sandbox did not end within {limits.seconds:g} s"
        except OSError as error:
            return "", f"the sandbox could not be started: {error}"
    last = done.stderr.strip().rpartition("\n")[2][:200]
    return done.stdout, f"the sandbox ended with status {done.returncode} and said nothing of this shim: {last}"


def _read(out: str) -> dict[int, list[Result]]:
    """The well-formed lines of the output, by case; anything else is as if it had not been written."""
    found: dict[int, list[Result]] = {}
    for line in out.splitlines():
        try:
            answer = json.loads(line)
            found[int(answer["case"])] = [Result(str(c), p is True, str(d)) for c, p, d in answer["results"]]
        except (ValueError, KeyError, TypeError):
            continue
    return found
