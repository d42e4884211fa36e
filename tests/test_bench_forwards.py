"""What the benchmarks take for a hand-written forward, how they cut one out, and when two members mean the same."""

from __future__ import annotations

import ast

import pytest

from benchmarks.ablation import run
from benchmarks.cuts import find, without
from benchmarks.forwards import Forward, forwards
from benchmarks.hindcast import between, matched
from benchmarks.releases import ReleaseError
from shimgen.index import Index
from shimgen.model.domain import ClassRef, Delegate, Wrapper
from shimgen.model.source import memory_tree
from tests.stack import PROFILE

PATH = "models/wrap.py"
FULL = b"class Full:\n    def describe(self): ...\n"


def wrapper(name: str = "Wrap", path: str = PATH) -> Wrapper:
    ref = ClassRef(path, name, 1)
    return Wrapper(ref, Delegate("inner", ref, 3, (ClassRef("models/full.py", "Full", 1),)))


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    ("member", "kind"),
    [
        ("def describe(self):\n    return self.inner.describe()", "method"),
        ("def describe(this, *a):\n    this.inner.describe(*a)", "method"),
        ("async def describe(self):\n    return await self.inner.describe()", "method"),
        ("@property\ndef first(self):\n    return self.inner.first if self.inner else 0", "property"),
        ("@property\ndef first(self):\n    return getattr(getattr(self, 'inner', None), 'first', 0)", "property"),
        ("@property\ndef first(self):\n    held = self.inner\n    return held.model.first", "property"),
        ("@classmethod\ndef describe(cls, config):\n    return Full.describe(config)", "classmethod"),
        ("tables = Full.tables", "class-attr"),
        ("def __init__(self):\n    self.inner = Full()\n    self.run = self.inner.run", "init-assign"),
        ("def pair(self):\n    return self.inner.embed.weight, self.inner.head.weight", "assembled"),
        ("def describe(self):\n    return self.tower.describe()", ""),
        ("def describe(self):\n    return self.inner.other() + self.own", "assembled"),
        ("def describe(self):\n    return self.own, self.inner.embed", ""),
        ("def describe(self):\n    self.inner.other()", ""),
        ("tables = Other.tables", ""),
        ("def __init__(self):\n    self.inner = Full()\n    self.run = self.tower.run", ""),
    ],
)
def test_a_forward_reads_its_own_name_below(member: str, kind: str) -> None:
    tree = memory_tree({PATH: f"class Wrap(Base):\n{indented(member)}".encode(), "models/full.py": FULL})
    found = list(forwards(tree, Index(tree, PROFILE), wrapper()))
    assert ["assembled" if f.assembled else f.kind for f in found] == ([kind] if kind else [])


SOURCE = b'''class Wrap(Base):
    @property
    # the first
    def first(self):
        return self.inner.first

    @first.setter
    def first(self, value):
        self.inner.first = value

    table = Full.table

    def __init__(self):
        self.run = self.inner.run

class Lone:
    def only(self):
        """Text."""
'''


@pytest.mark.parametrize(
    ("cls", "name", "gone"),
    [
        ("Wrap", "first", {2, 3, 4, 5, 7, 8, 9}),
        ("Wrap", "table", {11}),
        ("Wrap", "run", {14}),
        ("Lone", "only", {17, 18}),
    ],
)
def test_a_cut_takes_one_member_and_moves_no_line(cls: str, name: str, gone: set[int]) -> None:
    cut = find(PATH, SOURCE, cls, name)
    assert cut is not None
    after = without(SOURCE, [cut])
    ast.parse(after)
    before, left = SOURCE.splitlines(), after.splitlines()
    assert {n for n, (old, new) in enumerate(zip(before, left, strict=True), 1) if old != new} == gone
    assert find(PATH, after, cls, name) is None


def test_what_is_not_there_is_not_cut() -> None:
    assert find(PATH, SOURCE, "Wrap", "second") is None
    assert find(PATH, SOURCE, "Other", "first") is None


ENGINE = b"""
class Worker:
    def start(self):
        model = self.target_worker.model_runner.model
        model.get_pair()
        model.set_pair(1, 2)
        return model.first_layer
"""
MODEL = b"""
import torch.nn as nn
class Full(nn.Module):
    def __init__(self, config):
        self.first_layer = 0
        self.lm_head = nn.Linear(1, 1)
    def forward(self, input_ids, positions, forward_batch):
        return input_ids
    def get_pair(self):
        return self.first_layer, self.lm_head
    def set_pair(self, embed, head):
        self.lm_head.weight = head
"""
WRAP = """
import torch.nn as nn
from sglang.srt.models.full import Full
class Wrap(nn.Module):
    def __init__(self, config):
        self.inner = Full(config)
    def forward(self, input_ids, positions, forward_batch):
        return self.inner(input_ids, positions, forward_batch)
{}
EntryClass = Wrap
"""


@pytest.mark.parametrize(
    ("name", "member", "word"),
    [
        ("get_pair", "def get_pair(self):\n    return self.inner.get_pair()", "same"),
        (
            "get_pair",
            "def get_pair(self):\n    if hasattr(self.inner, 'get_pair'):\n        return self.inner.get_pair()",
            "same",
        ),
        ("get_pair", "def get_pair(self):\n    return self.inner.get_pair()[0]", "differs"),
        ("get_pair", "def get_pair(self):\n    self.inner.get_pair()", "differs"),
        ("get_pair", "def get_pair(self):\n    self.inner.get_pair()\n    return self.inner.get_pair()", "differs"),
        ("set_pair", "def set_pair(self, embed, head):\n    self.inner.set_pair(embed, head)", "same"),
        ("set_pair", "def set_pair(self, embed, head):\n    self.inner.set_pair(head, embed)", "differs"),
        ("set_pair", "def set_pair(self, embed, head):\n    log(embed)\n    self.inner.set_pair(embed, head)", "same"),
        ("first_layer", "@property\ndef first_layer(self):\n    return self.inner.first_layer", "same"),
        ("first_layer", "@property\ndef first_layer(self):\n    return 0", "differs"),
        ("first_layer", "first_layer = 0", "differs"),
    ],
)
def test_what_comes_back_is_run_next_to_what_was_cut(name: str, member: str, word: str) -> None:
    path = "sglang/srt/models/wrap.py"
    files = {
        path: WRAP.format(indented(member)).encode(),
        "sglang/srt/models/full.py": MODEL,
        "sglang/srt/speculative/worker.py": ENGINE,
    }
    cut = find(path, files[path], "Wrap", name)
    assert cut is not None
    assert [(r.word, bool(r.why)) for r in run(memory_tree(files), [cut])] == [(word, word != "same")]


@pytest.mark.parametrize(
    ("known", "path"),
    [
        ((wrapper(), wrapper(path="models/other.py")), PATH),
        ((wrapper(path="models/old.py"),), "models/old.py"),
        ((wrapper("Other"),), ""),
        ((wrapper(path="models/a.py"), wrapper(path="models/b.py")), ""),
    ],
)
def test_a_wrapper_is_known_again_in_its_file_or_by_a_name_of_its_own(known: tuple[Wrapper, ...], path: str) -> None:
    found = matched(Forward(PATH, "Wrap", "describe", "method", 2), known)
    assert (found.cls.path if found else "") == path


def test_the_releases_between_two_are_those_after_the_first() -> None:
    assert between("0.5.9", "0.5.12.post1") == ["0.5.10.post1", "0.5.11", "0.5.12.post1"]
    assert between("0.5.9", "0.5.9") == []
    with pytest.raises(ReleaseError, match=r"0\.5\.99"):
        between("0.5.9", "0.5.99")
