"""All that is shown of a series before it is given out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

from shimgen import workers
from shimgen.model.domain import FileChange, Gap, Shim
from shimgen.model.results import Proof
from shimgen.model.source import Tree
from shimgen.source import read
from shimgen.verify.cases import Case, UnsafeError, case
from shimgen.verify.members import NotFoundError, member
from shimgen.verify.process import STANDARD, Limits, execute
from shimgen.verify.reanalysis import Served, closed, served, static


def prove(
    tree: Tree, changes: Sequence[FileChange], reanalyse: Callable[[Tree], Sequence[Gap]], before: Sequence[Gap]
) -> tuple[Proof, ...]:
    """Proofs of every shim in `changes`, edits of `tree`, whose gaps were `before`.

    `reanalyse` gives the gaps of the patched tree. Meanwhile another process, where there is one, looks at each file
    and runs each shim; this one takes part in it afterwards. Of a tree that does not compile nothing else is said.
    """
    serving, shares = served(before), [share for share in (changes[::2], changes[1::2]) if share]
    after: list[Gap] = []

    def shown(number: int) -> tuple[Proof, ...]:
        return _shown(tree, shares[number], serving)

    def first() -> None:
        after.extend(reanalyse(tree.replace({change.path: change.after for change in changes})))

    made = workers.shared_out(len(shares), shown, tuple[Proof, ...], workers.available(), first)
    everything = tuple(proof for proofs in made for proof in proofs)
    broken = tuple(proof for proof in everything if proof.check == "compiles" and not proof.passed)
    return broken or (*everything, *closed(changes, after, before))


def _shown(tree: Tree, changes: Sequence[FileChange], serving: Served) -> tuple[Proof, ...]:
    """What some of the files show by themselves; each is parsed once."""
    proofs, cases = list[Proof](), list[Prepared]()
    for change in changes:
        proofs += static(tree, change, serving)
        cases += prepare(change)
    return (*proofs, *sandbox(cases))


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
