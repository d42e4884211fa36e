"""C3 linearisation (Python's own method resolution order), over the classes that were found."""

from __future__ import annotations

from shimgen.model.domain import ClassRef


def linearise(ref: ClassRef, parents: list[tuple[ClassRef, ...]]) -> tuple[ClassRef, ...]:
    """The order in which members of `ref` are looked up, given its parents' orders.

    Where C3 has no answer (Python would refuse the class), depth-first order without repetitions is returned.
    """
    order = merged(ref, parents)
    return order or tuple(dict.fromkeys([ref, *(cls for order in parents for cls in order)]))


def merged(ref: ClassRef, parents: list[tuple[ClassRef, ...]]) -> tuple[ClassRef, ...]:
    """As `linearise`, () where Python would refuse the class."""
    queues = [list(order) for order in parents if order]
    queues.append([order[0] for order in parents if order])
    result = [ref]
    while any(queues):
        head = next((q[0] for q in queues if q and not any(q[0] in other[1:] for other in queues)), None)
        if head is None:
            return ()
        result.append(head)
        queues = [[cls for cls in queue if cls != head] for queue in queues]
    return tuple(result)
