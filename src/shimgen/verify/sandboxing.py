"""Executes every shim of a series against recording delegates, in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from shimgen.model.domain import FileChange, Shim
from shimgen.model.results import Proof
from shimgen.source import read
from shimgen.verify.cases import Case, UnsafeError, case
from shimgen.verify.members import NotFoundError, member
from shimgen.verify.process import STANDARD, Limits, execute

Prepared = tuple[Shim, Case | str]
"""A shim with its case, or why it can have none."""


def sandbox(prepared: Sequence[Prepared], limits: Limits = STANDARD, python: str = sys.executable) -> tuple[Proof, ...]:
    """Proofs of the shims, in their order, by `python`. Never raises for what a shim does."""
    results = iter(execute([made for _, made in prepared if isinstance(made, Case)], limits, python))
    proofs: list[Proof] = []
    for shim, made in prepared:
        if isinstance(made, str):
            proofs.append(Proof(shim.place, shim.member, "source", False, made))
        else:
            proofs += [Proof(shim.place, shim.member, r.check, r.passed, r.detail) for r in next(results)]
    return tuple(proofs)


def prepare(change: FileChange) -> Iterator[Prepared]:
    """The shims of a file that can be executed."""
    try:
        after = read(change.after)
    except (SyntaxError, ValueError) as error:
        yield from ((shim, f"{change.path} does not parse: {error}") for shim in change.shims)
        return
    for shim in (s for s in change.shims if not s.gap.takes_base):  # a base has nothing to execute
        try:
            yield shim, case(shim.gap, shim.member, member(shim, after))
        except (NotFoundError, UnsafeError) as error:
            yield shim, str(error)
