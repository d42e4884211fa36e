"""Whether a wrapper's forward hands back what its delegate gives, as it is."""

from __future__ import annotations

from collections.abc import Iterator

from shimgen.model.domain import Wrapper
from shimgen.model.facts import Expr, Function
from shimgen.model.profile import Profile
from shimgen.model.program import Program


def not_handed_back(program: Program, profile: Profile, wrapper: Wrapper) -> str:
    """The place of a forward that may return something else than what a run of the delegate gave, "" for none.

    What a declared interface changes in the result of the delegate must arrive at the engine.
    """
    for member in profile.models.forward_members:
        found = program.find(wrapper.cls, member)
        if found is None:
            return f"{wrapper.cls.path}:{wrapper.cls.line}"
        own = found[1].params[0].name if found[1].params else ""
        held = f"{own}.{wrapper.delegate.attribute}"
        names = (held, *_aliases(found[1], held))
        if not found[1].results or not all(_is_run(value, names) for value in found[1].results):
            return f"{found[0].path}:{found[1].line}"
    return ""


def _is_run(value: Expr, names: tuple[str, ...]) -> bool:
    """Whether a value is the result of calling the delegate or something inside it."""
    if value.op == "choice":
        return all(_is_run(part, names) for part in value.parts)
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
