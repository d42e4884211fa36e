"""What an expression can stand for, as far as receivers go. A value is a tuple of alternatives."""

from __future__ import annotations

import ast
from typing import TypeAlias

import msgspec


class Model(msgspec.Struct, frozen=True):
    """A model that a rule of the profile reaches; `key` says which one, for probes to be compared."""

    rule: int
    key: str
    ambiguous: bool = False
    cls: bool = False


class ClassName(msgspec.Struct, frozen=True):
    """The name of a model's class, as text."""

    key: str


class Member(msgspec.Struct, frozen=True):
    """A member of a model held in a variable. `default`: source of getattr's default, None when there is none."""

    model: Model
    name: str
    entries: tuple[int, ...] = ()
    default: str | None = None
    probe: str = ""


class Parameters(msgspec.Struct, frozen=True):
    """The signature, or its parameters, of a member."""

    model: Model
    member: str
    receiver: str


class Strings(msgspec.Struct, frozen=True):
    """A string out of a known set: the name in `for name in ("a", "b")`."""

    names: tuple[str, ...]


class Getter(msgspec.Struct, frozen=True):
    """A function that looks up `names` of what it is given: `operator.attrgetter`. With `call` it calls what it finds,
    as that call of `operator.methodcaller` says."""

    names: tuple[str, ...]
    call: ast.Call | None = None


class Text(msgspec.Struct, frozen=True):
    """An object known only by the dotted chain that leads to it."""

    dotted: str


class Row(msgspec.Struct, frozen=True):
    """A tuple or list written out, element by element."""

    values: tuple[Value, ...]


class Items(msgspec.Struct, frozen=True):
    """A sequence whose elements are known."""

    elements: Value


class Returns(msgspec.Struct, frozen=True):
    """A function whose result is known."""

    value: Value


class Fact(msgspec.Struct, frozen=True):
    """A model has a member, because a probe at `entries` of the recorded uses said so.

    `member` "" stands for a test of the whole model. `exact`: says nothing of other members. `raises`: the engine
    raises an error with `message` when the probe says no. `named`: it is known to be of a class that the engine names.
    """

    key: str
    member: str
    text: str
    entries: tuple[int, ...] = ()
    exact: bool = False
    raises: bool = False
    message: str = ""
    named: bool = False


Clause: TypeAlias = frozenset[Fact]


class Side(msgspec.Struct, frozen=True):
    """What holds on one side of a test: members that are there, and clauses of members that are all missing."""

    present: tuple[Fact, ...] = ()
    absent: tuple[Clause, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """What a test says when it is true, and when it is false."""

    yes: Side = Side()
    no: Side = Side()

    def __bool__(self) -> bool:
        return self != NOTHING_KNOWN


NOTHING_KNOWN = Outcome()


class Other(msgspec.Struct, frozen=True):
    """Anything else."""


class Empty(msgspec.Struct, frozen=True):
    """None."""


Binding: TypeAlias = (
    Model | ClassName | Member | Parameters | Strings | Getter | Text | Row | Items | Returns | Outcome | Other | Empty
)
Value: TypeAlias = tuple[Binding, ...]
Environment: TypeAlias = dict[str, Value]

OTHER: Value = (Other(),)
EMPTY: Value = (Empty(),)


def union(*values: Value) -> Value:
    """All alternatives of the values, each once."""
    return tuple(dict.fromkeys(binding for value in values for binding in value))


def models(value: Value) -> tuple[Model, ...]:
    """The models that a value can be, all of them ambiguous when it can be something else too, or something inside."""
    found = [b for b in value if isinstance(b, Model)]
    if not found:
        return ()
    mixed = any(b.ambiguous for b in found) or any(not isinstance(b, Model | Empty) for b in value)
    if not mixed:
        return tuple(found)
    return tuple(dict.fromkeys(msgspec.structs.replace(m, ambiguous=True) for m in found))


def join(one: Environment, other: Environment) -> Environment:
    """The environment where two paths meet. A name that only one path binds keeps its value."""
    joined = {**other, **one}
    for name in one.keys() & other.keys():
        if one[name] != other[name]:
            joined[name] = union(one[name], other[name])
    return joined


def detached(value: Value) -> Value:
    """The value without references to recorded uses, to be kept beyond the function's pass."""
    kept: list[Binding] = []
    for binding in value:
        if isinstance(binding, Member):
            kept.append(msgspec.structs.replace(binding, entries=()))
        elif not isinstance(binding, Outcome):
            kept.append(binding)
    return tuple(kept) or OTHER
