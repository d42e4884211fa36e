"""Which demanded names a name may be meant for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache


class NearNames:
    """The demanded names near to a name, kept."""

    def __init__(self, demanded: Iterable[str]) -> None:
        self._demanded = tuple(sorted(demanded))
        self._vocabulary = frozenset(word for name in self._demanded for word in name.split("_"))
        self.to: Callable[[str], tuple[tuple[str, bool], ...]] = cache(self._to)

    def _to(self, name: str) -> tuple[tuple[str, bool], ...]:
        """Demanded names near to `name`; true with those that are a word longer or shorter, which is weak evidence."""
        near = ((wanted, False) for wanted in self._demanded if is_near(name, wanted, self._vocabulary))
        longer = ((wanted, True) for wanted in self._demanded if differ_by_a_word(name, wanted))
        return (*near, *longer)


def is_near(name: str, wanted: str, vocabulary: frozenset[str]) -> bool:
    """One edit apart, or the same words in another order or number. Two words of the vocabulary (get and set) are
    different words, however few letters tell them apart."""
    if name == wanted or abs(len(name) - len(wanted)) > 1 + name.count("_"):
        return False
    mine, theirs = name.split("_"), wanted.split("_")
    if sorted(mine) == sorted(theirs) or [_singular(w) for w in mine] == [_singular(w) for w in theirs]:
        return True
    if len(mine) == len(theirs):
        pairs = [(a, b) for a, b in zip(mine, theirs, strict=True) if a != b]
        return len(pairs) == 1 and not vocabulary.issuperset(pairs[0]) and _one_edit(*pairs[0])
    return _one_edit(name, wanted)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def differ_by_a_word(name: str, wanted: str) -> bool:
    """Whether one name has all words of the other, in order, and one more."""
    short, long = sorted((name.split("_"), wanted.split("_")), key=len)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def _one_edit(first: str, second: str) -> bool:
    """A letter added, left out or exchanged, or two neighbours swapped, in words of at least four letters."""
    short, long = sorted((first, second), key=len)
    if len(short) < 4 or len(long) - len(short) > 1:
        return False
    if len(long) > len(short):
        return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
    differ = [i for i in range(len(short)) if short[i] != long[i]]
    if len(differ) == 2 and differ[1] == differ[0] + 1:
        return short[differ[0]] == long[differ[1]] and short[differ[1]] == long[differ[0]]
    return len(differ) == 1
