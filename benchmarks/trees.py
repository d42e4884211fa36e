"""Checkouts for the measurements of speed: a release with some files edited, and parts of a release."""

from __future__ import annotations

import ast
import hashlib
import itertools
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks import releases
from shimgen.model.profile import is_model
from shimgen.profiles import load

PROFILE = load("sglang")

Kind = Callable[[str, int], str]
"""How a source is edited; the number makes each edit another one."""
Item = TypeVar("Item")


def comment(source: str, number: int) -> str:
    """A comment below everything, which moves no line."""
    return f"{source.rstrip()}\n# edit {number}\n"


def line(source: str, number: int) -> str:
    """A line in the body of a method, which moves what is below."""
    last = _method(_model(source)).body[-1]
    return _inserted(source, last.lineno - 1, f"{' ' * last.col_offset}edit = {number}")


def method(source: str, number: int) -> str:
    """One more method of a class."""
    cls = _model(source)
    indent = " " * _method(cls).col_offset
    text = f"\n{indent}def edit_{number}(self):\n{indent}    return self.config"
    return _inserted(source, cls.end_lineno or cls.lineno, text)


def model_files(tree: Path) -> list[str]:
    """The files of a checkout that hold models which can be edited, sorted."""
    names = (str(path.relative_to(tree)) for path in sorted(tree.rglob("*.py")))
    return [name for name in names if is_model(name, PROFILE.models) and _editable(_text(tree / name))]


def spaced(items: Sequence[Item], count: int) -> list[Item]:
    """`count` of the items, evenly spaced; all of them when there are no more."""
    if count >= len(items):
        return list(items)
    return [items[(2 * number + 1) * len(items) // (2 * count)] for number in range(count)]


class Edited:
    """Makes a checkout what it is after an edit of some files, and of those only: each time with another edit."""

    _numbers = itertools.count(1)

    def __init__(self, tree: Path, paths: Sequence[str], kind: Kind, between: Callable[[], object]) -> None:
        """`between` is called when earlier edits were taken back."""
        self._tree = tree
        self._between = between
        self._kind = kind
        self._sources = {path: _text(tree / path) for path in paths}

    def __call__(self) -> None:
        """Take back earlier edits and make a new one."""
        subprocess.run(["git", "checkout", "--quiet", "--", "."], cwd=self._tree, check=True)
        self._between()
        number = next(self._numbers)
        for path, source in self._sources.items():
            (self._tree / path).write_text(self._kind(source, number), encoding="utf-8", newline="")


def part(tree: Path, share: float, dest: Path) -> Path:
    """A checkout with that share of a tree's files; a smaller part is within a larger one.

    The files by which the stack is recognised are always there, the others are chosen by the digest of their paths.
    """
    anchors = {f"{PROFILE.package}/{name}" for name in PROFILE.recognise}
    names = [str(path.relative_to(tree)) for path in tree.rglob("*.py")]
    names.sort(key=lambda name: (name not in anchors, hashlib.sha256(name.encode()).digest()))
    for name in names[: round(share * len(names))]:
        target = dest / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tree / name, target)
    releases.commit_all(dest, f"{share:.0%} of the files")
    return dest


def _text(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as stream:
        return stream.read()


def _inserted(source: str, after: int, text: str) -> str:
    lines = source.split("\n")
    return "\n".join([*lines[:after], text, *lines[after:]])


def _model(source: str) -> ast.ClassDef:
    """The last class of a file that has a method; entry classes come last. Raises ValueError when there is none."""
    for node in reversed(ast.parse(source.removeprefix("\ufeff")).body):
        if isinstance(node, ast.ClassDef) and any(isinstance(item, ast.FunctionDef) for item in node.body):
            return node
    raise ValueError("no class has a method")


def _method(cls: ast.ClassDef) -> ast.FunctionDef:
    """The first method of a class."""
    return next(item for item in cls.body if isinstance(item, ast.FunctionDef))


def _editable(source: str) -> bool:
    """Whether every kind of edit leaves Python."""
    try:
        for kind in (comment, line, method):
            ast.parse(kind(source, 0).removeprefix("\ufeff"))
    except (SyntaxError, ValueError):
        return False
    return True
