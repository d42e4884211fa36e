"""Starts the sandbox, one process for a whole series, and reads what it found."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from shimgen.verify.cases import Case

# The sandbox loads the folder `box` and the standard library. -I and -S keep everything else out: no environment,
# no site packages, nothing from the working directory.
BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from box.main import main; sys.path.pop(0); main()"
ISOLATED = ("-I", "-S", "-W", "ignore", "-c")
HOME = Path(__file__).parent


class Limits(msgspec.Struct, frozen=True):
    """What a sandbox may use: wall seconds in all and for each shim, bytes of memory."""

    seconds: float = 60.0
    each: float = 5.0
    memory: int = 512 * 1024 * 1024


class Result(msgspec.Struct, frozen=True):
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
        "cases": [msgspec.to_builtins(c) for c in cases],
        "memory": limits.memory,
        "seconds": max(1, round(limits.seconds)),
        "each": limits.each,
    }
    return converse("sandbox", [python, *ISOLATED, BOOT, str(HOME)], request, len(cases), limits.seconds, {})


def converse(
    name: str,
    command: Sequence[str],
    request: Mapping[str, object],
    count: int,
    seconds: float,
    environment: Mapping[str, str],
) -> list[list[Result]]:
    """Start `command` in an empty folder, give it `request`, and read the results of `count` cases.

    A case of which it says nothing has one failed result of that `name`, which says why; nothing is raised.
    """
    out, trouble = _run(name, command, json.dumps(request), seconds, environment)
    found = _read(out)
    return [found.get(n) or [Result(name, False, trouble)] for n in range(count)]


def _run(
    name: str, command: Sequence[str], request: str, seconds: float, environment: Mapping[str, str]
) -> tuple[str, str]:
    """What the process wrote, and why a case may be missing from it."""
    with tempfile.TemporaryDirectory(prefix="shimgen-") as folder:
        try:
            done = subprocess.run(
                command, input=request, capture_output=True, text=True, timeout=seconds, env=environment, cwd=folder
            )
        except subprocess.TimeoutExpired as late:
            written = late.stdout or b""
            text = written.decode(errors="replace") if isinstance(written, bytes) else written
            return text, f"the {name} did not end within {seconds:g} s"
        except OSError as error:
            return "", f"the {name} could not be started: {error}"
    last = done.stderr.strip().rpartition("\n")[2][:200]
    return done.stdout, f"the {name} ended with status {done.returncode} and said nothing of this shim: {last}"


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
