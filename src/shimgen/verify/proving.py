"""All that is shown of a series before it is given out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from shimgen import workers
from shimgen.model.domain import FileChange, Gap
from shimgen.model.proof import Proof
from shimgen.model.source import Tree
from shimgen.verify.reanalysis import closed, served, static
from shimgen.verify.sandboxing import prepare, sandbox


def prove(
    tree: Tree, changes: Sequence[FileChange], reanalyse: Callable[[Tree], Sequence[Gap]], before: Sequence[Gap]
) -> tuple[Proof, ...]:
    """Proofs of every shim in `changes`, edits of `tree`, whose gaps were `before`.

    `reanalyse` gives the gaps of the patched tree. Meanwhile another process, where there is one, looks at each file,
    and one more runs each shim. Of a tree that does not compile nothing else is said.
    """

    def executed() -> tuple[Proof, ...]:
        return sandbox([case for change in changes for case in prepare(change)])

    def looked_at() -> tuple[Proof, ...]:
        serving = served(before)
        return tuple(proof for change in changes for proof in static(tree, change, serving))

    with _meanwhile(executed) as shims, _meanwhile(looked_at) as files:
        after = reanalyse(tree.replace({change.path: change.after for change in changes}))
        proofs = (*files(), *shims())
    broken = tuple(proof for proof in proofs if proof.check == "compiles" and not proof.passed)
    return broken or (*proofs, *closed(changes, after, before))


@contextmanager
def _meanwhile(show: Callable[[], tuple[Proof, ...]]) -> Iterator[Callable[[], tuple[Proof, ...]]]:
    """What `show` gives, from another process where there can be one."""
    with workers.aside(lambda: msgspec.msgpack.encode(show())) as result:

        def shown() -> tuple[Proof, ...]:
            sent = result()
            return msgspec.msgpack.decode(sent, type=tuple[Proof, ...]) if sent is not None else show()

        yield shown
