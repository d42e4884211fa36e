"""A declared interface that a class takes up: what shows that the class has it, and every way in which it would not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from shimgen.model.domain import ClassRef, Decision, Demand, FileChange, Gap, MemberKind, Provider, Shim
from shimgen.verify import live
from tests.verify.made import FULL, MODULE, WRAPPER, check, failures, gap
from tests.verify.test_live import WRAPPER_SOURCE, checkout

PROTOCOL = ClassRef("stack/models/interfaces.py", "SupportsSpeed", 5)
INTERFACES = """from typing import ClassVar, Protocol, runtime_checkable


@runtime_checkable
class SupportsSpeed(Protocol):
    supports_speed: ClassVar[bool] = True

    def set_speed(self, speed):
        ...
"""
IMPORT = "from stack.models.interfaces import SupportsSpeed\n"
FORWARD = "    def set_speed(self, speed):\n        return self.language_model.set_speed(speed)\n"


def base() -> Gap:
    """The gap of the interface itself, closed by a base."""
    provider = Provider(FULL, PROTOCOL, PROTOCOL.line, MemberKind.BASE)
    demand = Demand(PROTOCOL.name, (), (), PROTOCOL)
    made = replace(gap(PROTOCOL.name, provider), demand=demand, decision=Decision.RECIPE, recipe="adopt")
    return replace(made, protocol=PROTOCOL)


def adopted(before: str, after: str, header: str) -> FileChange:
    shim = Shim(base(), WRAPPER, PROTOCOL.name, f"{header}\n")
    return FileChange(WRAPPER.path, before.encode(), after.encode(), (shim,))


def edited(header: str = "class Wrapper(Module, SupportsSpeed):", imported: str = IMPORT, late: str = "") -> FileChange:
    """The edit that gives the wrapper the base: its header and the import of its name, before or after the class."""
    start = MODULE.replace("from stack.config", f"{imported}from stack.config")
    return adopted(MODULE, start.replace("class Wrapper(Module):", header) + late, header)


def test_a_base_that_stands_and_is_imported_is_proven() -> None:
    assert failures(check(edited())) == {}


@pytest.mark.parametrize(
    ("edit", "name", "said"),
    [
        (edited("class Wrapper(Module):"), "in place", "SupportsSpeed is no base of Wrapper after the change"),
        (edited("class Wrapper(Module, Other):"), "in place", "SupportsSpeed is no base of Wrapper"),
        (edited(imported=""), "in place", "SupportsSpeed is not bound before the class statement runs"),
        (edited(imported="", late=IMPORT), "in place", "SupportsSpeed is not bound before"),
        (edited("class Wrapper(SupportsSpeed, Module):"), "only inserts", ""),
        (edited("class Wrapper(Other, SupportsSpeed):"), "only inserts", ""),
        (edited("class Wrapper(SupportsSpeed):"), "only inserts", ""),
    ],
    ids=["no base", "another base", "not imported", "imported too late", "in front", "in place of one", "alone"],
)
def test_a_base_that_is_not_taken_up_is_caught(edit: FileChange, name: str, said: str) -> None:
    assert said in failures(check(edit))[name]


def test_a_class_that_only_has_the_name_leaves_the_gap_open() -> None:
    """Which class the name means is told by the analysis of the edited tree: it must find the interface."""
    imported = "from stack.models.other import SupportsSpeed\n"
    assert failures(check(edited(imported=imported), after=[base()])).keys() == {"gap closed"}


def asked(folder: Path, header: str, body: str = FORWARD, source: str = INTERFACES) -> dict[str, str]:
    """What fails on the real class."""
    checkout(folder)
    (folder / PROTOCOL.path).write_text(source)
    after = WRAPPER_SOURCE.replace("from stack.models.full", f"{IMPORT}from stack.models.full")
    after = after.replace("class Wrapper(torch.nn.Module):", header).replace(
        "\n\nclass Heir", f"\n{body}\n\nclass Heir"
    )
    return failures(live([adopted(WRAPPER_SOURCE, after, header)], folder, "", sys.executable, ("native",), 60))


def test_the_real_class_says_that_it_supports_the_interface(tmp_path: Path) -> None:
    assert asked(tmp_path, "class Wrapper(torch.nn.Module, SupportsSpeed):") == {}


def test_the_real_class_without_the_base_does_not(tmp_path: Path) -> None:
    """Even where it has every member: support is declared."""
    found = asked(tmp_path, "class Wrapper(torch.nn.Module):")
    assert found == {"live base": "SupportsSpeed is no base of Wrapper once it is imported"}


def test_a_base_that_python_refuses_is_a_failed_import(tmp_path: Path) -> None:
    found = asked(tmp_path, "class Wrapper(SupportsSpeed, torch.nn.Module, SupportsSpeed):")
    assert "duplicate base class" in found["live import"]


def test_an_interface_that_is_gone_is_a_failed_import(tmp_path: Path) -> None:
    found = asked(tmp_path, "class Wrapper(torch.nn.Module, SupportsSpeed):", source="")
    assert "cannot import name 'SupportsSpeed'" in found["live import"]
