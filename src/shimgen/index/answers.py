"""Answers that are kept with the files they were read from, so that another tree takes over those that still hold."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Generic, TypeVar

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")
_ORDER = 1
"""In the place of a file: the answer also depends on what was being asked when it was."""


class Reads:
    """The files that were read for what is being asked: a set that grows, kept as the bits of a number, `files`."""

    def __init__(self, like: Reads | None = None) -> None:
        """`like` gives the numbers that files already have."""
        self.files = 0
        self._bits: dict[str, int] = like._bits if like is not None else {}
        self._same: dict[int, int] = like._same if like is not None else {}

    def note(self, path: str) -> None:
        """A file is read."""
        bit = self._bits.get(path)
        if bit is None:
            bit = self._bits[path] = 2 << len(self._bits)
        self.files |= bit

    def note_order(self) -> None:
        """The answer would be another one if something else were being asked."""
        self.files |= _ORDER

    def during(self, find: Callable[[Question], Answer], question: Question) -> tuple[Answer, int]:
        """What is found, and the files that were read for it."""
        before, self.files = self.files, 0
        try:
            found = find(question)
            return found, self._same.setdefault(self.files, self.files)
        finally:
            self.files |= before

    def set_of(self, paths: Iterable[str]) -> int:
        """These files, as far as any was ever read; and what holds for one order of questions only."""
        return sum((self._bits.get(path, 0) for path in paths), _ORDER)

    def paths(self, files: int) -> Iterator[str]:
        """The files of a set."""
        return (path for path, bit in self._bits.items() if files & bit)


class Answers(Generic[Question, Answer]):
    """What `find` answers to each question. To one that is being asked already the answer is `meanwhile`."""

    def __init__(
        self, reads: Reads, find: Callable[[Question], Answer], meanwhile: Callable[[Question], Answer]
    ) -> None:
        self._reads = reads
        self._find = find
        self._meanwhile = meanwhile
        self._known: dict[Question, tuple[Answer, int]] = {}
        self._asked: list[Question] = []

    def __call__(self, question: Question) -> Answer:
        """The answer."""
        found = self._known.get(question)
        if found is None:
            if self.is_asked(question):
                return self._meanwhile(question)
            self._asked.append(question)
            try:
                found = self._known[question] = self._reads.during(self._find, question)
            finally:
                self._asked.pop()
        self._reads.files |= found[1]
        return found[0]

    def is_asked(self, question: Question) -> bool:
        """Whether the question is being asked. That it is, by itself, is so each time that it is asked."""
        if question not in self._asked:
            return False
        if question != self._asked[-1]:
            self._reads.note_order()
        return True

    def take(self, before: Answers[Question, Answer], changed: int) -> None:
        """Take over the answers from files of another tree of which none has `changed`."""
        self._known.update((question, found) for question, found in before._known.items() if not found[1] & changed)
