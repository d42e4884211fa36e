"""Engine code put together at random from the snippets in `engine.txt`."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.execution.snippets import Draw, Writer, body_of_a_method, load

SNIPPETS = load("engine.txt")
MEMBERS = ("depth", "embed", "heads", "layers", "width")
HEAD = """\
import operator
from contextlib import suppress


def use(*args, **kwargs):
    pass


class Loader:
    def helper(self, model):
        return model.width

    def load(self, model, flag):
"""


@st.composite
def engines(draw: Draw) -> str:
    """The source of a file of the engine, whose `Loader().load(model, flag)` uses a model."""
    writer = Writer(draw, SNIPPETS, {"a": MEMBERS, "b": MEMBERS})
    return HEAD + body_of_a_method(writer.block(["model"]))
