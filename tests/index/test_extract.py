"""What is taken from a file that the engine's demands are looked for in."""

from __future__ import annotations

import pytest

from shimgen.index.extract import definitions_of, search, search_first
from shimgen.profiles import load

PATH = "sglang/srt/model_executor/model_runner.py"
PROBE = b"class ModelRunner:\n    def go(self):\n        return hasattr(self.model, 'start_layer')\n"
READ = b"class ModelRunner:\n    def go(self):\n        return self.model.start_layer\n"


@pytest.mark.parametrize("source", [PROBE, READ, b"x = 1\n", b"self.model.(\n"])
def test_the_first_search_finds_the_same_uses(source: bytes) -> None:
    profile = load("sglang")
    assert search_first(source, PATH, profile)[0] == search(source, PATH, profile)


def test_the_definitions_come_with_a_probe_and_else_not() -> None:
    profile = load("sglang")
    assert search_first(PROBE, PATH, profile)[1] == definitions_of(PROBE)
    assert search_first(READ, PATH, profile)[1] is None
