"""C3 as Python computes it, on random hierarchies."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shimgen.model.domain import ClassRef
from shimgen.model.program import linearise, merged


@given(st.lists(st.lists(st.integers(0, 7), max_size=3, unique=True), min_size=1, max_size=8))
def test_orders_are_those_of_python(bases: list[list[int]]) -> None:
    made: dict[int, type] = {}
    orders: dict[int, tuple[ClassRef, ...]] = {}
    for number, numbers in enumerate(bases):
        parents = [n for n in numbers if n in made]
        ref = ClassRef("a.py", f"C{number}")
        order = merged(ref, [orders[n] for n in parents])
        try:
            made[number] = type(f"C{number}", tuple(made[n] for n in parents), {})
        except TypeError:
            assert order == ()
            assert set(linearise(ref, [orders[n] for n in parents])) >= {ref}
            continue
        orders[number] = order
        assert [c.name for c in order] == [c.__name__ for c in made[number].__mro__[:-1]]
