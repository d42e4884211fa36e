"""Whether a wrapper's forward hands back what its delegate gives, as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shimgen.model.calling import definition, is_super
from shimgen.model.domain import ClassRef, Wrapper
from shimgen.model.facts import Expr, Function
from shimgen.model.profile import Profile
from shimgen.model.program import Program


def not_handed_back(program: Program, profile: Profile, wrapper: Wrapper) -> str:
    """The place of a forward that may return something else than what a run of the delegate gave, "" for none.

    What a declared interface changes in the result of the delegate must arrive at the engine.
    """
    order = program.mro(wrapper.cls).classes
    places = (_changed(program, wrapper, member, order) for member in profile.models.forward_members)
    return next(filter(None, places), "")


def _changed(program: Program, wrapper: Wrapper, member: str, order: Sequence[ClassRef]) -> str:
    """The place of the first definition in `order` that changes the result, or of one above that it hands on."""
    found = definition(program, order, member)
    if found is None:
        return wrapper.cls.at()
    owner, function = found
    held = f"{function.first}.{wrapper.delegate.attribute}"
    names = (held, *_aliases(function, held))
    values = [value for result in function.results for value in _alternatives(result)]
    own = [value for value in values if not _is_above(value, member)]
    if not values or not all(_is_run(value, names) for value in own):
        return owner.at(function.line)
    return "" if own == values else _changed(program, wrapper, member, order[order.index(owner) + 1 :])


def _alternatives(value: Expr) -> Iterator[Expr]:
    if value.op == "choice":
        for part in value.parts:
            yield from _alternatives(part)
    else:
        yield value


def _is_above(value: Expr, member: str) -> bool:
    """Whether a value is what `super().member(...)` gives."""
    callee = value.parts[0] if value.op == "call" else value
    return callee.op == "attr" and callee.text == member and is_super(callee.parts[0]) and not callee.parts[0].parts[1:]


def _is_run(value: Expr, names: tuple[str, ...]) -> bool:
    """Whether a value is the result of calling the delegate or something inside it."""
    callee = value.parts[0].text if value.op == "call" and value.parts[0].op == "name" else ""
    return any(callee == name or callee.startswith(f"{name}.") for name in names)


def _aliases(function: Function, held: str) -> Iterator[str]:
    """Local names that hold nothing but the delegate or something inside it."""
    stores: dict[str, list[Expr | None]] = {}
    for store in function.stores:
        if "." not in store.target:
            stores.setdefault(store.target, []).append(store.value)
    for name, values in stores.items():
        inside = (
            v is not None and v.op == "name" and (f"{v.text}.".startswith((f"{held}.", f"{name}."))) for v in values
        )
        if all(inside):
            yield name
