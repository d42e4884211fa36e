"""All that is shown of a series before it is given out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shimgen import workers
from shimgen.model.domain import FileChange, Gap
from shimgen.model.results import Proof
from shimgen.model.source import Tree
from shimgen.verify.reanalysis import Served, closed, served, static
from shimgen.verify.sandboxing import Prepared, prepare, sandbox


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
