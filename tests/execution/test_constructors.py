"""Random constructors, executed: what an attribute is an instance of is known, or known to be unknown.

Hypothesis prints the smallest code that fails. SHIMGEN_EXAMPLES=5000 for a thorough run, of other code each time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace

import pytest
from hypothesis import given, note

from shimgen.index import evaluation, instances
from shimgen.index.frames import Values
from shimgen.model.program import Attribute
from tests.execution.box import Module
from tests.execution.constructors import ATTRIBUTES, HEAD, PARTS, WRAPPERS, constructors
from tests.execution.snippets import body_of_a_method, examples, saying
from tests.stack import index

TRIES = 24


@pytest.fixture(scope="module", autouse=True)
def stand_ins() -> Iterator[None]:
    """Modules by the names that the code imports."""
    with pytest.MonkeyPatch.context() as patch:
        torch, models = ModuleType("torch"), ModuleType("models")
        nn, parts = ModuleType("torch.nn"), ModuleType("models.parts")
        nn.Module = Module  # type: ignore[attr-defined]
        torch.nn, models.parts, models.__path__ = nn, parts, []  # type: ignore[attr-defined]
        for module in (torch, models, nn, parts):
            patch.setitem(sys.modules, module.__name__, module)
        exec(compile(PARTS[1], *PARTS[:1], "exec"), vars(parts))  # noqa: S102  code of our own
        yield


def executed(source: str) -> Iterator[dict[str, str]]:
    """What the attributes of an object are, whichever way its constructor goes: names of classes, "None" or ""."""
    code = compile(source, WRAPPERS, "exec")
    for number in range(TRIES):
        names: dict[str, object] = {"__name__": "models.wrap"}
        exec(code, names)  # noqa: S102
        try:
            made = names["Wrap"](SimpleNamespace(name="ab"[number % 2]), saying(number))  # type: ignore[operator]
        except (AttributeError, KeyError, NameError, TypeError, ValueError):
            continue
        yield {name: _kind(made, name) for name in ATTRIBUTES}


def _kind(made: object, name: str) -> str:
    value = getattr(made, name, "")
    return "None" if value is None else type(value).__qualname__ if value != "" else ""


def faults(source: str) -> set[str]:
    """What the attributes turn out to be and shimgen is sure that they are not."""
    program = index({PARTS[0]: PARTS[1].encode(), WRAPPERS: source.encode()})
    (wrapper,) = (ref for ref in program.classes_of(WRAPPERS) if ref.name == "Wrap")
    known = program.attributes(wrapper)
    found = ((name, kind) for made in executed(source) for name, kind in made.items())
    return {f"{name} is {kind or 'not there'}" for name, kind in found if not _expected(known.get(name), kind)}


def _expected(known: Attribute | None, kind: str) -> bool:
    if known is None:
        return not kind
    if known.unknown or known.externals or (not kind and not known.types):
        return True
    return known.optional if kind in ("", "None") else kind in {ref.name for ref in known.types}


@examples
@given(constructors())
def test_what_an_attribute_is_made_of_is_known(source: str) -> None:
    note(source)
    assert faults(source) == set()


ONE_WAY = "if flag():\n    self.other = B(config)\n"
LEAVES = "if flag():\n    return\nself.other = B(config)\n"
BY_A_CLASS = "self.other = A(config)\nif flag():\n    self.other = C.from_config(config)\n"


@pytest.mark.parametrize(
    ("owner", "name", "wrong", "code", "fault"),
    [
        (instances, "always_assigned", lambda *_: True, ONE_WAY, "other is not there"),
        (instances, "_gone_on", lambda _, step: step.branch, LEAVES, "other is not there"),
        (evaluation.Evaluator, "_method_of_value", lambda *_: Values(), BY_A_CLASS, "other is B"),
    ],
)
def test_a_wrong_analysis_is_caught(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, wrong: object, code: str, fault: str
) -> None:
    lines = ["super().__init__(config, flag)", *code.splitlines()]
    source = f"{HEAD}class Wrap(Base):\n    def __init__(self, config, flag):\n{body_of_a_method(lines)}"
    assert faults(source) == set()
    monkeypatch.setattr(owner, name, wrong)
    assert fault in faults(source)
