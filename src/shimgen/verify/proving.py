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

    def apart() -> tuple[Proof, ...]:
        serving = served(before)
        shown: list[Proof] = []
        cases: list[Prepared] = []
        for change in changes:
            shown += static(tree, change, serving)
            cases += prepare(change)
        return (*shown, *sandbox(cases))

    with workers.aside(lambda: msgspec.msgpack.encode(apart())) as result:
        after = reanalyse(tree.replace({change.path: change.after for change in changes}))
        sent = result()
    proofs = msgspec.msgpack.decode(sent, type=tuple[Proof, ...]) if sent is not None else apart()
    broken = tuple(proof for proof in proofs if proof.check == "compiles" and not proof.passed)
    return broken or (*proofs, *closed(changes, after, before))
