"""What an analysis found holds where nothing but lines moved: on every file of a real release, all at once."""

from __future__ import annotations

import ast
import random
import warnings
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from benchmarks import releases
from shimgen import pipeline
from shimgen.config import Settings
from shimgen.index import trace
from shimgen.index.extract import definitions_of
from shimgen.index.moves import Moves
from shimgen.model.domain import ClassRef, Delegate, Demand, Scope, Site, SiteKind, Wrapper
from shimgen.model.facts import ASSIGNED
from shimgen.pipeline import analysis
from shimgen.pipeline.moved import moved


def beginnings(source: bytes) -> list[int]:
    """The lines before which another may stand: those in which a statement begins and nothing else goes on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except SyntaxError:
            return []
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    first = {min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", ()))]): s.col_offset for s in statements}
    lines = source.splitlines()
    alone = [line for line, column in first.items() if not lines[line - 1][:column].strip(b" \t\xef\xbb\xbf")]
    return sorted(
        line for line in alone if line > 1 and not lines[line - 2].endswith(b"\\") and not _marks(lines, line)
    )


def _marks(lines: list[bytes], line: int) -> bool:
    return lines[line - 2].lstrip().startswith(b"#")


def spread(source: bytes, chosen: random.Random) -> bytes:
    """The same source with empty lines and comments before some of its statements."""
    lines = source.splitlines(keepends=True)
    for line in reversed(beginnings(source)):
        if chosen.random() < 0.15:
            lines[line - 1 : line - 1] = [chosen.choice([b"\n", b"# moved\n"])] * chosen.choice([1, 2, 120])
    return b"".join(lines)


def move_all(tree: Path, seed: int) -> int:
    """Moves lines in every file of a tree, and tells how many files that were."""
    chosen, moved = random.Random(seed), 0  # noqa: S311
    for path in sorted(tree.rglob("*.py")):
        before = path.read_bytes()
        after = spread(before, chosen)
        path.write_bytes(after)
        moved += after != before
    return moved


def check(tree: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found before lines moved everywhere is, at their new places, what a new analysis finds."""
    settings = Settings(tree, scope=Scope(severity="all"))
    pipeline.analyse(settings)
    assert move_all(tree, seed) > 25
    monkeypatch.setattr(trace, "_MANY", 10**6)
    with monkeypatch.context() as patch:
        patch.setattr(analysis, "_find", None)  # what was found before is taken
        followed = pipeline.analyse(settings)
    fresh = pipeline.analyse(replace(settings, use_cache=False))
    assert len(fresh.gaps) > 10
    assert replace(followed, stats=fresh.stats) == fresh
    assert followed.stats.lines == fresh.stats.lines
    assert followed.stats.skipped == fresh.stats.skipped


def test_lines_of_a_whole_release_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHIMGEN_CACHE_DIR", str(tmp_path / "cache"))
    check(releases.checkout("0.5.9", tmp_path / "sglang"), 1, monkeypatch)


CLASS = """\
class A(B):
    def __init__(self):
        if self.b:
            self.a = 1
        try:
            self.c()
        except AttributeError:
            pass

    # shimgen: forwards to self.a
    @property
    def d(self):
        return self.a.d
"""

# What is done to the class above (a text, and what stands in its place), and the new place of each line that begins
# something; nothing where the facts are others.
CHANGES: dict[str, tuple[str, str, str]] = {
    "nothing": ("", "", "1-1 2-2 3-3 4-4 5-5 6-6 10-10 12-12 13-13"),
    "a line above": ("class A", "\nclass A", "1-2 2-3 3-4 4-5 5-6 6-7 10-11 12-13 13-14"),
    "a line in an arm": (" = 1\n", " = 1\n\n", "1-1 2-2 3-3 4-4 5-6 6-7 10-11 12-13 13-14"),
    "a line at the end of a body": ("pass\n", "pass\n        pass\n", "1-1 2-2 3-3 4-4 5-5 6-6 10-11 12-13 13-14"),
    "a line less": ("pass\n\n", "pass\n", "1-1 2-2 3-3 4-4 5-5 6-6 10-9 12-11 13-12"),
    "a value over two lines": (" = 1\n", " = \\\n1\n", "1-1 2-2 3-3 4-4 5-6 6-7 10-11 12-13 13-14"),
    "another value": (" = 1", " = 2", ""),
    "another arm": ("if self.b:", "if self.b:\n            pass\n        else:", ""),
    "an arm that ends otherwise": (" = 1\n", " = 1\n            raise\n", ""),
    "no longer caught": ("AttributeError", "KeyError", ""),
    "two statements in one line": ("if self.b:\n            self", "if self.b: self", ""),
    "a line between the marker and its member": ("    @property", "\n    @property", ""),
    "no marker": ("shimgen: ", "", ""),
    "another member": ("d(self)", "e(self)", ""),
    "does not parse": ("class A", "class A class", ""),
}


@pytest.mark.parametrize("name", CHANGES)
def test_lines_are_followed_where_nothing_else_changes(name: str) -> None:
    old, new, expected = CHANGES[name]
    before, after = (definitions_of(text.encode()) for text in (CLASS, CLASS.replace(old, new, 1)))
    moves = Moves()
    moved = moves.moved() if moves.follow(before, after) else None
    assert (expected != "") == (moved is not None)
    assert " ".join(f"{a}-{b}" for a, b in sorted((moved or {}).items())) == expected


def test_lines_that_change_their_order_are_not_followed() -> None:
    moves = Moves()
    assert moves.follow_lines([1, 2], [2, 1])
    assert moves.moved() is None
    assert not Moves().follow_lines([1, 2], [1])


class Found(Struct):
    """A little of what an analysis finds."""

    wrapper: Wrapper
    demand: Demand
    said: dict[str, str]


def found(line: int, other: int) -> Found:
    """Something that speaks of `line` of a.py and of line 7 of b.py, and of `other` lines of a.py in texts."""
    ref = ClassRef("m/a.py", "A", line)
    guards = (f"{ASSIGNED}{other}", f"the engine sets it at m/a.py:{other}", "x.py:3")
    sites = tuple(Site("m/a.py", line, SiteKind.CALL, True, "target", "model.f()", guard) for guard in guards)
    text = f"m/a.py:{other}, n/m/a.py:9 and m/b.py:7"
    return Found(Wrapper(ref, Delegate("x", ClassRef("m/b.py", "B", 7), 7)), Demand("f", sites, ()), {"site": text})


def test_every_line_that_a_finding_speaks_of_is_moved() -> None:
    before = found(3, 12)
    assert moved(before, {"m/a.py": {3: 5, 12: 120}})
    assert before == found(5, 120)


@pytest.mark.parametrize("lines", [{3: 5}, {12: 120}, {}])
def test_a_finding_that_speaks_of_an_unknown_line_is_not_moved(lines: dict[int, int]) -> None:
    assert not moved(found(3, 12), {"m/a.py": lines})


@pytest.mark.parametrize(
    ("path", "other", "expected"),
    [("b.py", "a b.py", True), ("b.py", "b.py", False), ("m/b.py", "n/m/b.py", False), ("b.py", "c.py", False)],
)
def test_a_path_that_ends_another_one_is_not_taken_for_it(path: str, other: str, expected: bool) -> None:
    assert trace._is_ambiguous(path, [path, other]) == expected
