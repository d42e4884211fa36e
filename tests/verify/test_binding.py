"""Binding of call shapes, against Python itself."""

from __future__ import annotations

import pytest

from shimgen.model.binding import mismatch
from shimgen.model.domain import MemberKind
from shimgen.model.facts import CallShape
from tests.verify.made import params, provider

BINDINGS = {
    "fits": ("(a, b=1)", CallShape(1), ""),
    "by name": ("(a, b=1)", CallShape(0, ("b", "a")), ""),
    "too many": ("(a, b=1)", CallShape(3), "3 positional arguments for 2 parameters"),
    "too many for *args": ("(a, *rest)", CallShape(3), ""),
    "twice": ("(a, b=1)", CallShape(1, ("a",)), "a is passed twice"),
    "unknown": ("(a)", CallShape(1, ("z",)), "there is no parameter z"),
    "unknown for **kwargs": ("(a, **more)", CallShape(1, ("z",)), ""),
    "missing": ("(a, b)", CallShape(1), "b is missing"),
    "missing keyword-only": ("(a, *, k)", CallShape(1), "k is missing"),
    "keyword-only by position": ("(a, *, k)", CallShape(2), "2 positional arguments for 1 parameters"),
    "star may fill": ("(a, b)", CallShape(1, (), star=True), ""),
    "star fills no keyword-only": ("(*, k)", CallShape(0, (), star=True), "k is missing"),
    "double star may fill": ("(a, *, k)", CallShape(0, (), double_star=True), ""),
    "double star fills no positional-only": ("(a, /)", CallShape(0, (), double_star=True), "a is missing"),
    "positional-only by name": ("(a, /)", CallShape(0, ("a",)), "there is no parameter a"),
    "positional-only name into **kwargs": ("(a, /, **more)", CallShape(0, ("a",)), "a is missing"),
    "both": ("(a, /, **more)", CallShape(1, ("a",)), ""),
}


@pytest.mark.parametrize("name", BINDINGS)
def test_binding_is_what_python_says(name: str) -> None:
    signature, shape, expected = BINDINGS[name]
    assert mismatch(params(signature), shape) == expected
    if not shape.star and not shape.double_star:
        arguments = ["None"] * shape.positional + [f"{k}=None" for k in shape.keywords]
        scope: dict[str, object] = {}
        try:
            exec(f"def f{signature}: pass\nf({', '.join(arguments)})", scope)  # noqa: S102  the table above
        except TypeError:
            assert expected
        else:
            assert not expected


@pytest.mark.parametrize(
    ("signature", "kind", "names"),
    [
        ("(self, a, *rest)", MemberKind.METHOD, "a rest"),
        ("(*rest, k)", MemberKind.METHOD, "rest k"),
        ("(cls, a)", MemberKind.CLASSMETHOD, "a"),
        ("(a, b)", MemberKind.STATICMETHOD, "a b"),
    ],
)
def test_what_a_caller_fills(signature: str, kind: MemberKind, names: str) -> None:
    """`def m(*rest)` takes its own object among the rest."""
    assert " ".join(param.name for param in provider(signature, kind).taken) == names
