"""What an analysis found holds where nothing but lines moved: on every file of a real release, all at once."""

from __future__ import annotations

import ast
import random
import warnings
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchmarks import releases
from shimgen import pipeline
from shimgen.config import Settings
from shimgen.index import trace
from shimgen.index.extract import definitions_of
from shimgen.index.moves import Moves
from shimgen.model.domain import Scope
from shimgen.pipeline import analysis


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
    "nothing": ("", "", "1-1 2-2 3-3 4-4 6-6 10-10 12-12 13-13"),
    "a line above": ("class A", "\nclass A", "1-2 2-3 3-4 4-5 6-7 10-11 12-13 13-14"),
    "a line in an arm": (" = 1\n", " = 1\n\n", "1-1 2-2 3-3 4-4 6-7 10-11 12-13 13-14"),
    "a line at the end of a body": ("pass\n", "pass\n        pass\n", "1-1 2-2 3-3 4-4 6-6 10-11 12-13 13-14"),
    "a line less": ("pass\n\n", "pass\n", "1-1 2-2 3-3 4-4 6-6 10-9 12-11 13-12"),
    "a value over two lines": (" = 1\n", " = \\\n1\n", "1-1 2-2 3-3 4-4 6-7 10-11 12-13 13-14"),
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
