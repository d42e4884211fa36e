"""Forwards of random signatures are proven, and each with one argument wrong is caught."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shimgen.model.domain import FileChange
from tests.verify.made import change, failures, gap, provider, sandboxed

DEFAULTS = st.sampled_from(
    ["None", "0", "0.5", "-1", "'text'", "b''", "()", "[1, 2]", "{'k': 1}", "LIMIT", "LIMIT.most"]
)
KINDS = {"": "", "async": "await "}


@dataclass(frozen=True)
class Random:
    """A signature as source, and the arguments that forward it."""

    signature: str
    arguments: tuple[str, ...]
    flavour: str

    def edit(self, path: str, arguments: tuple[str, ...]) -> FileChange:
        """The edit whose shim passes `arguments`."""
        word = "async " if self.flavour else ""
        call = f"{KINDS[self.flavour]}self.language_model.m({', '.join(arguments)})"
        text = f"{word}def m{self.signature}:\n    return {call}"
        return change(gap("m", provider(self.signature, flavour=self.flavour)), text, path=path)


@st.composite
def signatures(draw: st.DrawFn) -> Random:
    """All kinds of parameters, with defaults wherever Python allows them."""
    count = [draw(st.integers(0, 2)) for _ in range(3)]
    names = iter("abcdefgh")
    positional = [next(names) for _ in range(count[0] + count[1])]
    optional = draw(st.integers(0, len(positional)))
    texts = [
        name if number < len(positional) - optional else f"{name}={draw(DEFAULTS)}"
        for number, name in enumerate(positional)
    ]
    arguments = list(positional)
    if count[0]:
        texts.insert(count[0], "/")
    keywords = [next(names) for _ in range(count[2])]
    if draw(st.booleans()):
        texts.append("*rest")
        arguments.append("*rest")
    elif keywords:
        texts.append("*")
    texts += [k if draw(st.booleans()) else f"{k}={draw(DEFAULTS)}" for k in keywords]
    arguments += [f"{k}={k}" for k in keywords]
    if draw(st.booleans()):
        texts.append("**more")
        arguments.append("**more")
    slash = ["self", *texts]
    return Random(f"({', '.join(slash)})", tuple(arguments), draw(st.sampled_from(sorted(KINDS))))


def broken(arguments: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The arguments with each one missing, each one replaced, and neighbours by position exchanged."""
    found = [arguments[:n] + arguments[n + 1 :] for n in range(len(arguments))]
    for number, argument in enumerate(arguments):
        name, is_keyword, _ = argument.partition("=")
        wrong = f"{name}=None" if is_keyword else "None"
        if not argument.startswith("*"):
            found.append((*arguments[:number], wrong, *arguments[number + 1 :]))
    plain = [n for n, a in enumerate(arguments) if a.isidentifier()]
    for one, two in pairwise(plain):
        swapped = list(arguments)
        swapped[one], swapped[two] = swapped[two], swapped[one]
        found.append(tuple(swapped))
    return found


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
@given(st.lists(signatures(), min_size=10, max_size=10))
def test_right_forwards_pass_and_wrong_ones_fail(made: list[Random]) -> None:
    right = [r.edit(f"right {n}", r.arguments) for n, r in enumerate(made)]
    wrong = [r.edit(f"wrong {n}.{m}", args) for n, r in enumerate(made) for m, args in enumerate(broken(r.arguments))]
    proofs = sandboxed(right + wrong)
    assert failures([p for p in proofs if p.wrapper.path.startswith("right")]) == {}
    caught = {p.wrapper.path for p in proofs if not p.passed}
    assert [w.path for w in wrong if w.path not in caught] == []
