"""The miniature of nn.Module behaves as torch documents it, where a shim could notice."""

from __future__ import annotations

import pytest

from shimgen.verify.box.torchlike import Module, Parameter, Tensor


class Failing(Module):
    """A module whose property raises."""

    @property
    def inner(self) -> object:
        raise AttributeError("words that get lost")


class Settable(Module):
    """A module with a property of its own."""

    @property
    def head(self) -> object:
        return "from the property"

    @head.setter
    def head(self, value: object) -> None:
        raise AssertionError("not asked")


def test_what_is_assigned_is_registered_and_listed() -> None:
    outer, inner = Module(), Module()
    inner.weight = Parameter()
    inner.register_buffer("scale", Tensor())
    outer.inner, outer.bias, outer.note = inner, Parameter(), "plain"
    assert [name for name, _ in outer.named_parameters()] == ["bias", "inner.weight"]
    assert list(outer.state_dict()) == ["bias", "inner.weight", "inner.scale"]
    assert [name for name, _ in outer.named_modules()] == ["", "inner"]
    assert outer.inner is inner
    assert vars(outer)["note"] == "plain"
    assert "inner" not in vars(outer)


def test_a_property_that_raises_ends_in_getattr() -> None:
    with pytest.raises(AttributeError, match="'Failing' object has no attribute 'inner'"):
        _ = Failing().inner
    assert not hasattr(Failing(), "inner")


def test_a_module_goes_past_a_property_setter() -> None:
    made, child = Settable(), Module()
    made.head = child
    assert vars(made)["_modules"]["head"] is child
    assert getattr(made, "head") == "from the property"  # noqa: B009  the checker takes it for a Module here


def test_a_name_has_one_place() -> None:
    made = Module()
    made.x = "plain"
    made.x = Module()
    assert "x" not in vars(made)
    made.x = Parameter()
    assert "x" not in vars(made)["_modules"]


@pytest.mark.parametrize("held", [Module(), Parameter()])
def test_a_registered_name_takes_none_and_nothing_else(held: object) -> None:
    made = Module()
    made.x = held
    with pytest.raises(TypeError, match="cannot assign"):
        made.x = "plain"
    made.x = None
    assert made.x is None
    assert list(made.named_parameters()) == []


def test_a_buffer_takes_tensors() -> None:
    made, tensor = Module(), Tensor()
    made.register_buffer("scale", None)
    made.scale = tensor
    assert made.scale is tensor
    with pytest.raises(TypeError, match="as buffer"):
        made.scale = "plain"


def test_deleting() -> None:
    made = Module()
    made.x, made.y = Module(), "plain"
    del made.x, made.y
    assert not hasattr(made, "x")
    assert not hasattr(made, "y")
    with pytest.raises(AttributeError):
        del made.x


def test_assignment_before_init() -> None:
    made = Module.__new__(Module)
    with pytest.raises(AttributeError, match=r"before Module\.__init__"):
        made.x = Module()
