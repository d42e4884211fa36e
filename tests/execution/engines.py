"""Engine code put together at random from the snippets in `engine.txt`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

POOL = Path(__file__).with_name("engine.txt")
MEMBERS = ("depth", "embed", "heads", "layers", "width")
HEAD = """\
import operator
from contextlib import suppress


def use(*args, **kwargs):
    pass


class Loader:
    def helper(self, model):
        return model.width

    def load(self, model, flag):
"""
_DEEPEST = 2
_HOLE = re.compile(r"\{\{|\}\}|\{(\w)\}")
_SECTIONS = re.split(r"(?m)^=== (\w+)\n", POOL.read_text(encoding="utf-8"))[1:]
SNIPPETS = {
    name: [snippet.strip("\n") for snippet in re.split(r"(?m)^---$", text)]
    for name, text in zip(_SECTIONS[::2], _SECTIONS[1::2], strict=True)
}
Draw = Callable[[st.SearchStrategy[str]], str]


class _Writer:
    """Fills snippets, and knows which names stand for the model where one stands."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._made = 0

    def block(self, models: list[str], depth: int) -> list[str]:
        """Up to three statements, up to two inside of others."""
        models, lines = list(models), []
        for _ in range(int(self._draw(st.sampled_from("12" if depth else "123")))):
            compound = depth < _DEEPEST and self._draw(st.sampled_from(("simple", "compound"))) == "compound"
            snippet = self._draw(st.sampled_from(SNIPPETS["compound" if compound else "simple"]))
            lines += self._filled(snippet, models, depth)
        return lines

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
            return (
                "(" + "\n".join(self._filled(self._draw(st.sampled_from(SNIPPETS["expressions"])), models, depth)) + ")"
            )
        if kind not in chosen:
            chosen[kind] = self._choose(kind, models)
        return chosen[kind]

    def _choose(self, kind: str, models: list[str]) -> str:
        if kind in "vn":
            self._made += 1
            return f"{kind}{self._made}"
        return self._draw(st.sampled_from(models if kind == "m" else MEMBERS))


@st.composite
def engines(draw: Draw) -> str:
    """The source of a file of the engine, whose `Loader().load(model, flag)` uses a model."""
    lines = _Writer(draw).block(["model"], 0)
    return HEAD + "".join(f"        {line}\n" for line in lines)
