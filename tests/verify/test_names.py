"""Names and defaults of a shim mean something, and the right thing, in the wrapper's module."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from shimgen.model.domain import FileChange
from shimgen.model.source import memory_tree
from shimgen.verify.reanalysis import served, static
from tests.verify.made import FULL, MODULE, change, check, failures, gap, provider
from tests.verify.samples import SAMPLES

PAIR = SAMPLES["no parameters"]
EDIT = change(PAIR.gap, PAIR.text)


NAMES = {
    "bound": ("def pair(self, x: Optional[List[int]] = LIMIT):", ""),
    "of the standard library": ("def pair(self, x: int = len) -> dict[str, int]:", ""),
    "quoted for the checker": ('def pair(self, x: "Typed | None" = None):', ""),
    "quoted inside": ('def pair(self, x: Optional["Typed"] = None):', ""),
    "a literal string": ('def pair(self, x: typing.Literal["a b"] = "a b"):', ""),
    "a type parameter's string": ('def pair(self, x: Optional["Unknown"] = None):', "names Unknown"),
    "unknown annotation": (
        "def pair(self, x: Unknown):",
        "Unknown is not defined in the module when the class is made",
    ),
    "unknown return": ("def pair(self) -> Unknown:", "Unknown is not defined"),
    "unknown default": ("def pair(self, x=Unknown):", "Unknown is not defined"),
    "only for the checker": ("def pair(self, x: Typed):", "Typed is not defined in the module when the class is made"),
    "bound too late": ("def pair(self, x: Late):", "Late is not defined in the module when the class is made"),
    "quoted, bound late": ('def pair(self, x: "Late"):', ""),
}
CHECKED = MODULE.replace("\n\nclass", "\nif typing.TYPE_CHECKING:\n    from stack.t import Typed\n\n\nclass", 1)


def named(head: str, before: str = CHECKED, body: str = "return self.language_model.pair()") -> str:
    """What the check of names says of a shim that begins with `head`."""
    edit = change(gap("pair", provider("(self)")), f"{head}\n    {body}", before)
    edit = replace(edit, after=edit.after + b"\n\nclass Late: ...\n")
    return failures(check(edit)).get("names", "")


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str) -> None:
    head, said = NAMES[name]
    found = named(head)
    assert said in found
    assert bool(said) == bool(found)


@pytest.mark.parametrize("name", ["only for the checker", "bound too late"])
def test_deferred_annotations_need_their_names_later_or_never(name: str) -> None:
    assert named(NAMES[name][0], "from __future__ import annotations\n" + CHECKED) == ""


def test_deferred_annotations_still_need_their_names() -> None:
    assert "Unknown" in named("def pair(self, x: Unknown):", "from __future__ import annotations\n" + CHECKED)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return Late", ""),
        ("return Typed", "Typed is not defined in the module when it is called"),
        ("return torch", "torch is not defined in the module when it is called"),
        ("from stack.t import torch\n    return torch", ""),
        ("return [x for x in self.language_model.pair()]", ""),
    ],
)
def test_names_in_the_body(body: str, said: str) -> None:
    assert named("def pair(self):", body=body) == said


def test_a_star_import_may_bind_anything() -> None:
    assert named("def pair(self, x: Unknown):", "from stack.t import *\n" + CHECKED) == ""


def test_names_of_the_function_around_the_class() -> None:
    before = "def make(kind):\n    made = 1\n    class Wrapper:\n        x = 1\n"
    body = "        def pair(self, k=kind, m=made):\n            return self.language_model.pair()\n"
    place = replace(EDIT.shims[0].place, name="make.<locals>.Wrapper")
    shim = replace(EDIT.shims[0], place=place, text=body)
    edit = FileChange(EDIT.path, before.encode(), (before + body).encode(), (shim,))
    found = failures(check(edit))
    assert "names" not in found
    assert "in place" not in found


DEFAULTS = {
    "same import": ("x=LIMIT", "from stack.config import LIMIT", True),
    "relative import of the same": ("x=LIMIT", "from ..config import LIMIT", True),
    "imported from where it is defined": ("x=LIMIT", "LIMIT = 3", False),
    "other import": ("x=LIMIT", "from stack.other import LIMIT", False),
    "under another name": ("x=LIMIT", "from stack.config import MOST as LIMIT", False),
    "attribute of the same module": ("x=typing.Any", "import typing", True),
    "attribute of another module": ("x=typing.Any", "import typing_extensions as typing", False),
    "not there": ("x=LIMIT", "", False),
    "builtin": ("x=len", "", True),
    "builtin that is replaced": ("x=len", "def len(x): return 1", False),
    "conditional": ("x=LIMIT", "try:\n    from stack.config import LIMIT\nexcept ImportError:\n    LIMIT = 1", False),
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_default_means_the_same_in_both_modules(name: str) -> None:
    default, source, same = DEFAULTS[name]
    made = gap("take", provider(f"(self, {default})"))
    edit = change(made, f"def take(self, {default}):\n    return self.language_model.take(x)")
    tree = memory_tree({edit.path: edit.before, FULL.path: source.encode()})
    found = failures(static(tree, edit, served([made])))
    assert ("defaults" in found) != same


def test_a_default_that_the_provider_defines_itself() -> None:
    made = gap("take", provider("(self, x=MOST)"))
    text = "def take(self, x=MOST):\n    return self.language_model.take(x)"
    edit = change(made, text, "from .full import MOST\n" + MODULE)
    tree = memory_tree({edit.path: edit.before, FULL.path: b"MOST = 3\n"})
    assert failures(static(tree, edit, served([made]))) == {}
