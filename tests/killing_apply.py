"""A program of its own: kills `shimgen apply` of a whole series at random moments, and looks what is left.

Half of the moments are points in time over the whole run, half lie between two file operations of the writing, which
is short. Prints one JSON object: how often the checkout was as before or complete once the next run had looked at it,
and what that run said. Usage: python -m tests.killing_apply CHECKOUT MOMENTS SEED [OPTION...]
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from shimgen.checkout import open_checkout, recover
from shimgen.cli.main import shimgen
from tests.checkout.killing import ONLY_STATE, Snapshot, killed_after
from tests.gitrepo import SETTINGS, Repo


def command(*words: str) -> None:
    """Run a command, which has to succeed."""
    result = CliRunner().invoke(shimgen, list(words), prog_name="shimgen")
    assert result.exit_code == 0, result.output


class Trial:
    """A checkout before and after `apply`, and what was found in it."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        self.repo = Repo(folder)
        self.folder = str(folder)
        self.options = options
        self.before = self.repo.snapshot()
        started = time.monotonic()
        self.apply()
        self.seconds = time.monotonic() - started
        self.after = self.repo.snapshot()
        command("revert", self.folder)
        self.found: Counter[str] = Counter()

    def apply(self) -> None:
        command("apply", self.folder, *self.options)

    def state(self) -> str:
        known: dict[str, Snapshot] = {"before": self.before, "complete": self.after}
        now = self.repo.snapshot()
        return next((name for name, snapshot in known.items() if snapshot == now), "neither")

    def look(self, killed: bool) -> None:
        """What the kill left, what the next run makes of it, and that everything can be done and taken back then."""
        self.found["killed" if killed else "ended before"] += 1
        self.found[f"left {self.state()}"] += 1
        said = recover(open_checkout(self.folder)) or "nothing"
        self.found[f"said {said.partition(':')[0]}"] += 1
        self.found[self.state()] += 1
        self.apply()
        self.found[f"then {self.state()}"] += 1
        command("revert", self.folder)
        self.found[f"reverted to {self.state()}"] += 1


def writing(action: Callable[[], object], last: int | None = None) -> tuple[int, bool]:
    """Run `action` in a child that dies before its file operation number `last` since it first touched the journal;
    returns how many of them it did, and whether it died."""
    reading, telling = os.pipe()
    child = os.fork()
    if not child:
        done = [0]

        def watch(event: str, arguments: tuple[object, ...]) -> None:
            if event not in ONLY_STATE or not (done[0] or ".git/shimgen" in str(arguments[0])):
                return
            if done[0] == last:
                os.kill(os.getpid(), signal.SIGKILL)
            done[0] += 1

        sys.addaudithook(watch)
        action()
        os.write(telling, str(done[0]).encode())
        os._exit(0)
    os.close(telling)
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    with os.fdopen(reading) as told:
        return int(told.read() or last or 0), killed


def main(folder: Path, moments: int, seed: int, options: list[str]) -> None:
    trial = Trial(folder, options)
    choose = random.Random(seed)  # noqa: S311
    operations, _ = writing(trial.apply)
    command("revert", trial.folder)
    for number in range(moments):
        if number % 2:
            killed_after(choose.uniform(0, trial.seconds), trial.apply)
            trial.look(killed=True)
        else:
            trial.look(writing(trial.apply, choose.randrange(operations))[1])
    print(json.dumps({"moments": moments, "operations": operations, "seconds": round(trial.seconds, 2), **trial.found}))  # noqa: T201


if __name__ == "__main__":
    os.environ.update(SETTINGS)
    main(Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
