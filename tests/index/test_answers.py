"""What the index of a much alike tree has answered is answered again only where the difference may matter."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks import releases
from shimgen.config import Settings
from shimgen.index import Index
from shimgen.index.answers import Answers, Reads
from shimgen.index.instances import Instances
from shimgen.model.domain import ClassRef
from shimgen.model.program import Attribute
from shimgen.model.source import Tree
from shimgen.pipeline import analysis
from shimgen.pipeline.session import open_session


class Sums:
    """A question is a file: the sum of its number and of what the files that it names are answered."""

    def __init__(self, files: dict[str, tuple[int, list[str]]], like: Sums | None = None, changed: str = "") -> None:
        self.files = files
        self.asked: Counter[str] = Counter()
        self.reads: Reads = Reads(like.reads if like else None)
        self.answers: Answers[str, int] = Answers(self.reads, self._sum, lambda _: 0)
        if like:
            self.answers.take(like.answers, self.reads.set_of(changed))

    def _sum(self, name: str) -> int:
        self.asked[name] += 1
        self.reads.note(name)
        number, others = self.files[name]
        return number + sum(self.answers(other) for other in others)


# The files with their numbers and the files that each names; those asked for at first, and those that change; then
# what is worked out again, if all is asked for in the order of the names.
CASES = {
    "nothing changes": ("a1b b2", "ab", "", ""),
    "a file that one asks for": ("a1b b2 c3", "abc", "b", "ab"),
    "a file that asks for others": ("a1b b2 c3", "abc", "a", "a"),
    "one further below": ("a1b b2c c3 d4", "ad", "c", "abc"),
    "known to one, asked by another": ("a1c b2c c3", "ab", "c", "abc"),
    "not asked before": ("a1 b2", "a", "", "b"),
    "itself": ("a1a b2", "ab", "", ""),
    "in a circle, for which the order counts": ("a1b b2a c3a d4", "abcd", "", "abc"),
    "in a circle, asked from elsewhere": ("a1b b2c c3b d4", "d", "", "abc"),
}


def files(text: str) -> dict[str, tuple[int, list[str]]]:
    return {word[0]: (int(word[1]), list(word[2:])) for word in text.split()}


@pytest.mark.parametrize("name", CASES)
def test_what_is_answered_again(name: str) -> None:
    text, first, changed, expected = CASES[name]
    before = Sums(files(text))
    for one in first:
        before.answers(one)
    edited = {n: (number + 10 * (n in changed), others) for n, (number, others) in files(text).items()}
    after, fresh = Sums(edited, before, changed), Sums(edited)
    for one in sorted(edited):
        assert after.answers(one) == fresh.answers(one), one
    assert "".join(sorted(after.asked)) == expected
    assert max(after.asked.values(), default=1) == 1
    assert set(after.reads.paths(after.reads.files)) == set(fresh.reads.paths(fresh.reads.files)) == set(edited)


Lines = list[bytes]
Change = Callable[[Lines, ast.ClassDef, random.Random], None]


def drop_member(lines: Lines, cls: ast.ClassDef, chosen: random.Random) -> None:
    member = chosen.choice(cls.body)
    lines[member.lineno - 1 : member.end_lineno] = [b" " * member.col_offset + b"dropped = 0\n"]


def rename_member(lines: Lines, cls: ast.ClassDef, chosen: random.Random) -> None:
    functions = [node for node in cls.body if isinstance(node, ast.FunctionDef)]
    if functions:
        function = chosen.choice(functions)
        line = lines[function.lineno - 1]
        lines[function.lineno - 1] = line.replace(
            b"def ", chosen.choice([b"def new_", b"def get_input_embeddings_"]), 1
        )


def drop_assignment(lines: Lines, cls: ast.ClassDef, chosen: random.Random) -> None:
    simple = [n for n in ast.walk(cls) if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]).startswith("self.")]
    if simple:
        node = chosen.choice(simple)
        lines[node.lineno - 1 : node.end_lineno] = [b" " * node.col_offset + b"dropped = 0\n"]


def rename_class(lines: Lines, cls: ast.ClassDef, chosen: random.Random) -> None:
    lines[cls.lineno - 1] = lines[cls.lineno - 1].replace(b"class ", b"class New", 1)


def other_base(lines: Lines, cls: ast.ClassDef, chosen: random.Random) -> None:
    lines[cls.lineno - 1] = lines[cls.lineno - 1].replace(b"(nn.Module)", b"(object)")


def add_member(lines: Lines, cls: ast.ClassDef, chosen: random.Random) -> None:
    indent = b" " * cls.body[0].col_offset
    name = chosen.choice([b"get_embed_and_head", b"start_layer", b"forward", b"other"])
    lines[cls.body[-1].end_lineno or 0 : cls.body[-1].end_lineno or 0] = [indent + b"def " + name + b"(self): pass\n"]


CHANGES: list[Change] = [drop_member, rename_member, drop_assignment, rename_class, other_base, add_member]


def changed(source: bytes, chosen: random.Random) -> bytes:
    """The source with something else in one of its classes."""
    lines = source.splitlines(keepends=True)
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    if classes:
        chosen.choice(CHANGES)(lines, chosen.choice(classes), chosen)
    return b"".join(lines)


def edits(tree: Tree, paths: Sequence[str], chosen: random.Random) -> Iterator[tuple[str, bytes]]:
    for path in chosen.sample(paths, 12):
        after = changed(tree.read(path), chosen)
        if after != tree.read(path):
            yield path, after


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[ClassRef]:
    """The classes whose constructors were evaluated."""
    classes: list[ClassRef] = []
    find = Instances._find

    def counted(self: Instances, ref: ClassRef) -> Mapping[str, Attribute]:
        classes.append(ref)
        return find(self, ref)

    monkeypatch.setattr(Instances, "_find", counted)
    return classes


@pytest.mark.parametrize("seed", range(2))
def test_edits_of_a_whole_release(seed: int, tmp_path: Path, evaluated: list[ClassRef]) -> None:
    session = open_session(Settings(releases.checkout("0.5.9", tmp_path / "sglang"), use_cache=False))
    chosen = random.Random(seed)  # noqa: S311

    def found(index: Index) -> tuple[tuple[object, ...], int]:
        evaluated.clear()
        return (analysis._find(session, index), index.trace(), index.skipped), len(evaluated)

    index, tree = session.index(session.tree), session.tree
    first, _ = found(index)
    for _ in range(2):
        tree = tree.replace(dict(edits(tree, index.model_paths(), chosen)))
        index = session.index(tree, index)
        again, few = found(index)
        fresh, many = found(session.index(tree))
        assert again == fresh
        assert again != first
        assert few < many / 2
