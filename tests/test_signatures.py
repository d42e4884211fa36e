"""One signature for several candidates: what is shared, what may be left out, and where there is none."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from shimgen.model.binding import common_params
from shimgen.model.domain import Decision, render_signature
from shimgen.model.facts import Param
from shimgen.shims import generate
from shimgen.syntax import parameters
from tests.stack import analyse, index
from tests.support import CASES, load_case
from tests.verify.made import sandboxed


def params(text: str) -> tuple[Param, ...]:
    node = ast.parse(f"def f{text}: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    return parameters(node.args)


@pytest.mark.parametrize(
    ("signatures", "shared"),
    [
        (["(self, a)", "(self, a)"], "(self, a)"),
        (["(self, a: int)", "(self, a: str)"], "(self, a)"),
        (["(self, a=1)", "(self, a=1)"], "(self, a=1)"),
        (["(self, a=1)", "(self, a=2)"], "(self, a)"),
        (["(self, a, b=1)", "(self, a)"], "(self, a)"),
        (["(self, a=1, b=1)", "(self, a=1, b=2)"], "(self, a, b)"),
        (["(self, a, *, k=1)", "(self, a, *, k=1, j=2)"], "(self, a, *, k=1)"),
        (["(self, *, k, j=1)", "(self, *, j=1, k)"], "(self, *, k, j=1)"),
        (["(self, *args, **kw)", "(self, *args)"], "(self, *args)"),
        (["(self, a=1, *args)", "(self, *args)"], "(self)"),
        (["(self, a, /)", "(self, a, /)"], "(self, a, /)"),
        (["(self, a)", "(self, b)"], None),
        (["(self, a)", "(self)"], None),
        (["(self, a, b)", "(self, b, a)"], None),
        (["(self, a, /)", "(self, a)"], None),
        (["(self, *, k)", "(self)"], None),
        (["(self, a)", "(self, *, a)"], None),
    ],
)
def test_what_signatures_share(signatures: list[str], shared: str | None) -> None:
    for order in (signatures, signatures[::-1]):
        found = common_params([params(text) for text in order])
        if shared is None:
            assert found is None
        else:
            assert found is not None
            assert sorted(render_signature(found)) == sorted(shared)


@pytest.mark.parametrize("name", ["compatible_signatures", "defaults_differ_and_given", "same_signatures"])
def test_the_shared_signature_is_proven_on_every_candidate(name: str) -> None:
    case = load_case(Path(CASES / "gaps" / f"{name}.case"))
    gaps = [gap for gap in analyse(case.files)[2] if gap.decision is Decision.FORWARD]
    changes, refused = generate(gaps, index(case.files), lambda path: case.files[path])
    assert changes
    assert not refused
    proofs = sandboxed(changes)
    assert proofs
    assert [proof for proof in proofs if not proof.passed] == []
