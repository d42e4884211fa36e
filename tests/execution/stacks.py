"""Small serving stacks put together at random from the snippets in `stack.txt`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

POOL = Path(__file__).with_name("stack.txt")
_PLACE = re.compile(r"(?m)^( *)\{(\w+: ([\w ]+))\}\n")


@dataclass(frozen=True)
class Drawn:
    """A snippet that stands at a place of the stack ("Wrap: late")."""

    place: str
    text: str


@dataclass(frozen=True)
class Pool:
    """The files of the stack, with places in them, and the snippets of each kind of place."""

    files: dict[str, str]
    snippets: dict[str, list[str]]
    several: frozenset[str]

    def drawable(self) -> list[Drawn]:
        """What may be drawn: each snippet, at each place of its kind, but for those that stand there anyway."""
        found = [match for text in self.files.values() for match in _PLACE.finditer(text)]
        return [Drawn(match[2], text) for match in found for text in self.snippets[match[3]][1:]]

    def several_at(self, place: str) -> bool:
        """Whether a place takes more than one snippet."""
        return place.partition(": ")[2] in self.several

    def stack(self, drawn: Iterable[Drawn] = ()) -> dict[str, str]:
        """The files of a stack with these snippets in it."""
        texts: dict[str, list[str]] = {}
        for snippet in drawn:
            texts.setdefault(snippet.place, []).append(snippet.text)

        def fill(match: re.Match[str]) -> str:
            lines = "\n".join(texts.get(match[2], self.snippets[match[3]][:1])).splitlines()
            return "".join(f"{match[1]}{line}\n" for line in lines)

        return {path: _PLACE.sub(fill, text) for path, text in self.files.items()}


def _load() -> Pool:
    head, *sections = re.split(r"(?m)^=== (.+)\n", POOL.read_text(encoding="utf-8"))
    files = re.split(r"(?m)^--- (.+)\n", head)[1:]
    kinds = {name: [s.strip("\n") for s in re.split(r"(?m)^---$", text)] for name, text in _pairs(sections).items()}
    several = frozenset(name.removesuffix(" +") for name in kinds if name.endswith(" +"))
    return Pool(_pairs(files), {name.removesuffix(" +"): texts for name, texts in kinds.items()}, several)


def _pairs(parts: list[str]) -> dict[str, str]:
    return dict(zip(parts[::2], parts[1::2], strict=True))


POOLED = _load()


def _key(snippet: Drawn) -> object:
    """What may be drawn once only: a snippet, or anything at a place that takes one."""
    return snippet if POOLED.several_at(snippet.place) else snippet.place


def draws() -> st.SearchStrategy[list[Drawn]]:
    """Up to four snippets that stand in a stack instead of the usual ones."""
    return st.lists(st.sampled_from(POOLED.drawable()), min_size=1, max_size=4, unique_by=_key)
