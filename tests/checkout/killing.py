"""A program of its own (no threads, so that it may fork): kills shimgen at every moment, and looks what is left.

Prints one JSON object: how often each state was found after recovery, and the messages of recovery.
Usage: killing.py FOLDER git|directory apply|revert|recover|anytime STEP
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from shimgen.checkout import Checkout, apply_changes, open_checkout, recover, revert
from shimgen.model.domain import FileChange
from shimgen.patch import undo
from tests.gitrepo import SETTINGS, Repo, make_repo

NAMES = ("a.py", "pkg/b.py", "pkg/c.py", "pkg/deep/d.py")
CHANGES = tuple(FileChange(name, b"x = 1\n" * 500, b"x = 1\n" * 500 + b"y = 2\n") for name in NAMES)
ONLY_STATE = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "fcntl.flock"}
Snapshot = dict[str, tuple[bytes, int]]


def killed_at(moment: int, action: Callable[[], object]) -> bool:
    """Run `action` in a child that dies before its file operation number `moment`; False when it ended before."""
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    left = [moment]

    def watch(event: str, arguments: object) -> None:
        if event in ONLY_STATE:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    action()
    os._exit(0)


def killed_after(seconds: float, action: Callable[[], object]) -> None:
    """Run `action` in a child and kill it from outside after some time."""
    child = os.fork()
    if not child:
        action()
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


class Trial:
    """A checkout that is before or after a change, and what was found in it."""

    def __init__(self, folder: Path, kind: str) -> None:
        files = {change.path: change.before for change in CHANGES}
        self.repo = make_repo(folder, files) if kind == "git" else Repo(folder)
        self.repo.write(files)
        self.checkout: Checkout = open_checkout(folder)
        self.before: Snapshot = self.sources()
        self.apply()
        self.after: Snapshot = self.sources()
        self.revert()
        self.found: Counter[str] = Counter()

    def apply(self) -> None:
        apply_changes(self.checkout, CHANGES)

    def revert(self) -> None:
        revert(self.checkout, undo)

    def sources(self) -> Snapshot:
        """Everything in the checkout but the journal."""
        return {path: found for path, found in self.repo.snapshot().items() if not path.startswith(".shimgen/")}

    def look(self) -> None:
        """Recover, and count what is there; then everything is put back as it was before."""
        message = recover(self.checkout)
        self.found[message or "nothing to recover"] += 1
        sources = self.sources()
        known = {"before": self.before, "after": self.after}
        names = [name for name, snapshot in known.items() if snapshot == sources]
        self.found[names[0] if names else f"neither: {sorted(sources)}"] += 1
        self.revert()
        if self.repo.snapshot() != self.before:
            self.found["revert left something"] += 1


def kills(trial: Trial, phase: str, moment: int) -> bool:
    """Kill one run of the phase at some moment; False when there is no such moment any more."""
    if phase == "apply":
        return killed_at(moment, trial.apply)
    if phase == "revert":
        trial.apply()
        return killed_at(moment, trial.revert)
    if phase == "recover":  # of an apply that was killed between two of its last moves
        killed_at(33, trial.apply)
        return killed_at(moment, lambda: recover(trial.checkout))
    killed_after(0.03 * (moment * 7 % 20) / 20, trial.apply)
    return moment < 20


def main(folder: Path, kind: str, phase: str, step: int) -> None:
    trial = Trial(folder, kind)
    moment = 0
    while kills(trial, phase, moment):
        trial.look()
        moment += step
    trial.look()
    print(json.dumps({"moments": moment, **trial.found}))  # noqa: T201


if __name__ == "__main__":
    os.environ.update(SETTINGS)
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
