"""All that is shown of a series before it is given out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from shimgen import workers
from shimgen.model.domain import FileChange, Gap
from shimgen.model.proof import Proof
from shimgen.model.source import Tree
from shimgen.verify.reanalysis import closed, served, static
from shimgen.verify.sandboxing import Prepared, prepare, sandbox


def prove(
    tree: Tree, changes: Sequence[FileChange], reanalyse: Callable[[Tree], Sequence[Gap]], before: Sequence[Gap]
) -> tuple[Proof, ...]:
    """Proofs of every shim in `changes`, edits of `tree`, whose gaps were `before`.

    `reanalyse` gives the gaps of the patched tree. Meanwhile another process, where there is one, looks at each file
    and runs each shim. Of a tree that does not compile nothing else is said.
    """

    def shown() -> tuple[Proof, ...]:
        serving, proofs, cases = served(before), list[Proof](), list[Prepared]()
        for change in changes:  # both of one file, which is parsed once
            proofs += static(tree, change, serving)
            cases += prepare(change)
        return (*proofs, *sandbox(cases))

    with workers.aside(lambda: msgspec.msgpack.encode(shown())) as sent:
        after = reanalyse(tree.replace({change.path: change.after for change in changes}))
        result = sent()
    proofs = msgspec.msgpack.decode(result, type=tuple[Proof, ...]) if result is not None else shown()
    broken = tuple(proof for proof in proofs if proof.check == "compiles" and not proof.passed)
    return broken or (*proofs, *closed(changes, after, before))
