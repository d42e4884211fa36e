"""Code put together at random from snippets of a file, which says what the holes in them are."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EXAMPLES = os.environ.get("SHIMGEN_EXAMPLES", "")
examples = settings(
    max_examples=int(EXAMPLES or 300),
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
"""The same examples each time; or so many as SHIMGEN_EXAMPLES says, other ones each time."""
Draw = Callable[[st.SearchStrategy[str]], str]
_DEEPEST = 2
_HOLE = re.compile(r"\{\{|\}\}|\{(\w)\}")


def load(name: str) -> Mapping[str, Sequence[str]]:
    """The snippets of a file beside this one, by section: "expressions", "simple" and "compound" statements."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    sections = re.split(r"(?m)^=== (\w+)\n", text)[1:]
    return {
        section: [snippet.strip("\n") for snippet in re.split(r"(?m)^---$", snippets)]
        for section, snippets in zip(sections[::2], sections[1::2], strict=True)
    }


class Writer:
    """Fills snippets. A hole of a kind in `choices` is one of these, {v}, {w} and {n} are new names, of which the last
    stands for the model ({m}) from there on; {e} is an expression, and a line {body} are statements."""

    def __init__(self, draw: Draw, snippets: Mapping[str, Sequence[str]], choices: Mapping[str, Sequence[str]]) -> None:
        self._draw = draw
        self._snippets = snippets
        self._choices = choices
        self._made = 0

    def block(self, models: Sequence[str] = (), depth: int = 0) -> list[str]:
        """Up to three statements, up to two inside of others."""
        known, lines = list(models), []
        for _ in range(int(self._one_of("12" if depth else "123"))):
            compound = depth < _DEEPEST and self._one_of(("simple", "compound")) == "compound"
            snippet = self._one_of(self._snippets["compound" if compound else "simple"])
            lines += self._filled(snippet, known, depth)
        return lines

    def _one_of(self, choices: Sequence[str]) -> str:
        return self._draw(st.sampled_from(choices))

    def _filled(self, snippet: str, models: list[str], depth: int) -> list[str]:
        """The lines of a snippet; `models` takes up the names that it gives the model."""
        chosen: dict[str, str] = {}
        lines: list[str] = []
        for line in snippet.split("\n"):
            indent = line[: len(line) - len(line.lstrip())]
            if line.strip() == "{body}":
                lines += [indent + inner for inner in self.block([*models, *chosen.get("n", "").split()], depth + 1)]
            else:
                lines.append(_HOLE.sub(lambda hole: self._fill(hole, chosen, models, depth), line))
        models += chosen.get("n", "").split()
        return lines

    def _fill(self, hole: re.Match[str], chosen: dict[str, str], models: list[str], depth: int) -> str:
        kind = hole[1]
        if kind is None:
            return hole[0][0]
        if kind == "e":
            return "(" + "".join(self._filled(self._one_of(self._snippets["expressions"]), models, depth)) + ")"
        if kind not in chosen:
            chosen[kind] = self._choose(kind, models)
        return chosen[kind]

    def _choose(self, kind: str, models: list[str]) -> str:
        if kind in "vwn":
            self._made += 1
            return f"{kind}{self._made}"
        return self._one_of(models if kind == "m" else self._choices[kind])


def body_of_a_method(lines: Sequence[str]) -> str:
    """Lines as they stand in a method of a class."""
    return "".join(f"        {line}\n" for line in lines)


def saying(number: int) -> Callable[[], bool]:
    """One of the ways to say yes and no, and no in the end."""
    says = random.Random(number)  # noqa: S311
    flags = [says.random() < 0.5 for _ in range(30)]
    return lambda: flags.pop() if flags else False
