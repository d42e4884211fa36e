# ruff: noqa: E501  tables: one way to get it wrong is one line
"""The real classes are asked in another interpreter: here the test's own, on a checkout of two small modules."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from shimgen.model.domain import ClassRef, Decision, FileChange, Gap, MemberKind, Shim, Site, SiteKind
from shimgen.model.profile import Recipe
from shimgen.model.results import Proof
from shimgen.verify import live
from shimgen.verify.box import torchlike
from tests.verify.made import FULL, WRAPPER, failures, gap, provider

TORCH = {
    "torch/__init__.py": "from . import nn\n\n\ndef zeros(count):\n    return [0] * count\n",
    "torch/nn/__init__.py": inspect.getsource(torchlike).replace(
        "class Parameter(Tensor):", "class Parameter(Tensor):\n    def __init__(self, data): ...\n"
    ),
}
FULL_SOURCE = '''"""The delegate."""

import torch

LIMIT = object()
print("noise on stdout")


class FullModel(torch.nn.Module):
    def __init__(self, config):
        raise RuntimeError("no weights here")

    def take(self, x, y=LIMIT, *, z=None):
        raise RuntimeError("must not run")

    async def wait(self, x):
        raise RuntimeError("must not run")

    def made(self, x):
        """The constructor assigns another."""

    @property
    def start(self):
        return self.first

    @classmethod
    def made_for(cls, config):
        return config
'''
WRAPPER_SOURCE = '''"""The wrapper."""

import native.ops
import torch
from native import kernel

from stack.models.full import LIMIT, FullModel


@kernel.jit(num_warps=4)
def compute(x: kernel.tensor) -> kernel.tensor | None:
    return native.ops.run(x)


class Fast(kernel.Base, option=True):
    pass


class Wrapper(torch.nn.Module):
    def __init__(self, config):
        raise RuntimeError("no weights here")


class Heir(Wrapper):
    pass
'''
PROBED = Site("engine/run.py", 1, SiteKind.PROBE, True, "target", "model.take")
RIGHT = {
    "method": (gap("take", provider()), "def take(self, x, y=LIMIT, *, z=None):\n    return self.language_model.take(x, y, z=z)"),
    "async method": (gap("wait", provider(flavour="async")), "async def wait(self, x):\n    return await self.language_model.wait(x)"),
    "property": (gap("start", provider(kind=MemberKind.PROPERTY)), "@property\ndef start(self):\n    return self.language_model.start"),
    "instance attribute": (gap("head", provider(kind=MemberKind.INSTANCE)), "@property\ndef head(self):\n    return self.language_model.head"),
    "instance attribute that hides a stub": (gap("made", provider(kind=MemberKind.INSTANCE)), "@property\ndef made(self):\n    return self.language_model.made"),
    "classmethod": (gap("made_for", provider(kind=MemberKind.CLASSMETHOD)), "@classmethod\ndef made_for(cls, config):\n    return FullModel.made_for(config)"),
    "guarded method": (
        gap("take", provider(), optional=True),
        """def take(self, x, y=LIMIT, *, z=None):
    if self.language_model is None:
        raise AttributeError(f"{type(self).__name__} has no take here: its language_model is missing")
    return self.language_model.take(x, y, z=z)""",
    ),
    "handed out": (
        gap("take", provider(), optional=True, sites=(PROBED,)),
        """@property
def take(self):
    if self.language_model is None:
        raise AttributeError(f"{type(self).__name__} has no take here: its language_model is missing")
    return self.language_model.take""",
    ),
    "further in": (gap("take", provider(), attribute="thinker.lm"), "def take(self, x, y=LIMIT, *, z=None):\n    return self.thinker.lm.take(x, y, z=z)"),
}  # fmt: skip
WRONG = {
    "default of another module": ("method", "y=LIMIT", "y=object()", "live signature"),
    "another parameter": ("method", "x, y=LIMIT, *, z", "x, y=LIMIT, *, w", "live signature"),
    "another attribute": ("method", "language_model", "model", "live call"),
    "no return": ("method", "return ", "", "live call"),
    "no await": ("async method", "async def wait(self, x):\n    return await", "def wait(self, x):\n    return", "live kind"),
    "no return of what was awaited": ("async method", "return await", "await", "live call"),
    "property for method": ("method", "def take(self, x, y=LIMIT, *, z=None)", "@property\ndef take(self)", "live kind"),
    "method for property": ("property", "@property\n", "", "live kind"),
    "yes to every probe": ("property", "self.language_model.start", "1", "live probe"),
    "another value": ("instance attribute", "return self.language_model.head", "return self.language_model.__class__.head", "live probe"),
    "member that is not there": ("method", "def take(", "def give(", "live kind"),
    "hands out another": ("handed out", "return self.language_model.take", "return self.language_model.wait", "live probe"),
    "method for what is handed out": ("handed out", "@property\ndef take(self)", "def take(self, x)", "live signature"),
    "method for an instance attribute": ("instance attribute that hides a stub", "@property\ndef made(self)", "def made(self, x)", "live kind"),
    "no guard": ("guarded method", "is None", "is 0", "live none"),
    "guard without names": ("guarded method", "has no take here", "broken", "live none"),
}  # fmt: skip


def checkout(folder: Path, prefix: str = "") -> Path:
    """A checkout with the two modules and a torch that has what an instance without weights needs."""
    for name, text in {**TORCH, FULL.path: FULL_SOURCE, WRAPPER.path: WRAPPER_SOURCE}.items():
        path = folder / prefix / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def edit(made: Gap, text: str, member: str = "", prefix: str = "") -> FileChange:
    """The edit that adds `text` to Wrapper."""
    body = "".join(f"    {line}\n" if line else "\n" for line in text.split("\n"))
    after = WRAPPER_SOURCE.replace("\n\nclass Heir", f"\n{body}\n\nclass Heir")
    place = replace(WRAPPER, path=prefix + WRAPPER.path)
    shim = Shim(made, place, member or made.member, body)
    return FileChange(place.path, WRAPPER_SOURCE.encode(), after.encode(), (shim,))


def ask(folder: Path, change: FileChange, stubs: Sequence[str] = ("native",), root: str = "") -> tuple[Proof, ...]:
    return live([change], folder, root, sys.executable, stubs, 60)


def combined(*parts: tuple[Gap, str, str]) -> FileChange:
    """One edit with several shims, each asked on its own."""
    edits = [edit(made, text, member) for made, text, member in parts]
    bodies = "".join(e.shims[0].text for e in edits)
    after = WRAPPER_SOURCE.replace("\n\nclass Heir", f"\n{bodies}\n\nclass Heir")
    return FileChange(WRAPPER.path, WRAPPER_SOURCE.encode(), after.encode(), tuple(e.shims[0] for e in edits))


def test_right_shims_are_proven_and_the_checkout_stays_as_it_is(tmp_path: Path) -> None:
    checkout(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for name in ("method", "guarded method", "handed out", "further in", "instance attribute that hides a stub"):
        assert failures(ask(tmp_path, edit(*RIGHT[name]))) == {}, name
    others = [(*RIGHT[name], "") for name in ("async method", "property", "instance attribute", "classmethod")]
    proofs = ask(tmp_path, combined(*others))
    assert failures(proofs) == {}
    assert {p.member for p in proofs} == {"wait", "start", "head", "made_for"}
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / WRAPPER.path).read_text() == WRAPPER_SOURCE


@pytest.mark.parametrize("name", WRONG)
def test_wrong_shim_is_caught(name: str, tmp_path: Path) -> None:
    sample, old, new, check = WRONG[name]
    made, text = RIGHT[sample]
    assert old in text
    member = "give" if "give(" in new else ""
    assert check in failures(ask(checkout(tmp_path), edit(made, text.replace(old, new), member)))


PAIR = Recipe("pair", "", returns=("{delegate}.embed.weight", "lm_head.weight"))
EXCHANGE = Recipe(
    "exchange",
    "",
    ("embed", "head"),
    ("torch",),
    writes={"{delegate}.embed.weight": "embed", "lm_head.weight": "head"},
)
EXCHANGED = """def exchange(self, embed, head):
    del self.language_model.embed.weight
    self.language_model.embed.weight = embed
    self.lm_head.weight = head
    torch.cuda.synchronize()"""
RECIPES = {
    "pair": (PAIR, "def pair(self):\n    return self.language_model.embed.weight, self.lm_head.weight", set()),
    "pair the other way round": (
        PAIR,
        "def pair(self):\n    return self.lm_head.weight, self.language_model.embed.weight",
        {"live recipe"},
    ),
    "one of the pair": (PAIR, "def pair(self):\n    return self.lm_head.weight", {"live recipe"}),
    "parts that are missing": (
        PAIR,
        "def pair(self):\n    return self.language_model.embedding.weight, self.lm_head.weight",
        {"live recipe"},
    ),
    "property": (
        PAIR,
        "@property\ndef pair(self):\n    return self.language_model.embed.weight, self.lm_head.weight",
        {"live recipe"},
    ),
    "exchange": (EXCHANGE, EXCHANGED, set()),
    "exchange the other way round": (
        EXCHANGE,
        EXCHANGED.replace("self, embed, head", "self, head, embed"),
        {"live recipe"},
    ),
    "half of the exchange": (EXCHANGE, EXCHANGED.replace("self.lm_head.weight = head", "pass"), {"live recipe"}),
}


@pytest.mark.parametrize("name", RECIPES)
def test_assembled_members(name: str, tmp_path: Path) -> None:
    recipe, text, wrong = RECIPES[name]
    made = replace(gap(recipe.member), decision=Decision.RECIPE, recipe="some", assembly=recipe)
    assert failures(ask(checkout(tmp_path), edit(made, text))).keys() == wrong


def test_package_below_a_prefix(tmp_path: Path) -> None:
    checkout(tmp_path, "python")
    made, text = RIGHT["method"]
    candidates = (replace(FULL, path=f"python/{FULL.path}"),)
    wrapper = replace(made.wrapper, cls=replace(WRAPPER, path=f"python/{WRAPPER.path}"))
    made = replace(made, wrapper=replace(wrapper, delegate=replace(wrapper.delegate, candidates=candidates)))
    assert failures(ask(tmp_path, edit(made, text, prefix="python/"), root="python/")) == {}


def test_the_class_that_is_asked_may_inherit_the_shim(tmp_path: Path) -> None:
    made, text = RIGHT["method"]
    heir = replace(made, wrapper=replace(made.wrapper, cls=ClassRef(WRAPPER.path, "Heir")))
    assert failures(ask(checkout(tmp_path), edit(heir, text))) == {}
    hidden = edit(heir, text)
    after = hidden.after.decode().replace("class Heir(Wrapper):\n    pass", "class Heir(Wrapper):\n    take = None")
    found = failures(ask(tmp_path, replace(hidden, after=after.encode())))
    assert found["live class"] == "Heir finds the take of Heir instead"


IMPORTS = {
    "a missing module": ((), FULL_SOURCE, "No module named 'native'", "--stub native may do"),
    "a fault of the checkout": (("native",), "raise ValueError('broken\\nfor a reason')", "ValueError: broken (", "full.py:1)"),
    "an exit": (("native",), "raise SystemExit(3)", "SystemExit: 3", "full.py:1)"),
    "a class that is gone": (("native",), "LIMIT = FullModel = 1", "has no class FullModel", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPORTS)
def test_what_can_not_be_imported_is_a_failed_proof(name: str, tmp_path: Path) -> None:
    stubs, source, said, more = IMPORTS[name]
    (checkout(tmp_path) / FULL.path).write_text(source)
    (proof,) = ask(tmp_path, edit(*RIGHT["method"]), stubs)
    assert not proof.passed
    assert proof.check == "live import"
    assert said in proof.detail
    assert more in proof.detail


def test_a_stack_that_never_imports_is_a_failed_proof(tmp_path: Path) -> None:
    (checkout(tmp_path) / FULL.path).write_text("while True: pass")
    (proof,) = live([edit(*RIGHT["method"])], tmp_path, "", sys.executable, ("native",), 1)
    assert "the probe did not end within 1 s" in proof.detail


def test_a_missing_interpreter_is_a_failed_proof(tmp_path: Path) -> None:
    (proof,) = live([edit(*RIGHT["method"])], tmp_path, "", str(tmp_path / "nowhere"))
    assert "the probe could not be started" in proof.detail


def test_no_shims_start_no_process(tmp_path: Path) -> None:
    assert live([], tmp_path, "", "/nonexistent") == ()
