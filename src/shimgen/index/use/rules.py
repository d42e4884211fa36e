"""The profile's receiver rules, compiled for one file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeAlias

from shimgen.model.globs import matches
from shimgen.model.profile import Profile, Receiver


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression stands: the names of the class (and what `self` is annotated with) and of the function."""

    classes: tuple[str, ...] = ()
    function: str = ""

    @property
    def qualified(self) -> str:
        """The function's name as people cite it."""
        return ".".join((*self.classes[:1], self.function))


@dataclass(frozen=True, slots=True)
class _Chain:
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


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that hold in one file, by the last name of what they match. `token` finds lines worth a look.

    `holders` are the names that lead to a model: `target_worker` and `model_runner` in
    `self.target_worker.model_runner.model`.
    """

    profile: Profile
    expressions: Table
    accessors: Table
    parameters: Table
    class_variables: Table
    token: re.Pattern[bytes]
    holders: frozenset[str]

    def rule(self, index: int) -> Receiver:
        """The rule at an index of the profile."""
        return self.profile.receivers[index]

    def find(self, kind: Table, dotted: str, place: Place) -> int | None:
        """The index of the first rule of a kind that fits a dotted chain, None when there is none."""
        names = tuple(dotted.split("."))
        return next((c.index for c in kind.get(names[-1], ()) if c.fits(names, place)), None)


def searched(profile: Profile, package_path: str) -> bool:
    """Whether demands are searched in the file: engine code, but neither excluded nor a model's own."""
    return (
        matches(package_path, profile.engine)
        and not matches(package_path, profile.exclude)
        and not matches(package_path, profile.models.paths)
    )


def rules_for(profile: Profile, package_path: str) -> Rules | None:
    """The receiver rules that hold in a file, None when it is not searched for demands."""
    if not searched(profile, package_path):
        return None
    here = [
        (index, rule)
        for index, rule in enumerate(profile.receivers)
        if (not rule.paths or matches(package_path, rule.paths)) and not matches(package_path, rule.except_paths)
    ]
    return Rules(
        profile=profile,
        expressions=_table((rule.expression, index, rule) for index, rule in here),
        accessors=_table((rule.accessor, index, rule) for index, rule in here),
        parameters=_table((rule.parameter, index, rule) for index, rule in here),
        class_variables=_table((rule.class_variable, index, rule) for index, rule in here),
        token=_token(rule for _, rule in here),
        holders=frozenset(name for _, rule in here for name in rule.expression.split(".")[:-1]) - {"*", "self"},
    )


def _table(entries: Iterable[tuple[str, int, Receiver]]) -> Table:
    table: dict[str, tuple[_Chain, ...]] = {}
    for text, index, rule in entries:
        if text:
            names = tuple(text.removeprefix("*.").split("."))
            table[names[-1]] = (*table.get(names[-1], ()), _Chain(names, text.startswith("*."), index, rule))
    return table


def _token(rules: Iterable[Receiver]) -> re.Pattern[bytes]:
    words: set[str] = set()
    for rule in rules:
        chain = rule.expression.removeprefix("*.")
        if "." in chain:
            words.add(r"\." + chain.rpartition(".")[2])
        elif rule.accessor:
            words.add(rule.accessor.rpartition(".")[2])
        else:
            words.add(r"\b" + (chain or rule.parameter or rule.class_variable))
    if not words:
        return re.compile(rb"(?!)")
    return re.compile(rb"(?:%s)\b" % "|".join(sorted(words)).encode())
