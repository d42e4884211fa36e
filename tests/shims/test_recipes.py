"""What a recipe of the profile assembles is written, marked and taken out again like a forward."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from shimgen.model.domain import Decision, Gap
from shimgen.model.profile import Recipe
from shimgen.model.reason import Reason
from shimgen.shims import find_shims, generate, remove_shims
from tests.shims.hand import gap, program_of

RECIPE = Recipe(
    member="set_pair",
    parameters=("embed", "head"),
    names=("torch",),
    code="\nif embed is not None:\n    self.{delegate}.embed = embed\nself.head = head\ntorch.cuda.empty_cache()\n",
)
BODY = b"class Body:\n    def set_pair(self):\n        return 1\n"
WRAPPER = (
    "import torch\nfrom body import Body\n\n\nclass Wrapper:\n    def __init__(self):\n        self.model = Body()\n"
)


def made(wrapper: str, optional: bool = False) -> tuple[bytes, tuple[Gap, ...]]:
    """The edited file, b"" when there is none, and the refusals."""
    files = {"body.py": BODY, "wrapper.py": wrapper.encode()}
    base = gap(files, "Wrapper.model -> Body: set_pair" + (" optional" if optional else ""))
    recipe = replace(base, decision=Decision.RECIPE, providers=(), recipe="pair-of-body", assembly=RECIPE)
    changes, refused = generate([recipe], program_of(files), files.__getitem__)
    return changes[0].after if changes else b"", refused


def test_the_code_of_the_recipe() -> None:
    after, refused = made(WRAPPER)
    assert not refused
    assert after.decode() == WRAPPER + (
        "\n    # shimgen: pair-of-body (self.model)\n"
        "    def set_pair(self, embed, head):\n"
        "        if embed is not None:\n"
        "            self.model.embed = embed\n"
        "        self.head = head\n"
        "        torch.cuda.empty_cache()\n"
    )
    assert remove_shims(after, find_shims(after)) == WRAPPER.encode()


def test_a_delegate_that_may_be_missing() -> None:
    after, _ = made(WRAPPER, optional=True)
    assert b"if delegate is None:\n            raise AttributeError(" in after


@pytest.mark.parametrize(
    "imports",
    [
        "",
        "from elsewhere import torch\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\n",
    ],
    ids=["not imported", "something else", "for type checkers"],
)
def test_a_name_that_the_module_lacks(imports: str) -> None:
    after, refused = made(WRAPPER.replace("import torch\n", imports))
    assert not after
    assert refused[0].reason is Reason.PLACE
    assert refused[0].sentence.endswith("its module does not import torch, which the recipe pair-of-body needs")
