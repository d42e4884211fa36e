"""The series as letters: one for each carried patch and for each file with shims, one on top of the other."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from shimgen.model.domain import FileChange
from shimgen.model.results import Outcome, Step
from shimgen.pipeline.ground import edits
from shimgen.report import letters

Start = Callable[[str], bytes | None]
"""The contents that a series begins with: those of the work tree, or of a commit."""


class Page(msgspec.Struct, frozen=True):
    """One letter of a series: what its commit says, and the files before and after it."""

    subject: str
    body: str
    changes: tuple[FileChange, ...]

    @property
    def message(self) -> str:
        """The whole commit message."""
        return f"{self.subject}\n\n{self.body}\n" if self.body else f"{self.subject}\n"


def pages(outcome: Outcome, start: Start) -> tuple[Page, ...]:
    """The letters that lead from `start` to the end of the series.

    A file that begins as the source without anything of shimgen's goes through every step; another, in which an
    earlier series stands, goes to its end in one.
    """
    found: list[Page] = []
    for step in _follow(outcome, start):
        if step.carried is not None:
            found.append(Page(*letters.carried(step.carried), step.changes))
        else:
            found += (Page(*letters.message(change), (change,)) for change in step.changes)
    return tuple(found)


def _follow(outcome: Outcome, start: Start) -> list[Step]:
    begins: dict[str, bytes] = {}
    ends = {change.path: change.after for change in outcome.changes}
    made = [change for step in outcome.steps if step.carried is None for change in step.changes]
    for step in outcome.steps:
        for change in step.changes:
            begins.setdefault(change.path, change.before)
            ends[change.path] = change.after
    straight = {path for path, before in begins.items() if start(path) == before}
    crooked = edits({path: ends[path] for path in ends.keys() - straight}, start, made)
    return _merged(outcome, straight, crooked)


def _merged(outcome: Outcome, straight: set[str], crooked: tuple[FileChange, ...]) -> list[Step]:
    """The steps of the files that go through all of them, and the others with the step of the shims."""
    steps: list[Step] = []
    for step in outcome.steps:
        kept = tuple(change for change in step.changes if change.path in straight)
        if step.carried is None:
            kept, crooked = tuple(sorted((*kept, *crooked), key=lambda change: change.path)), ()
        if kept:
            steps.append(Step(kept, step.carried))
    return [*steps, Step(crooked)] if crooked else steps
