"""Constructors put together at random from the snippets in `constructor.txt`."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.execution.snippets import Draw, Writer, body_of_a_method, load

SNIPPETS = load("constructor.txt")
PARTS = "models/parts.py", '''\
import functools

import torch.nn as nn


class A(nn.Module):
    def __init__(self, config):
        super().__init__()

    @classmethod
    def from_config(cls, config):
        return cls(config)

    def to(self, device):
        return self


class B(A):
    def __init__(self, config):
        super().__init__(config)


class C(nn.Module):
    def __init__(self, config, extra=1):
        super().__init__()

    @classmethod
    def from_config(cls, config):
        return B(config)

    def to(self, device):
        return self


def make_a(config):
    return A(config)


def pick(config, flag):
    if flag:
        return B(config)
    made = C(config)
    return made


def made_as(cls, config):
    return cls(config)


TABLE = {"a": A, "b": C}
Alias = B
'''  # fmt: skip
WRAPPERS = "models/wrap.py"
HEAD = '''\
import contextlib
import copy
import functools

import torch.nn as nn

from models import parts
from models.parts import A, B, C, TABLE, Alias, made_as, make_a, pick


def fill(obj, config):
    obj.inner = A(config)


def maybe(flag):
    if flag():
        raise ValueError("maybe")


@contextlib.contextmanager
def open_nothing():
    yield None


class Both(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.first = A(config)
        self.second = None if config.name == "a" else C(config)


class Base(nn.Module):
    kind = B
    make = A

    def __init__(self, config, flag):
        super().__init__()
        self.inner = C(config)

    def build(self, config):
        return C(config)

    def fill_third(self, config):
        self.third = B(config)

    def setup(self, config, cls):
        self.other = cls(config)


class Heir(Base):
    make = C

    def build(self, config):
        return A(config)

    def setup(self, config, cls):
        super().setup(config, B)
        self.third = self.make(config)


'''  # fmt: skip
ABOVE = (
    "super().__init__(config, flag)",
    "super(Wrap, self).__init__(config, flag)",
    "super(Base, self).__init__()",
    "Base.__init__(self, config, flag)",
    "nn.Module.__init__(self)",
)
ATTRIBUTES = ("inner", "other", "third")


@st.composite
def constructors(draw: Draw) -> str:
    """The source of a file whose `Wrap(config, flag)` is made by some statements."""
    writer = Writer(draw, SNIPPETS, {"c": "ABC", "d": "ABC", "x": ATTRIBUTES, "y": ATTRIBUTES})
    base, above = draw(st.sampled_from(("Base", "Heir"))), draw(st.sampled_from(ABOVE))
    head = f"class Wrap({base}):\n    def __init__(self, config, flag):\n"
    return HEAD + head + body_of_a_method([above, *writer.block()])
