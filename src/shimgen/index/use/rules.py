"""The profile's receiver rules, compiled for one file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import TypeAlias

import msgspec

from shimgen.model.globs import matches
from shimgen.model.profile import Profile, Receiver, is_searched


class Place(msgspec.Struct, frozen=True):
    """Where an expression stands: the names of the class (and what `self` is annotated with) and of the function."""

    classes: tuple[str, ...] = ()
    function: str = ""

    @property
    def qualified(self) -> str:
        """The function's name as people cite it."""
        return ".".join((*self.classes[:1], self.function))


class _Chain(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    anywhere: bool
    index: int
    rule: Receiver

    def fits(self, names: tuple[str, ...], place: Place) -> bool:
        size = len(self.names)
        same = names[-size:] == self.names and (self.anywhere or len(names) == size)
        return same and _narrowed(self.rule, place)


Table: TypeAlias = Mapping[str, tuple[_Chain, ...]]
"""Chains by their last name."""


def _narrowed(rule: Receiver, place: Place) -> bool:
    if rule.classes and not any(fnmatchcase(name, glob) for name in place.classes for glob in rule.classes):
        return False
    return not rule.functions or any(fnmatchcase(place.function, glob) for glob in rule.functions)


class Clue(msgspec.Struct, frozen=True):
    """What a file's text shows when rules can fit in it: `pattern` near each use, and one set of `words` somewhere.

    `hint` is a simple pattern that occurs wherever `pattern` does, and is much faster to look for.
    """

    hint: re.Pattern[bytes]
    pattern: re.Pattern[bytes]
    words: tuple[tuple[bytes, ...], ...]

    def found(self, content: bytes) -> bool:
        """Whether one of the rules can fit anywhere in the file."""
        if self.hint.search(content) is None or not any(all(w in content for w in words) for words in self.words):
            return False
        return self.hint is self.pattern or self.pattern.search(content) is not None


class Rules(msgspec.Struct, frozen=True):
    """The rules that hold in one file, by the last name of what they match.

    `holders` are the names that lead to a model: `target_worker` and `model_runner` in
    `self.target_worker.model_runner.model`.
    """

    profile: Profile
    expressions: Table
    accessors: Table
    parameters: Table
    class_variables: Table
    clues: tuple[Clue, ...]
    holders: frozenset[str]

    def rule(self, index: int) -> Receiver:
        """The rule at an index of the profile."""
        return self.profile.receivers[index]

    def find(self, kind: Table, dotted: str, place: Place) -> int | None:
        """The index of the first rule of a kind that fits a dotted chain, None when there is none."""
        names = tuple(dotted.split("."))
        return next((c.index for c in kind.get(names[-1], ()) if c.fits(names, place)), None)


class _Book:
    """A profile's rules, compiled once for every set of rules that some file is subject to."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._compiled: dict[tuple[int, ...], Rules] = {}

    def rules(self, package_path: str) -> Rules:
        here = tuple(
            index
            for index, rule in enumerate(self.profile.receivers)
            if (not rule.paths or matches(package_path, rule.paths)) and not matches(package_path, rule.except_paths)
        )
        if here not in self._compiled:
            self._compiled[here] = _compile(self.profile, here)
        return self._compiled[here]


_books: dict[int, _Book] = {}


def rules_for(profile: Profile, package_path: str) -> Rules | None:
    """The receiver rules that hold in a file, None when it is not searched for demands."""
    if not is_searched(package_path, profile):
        return None
    book = _books.get(id(profile))
    if book is None or book.profile is not profile:
        _books.clear()
        book = _books[id(profile)] = _Book(profile)
    return book.rules(package_path)


def _compile(profile: Profile, indices: tuple[int, ...]) -> Rules:
    here = [(index, profile.receivers[index]) for index in indices]
    return Rules(
        profile=profile,
        expressions=_table((rule.expression, index, rule) for index, rule in here),
        accessors=_table((rule.accessor, index, rule) for index, rule in here),
        parameters=_table((rule.parameter, index, rule) for index, rule in here),
        class_variables=_table((rule.class_variable, index, rule) for index, rule in here),
        clues=_clues(rule for _, rule in here),
        holders=frozenset(name for _, rule in here for name in rule.expression.split(".")[:-1]) - {"*", "self"},
    )


def _table(entries: Iterable[tuple[str, int, Receiver]]) -> Table:
    table: dict[str, tuple[_Chain, ...]] = {}
    for text, index, rule in entries:
        if text:
            names = tuple(text.removeprefix("*.").split("."))
            table[names[-1]] = (*table.get(names[-1], ()), _Chain(names, text.startswith("*."), index, rule))
    return table


def _clues(rules: Iterable[Receiver]) -> tuple[Clue, ...]:
    """The clues of rules. Hints begin with a literal: that is what makes searching for them fast."""
    chains: dict[bytes, dict[tuple[bytes, ...], None]] = {}
    parameters: dict[bytes, None] = {}
    for rule in rules:
        if rule.parameter:
            parameters[rule.parameter.encode()] = None
            continue
        chain = (rule.expression or rule.accessor or rule.class_variable).removeprefix("*.").encode().split(b".")
        words = tuple(name for name in chain[:-1] if rule.expression and name != b"self")
        dot = rb"\." if rule.expression and len(chain) > 1 else rb""
        chains.setdefault(rb"%s%s\b" % (dot, chain[-1]), {})[words] = None
    patterns = [(re.compile(text), tuple(words)) for text, words in chains.items()]
    return (*(Clue(p, p, words) for p, words in patterns), *(_parameter_clue(name) for name in parameters))


def _parameter_clue(name: bytes) -> Clue:
    """The clue to a parameter of a function, or a field of a dataclass, that is not annotated as text."""
    plain = rb"%s(?![ ]*:[ ]*(?:Optional\[)?str\b)[ ]*[:,)=]" % name
    pattern = rb"def \w+\((?:[^)]*[\s*])?%s|(?<=\n    )%s" % (plain, plain)
    return Clue(re.compile(plain), re.compile(pattern), ((),))
