"""The sandbox tells an assembled member that keeps its recipe's promise from one that does not."""

from __future__ import annotations

import pytest

from shimgen.verify.cases import Case
from shimgen.verify.process import execute

PROMISE: dict[str, object] = {
    "parameters": ["embed", "head"],
    "names": ["torch"],
    "returns": [],
    "writes": {"model.embed.weight": "embed", "lm_head.weight": "head"},
}
PAIR: dict[str, object] = {
    "parameters": [],
    "names": [],
    "returns": ["model.embed.weight", "lm_head.weight"],
    "writes": {},
}
GUARD = (
    "  if getattr(self, 'model', None) is None:\n"
    "   raise AttributeError(f'{self.__class__.__name__} has no m here: its model is missing')\n"
)


def failed(body: str, recipe: dict[str, object], optional: bool = False) -> set[str]:
    """The checks that a member `m` with this body fails."""
    parameters = recipe["parameters"]
    assert isinstance(parameters, list)
    source = f"class W(shimgen_base):\n def m({', '.join(['self', *parameters])}):\n{body}"
    case = Case("W", "m", source, "method", "model", optional, False, (), {}, (), False, False, {}, recipe)
    (results,) = execute([case])
    assert results
    return {r.check for r in results if not r.passed}


@pytest.mark.parametrize(
    ("body", "recipe", "wrong"),
    [
        ("  return self.model.embed.weight, self.lm_head.weight\n", PAIR, set()),
        ("  return self.lm_head.weight, self.model.embed.weight\n", PAIR, {"returns"}),
        ("  return self.model.embed.weight\n", PAIR, {"returns"}),
        ("  self.model.embed.weight, self.lm_head.weight\n", PAIR, {"returns"}),
        ("  self.model.embed.weight = embed\n  self.lm_head.weight = head\n  torch.cuda.sync()\n", PROMISE, set()),
        ("  self.model.embed.weight = head\n  self.lm_head.weight = embed\n", PROMISE, {"writes"}),
        ("  self.model.embed.weight = embed\n", PROMISE, {"writes"}),
        ("  self.model.embed.weight = embed\n  self.lm_head.weight = head\n  return 1\n", PROMISE, {"returns"}),
        ("  self.embed.weight = embed\n  self.lm_head.weight = head\n", PROMISE, {"returns", "writes"}),
    ],
)
def test_a_promise_is_kept_or_not(body: str, recipe: dict[str, object], wrong: set[str]) -> None:
    assert failed(body, recipe) == wrong


def test_an_optional_body_needs_the_guard() -> None:
    body = "  return self.model.embed.weight, self.lm_head.weight\n"
    assert failed(GUARD + body, PAIR, optional=True) == set()
    assert failed(body, PAIR, optional=True) == {"none"}
