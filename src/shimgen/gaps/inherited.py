"""What a new base would give a class: an order of bases that Python accepts, and methods that work there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shimgen.gaps.contract import Contract
from shimgen.gaps.members import Members
from shimgen.model.domain import ClassRef, Wrapper
from shimgen.model.facts import Function
from shimgen.model.program import Program, is_protocol, merged

_CLOSED = frozenset(("typing.Generic", "typing.Protocol", "typing_extensions.Generic", "typing_extensions.Protocol"))


def base_does_not_fit(program: Program, ref: ClassRef, contract: Contract) -> str:
    """Why a protocol cannot be the last base of `ref`, "" when it can be; and of its heirs:
    Python must find an order for their bases, in which the protocol hides nothing that they had."""
    facts = program.cls(ref)
    if facts.keywords:
        return f"its class statement passes {', '.join(facts.keywords)}"
    named = [part.parts[0] if part.op == "item" else part for part in facts.bases]
    if any(program.resolve(ref.path, part.text).name in _CLOSED for part in named):
        return "no base can follow its last ones"
    for heir in program.model_classes():
        if ref in program.mro(heir).classes:
            order = _order(program, heir, ref, contract.protocol)
            hidden = next((name for name in contract.names if _is_hidden(program, heir, order, name)), "")
            if not order:
                return f"Python finds no order for the bases of {heir.name} then"
            if hidden:
                return f"{heir.name} would find {contract.protocol.name}.{hidden} before what it has"
    return ""


def _order(program: Program, cls: ClassRef, ref: ClassRef, base: ClassRef) -> tuple[ClassRef, ...]:
    """The MRO of a class once `base` is the last base of `ref`, () when there is none."""
    texts = [part.parts[0].text if part.op == "item" else part.text for part in program.cls(cls).bases]
    parents = [r for text in texts if text and (r := program.resolve(cls.path, text).ref) is not None and r != cls]
    mros = (program.mro(parent).classes for parent in parents)
    orders = [_order(program, m[0], ref, base) if ref in m else m for m in mros]
    if not all(orders):
        return ()
    return merged(cls, [*orders, program.mro(base).classes] if cls == ref else orders)


def _is_hidden(program: Program, cls: ClassRef, order: Sequence[ClassRef], name: str) -> bool:
    """Whether a class that has the member for real would find another one first, be it a stub."""
    old = next((c for c in program.mro(cls).classes if _defines(program, c, name, stubs=False)), None)
    return old is not None and old != next((c for c in order if _defines(program, c, name, stubs=True)), None)


def _defines(program: Program, cls: ClassRef, name: str, stubs: bool) -> bool:
    facts = program.cls(cls)
    return any(f.name == name and (stubs or not f.stub) for f in facts.functions) or any(
        a.name == name and a.value is not None for a in facts.attributes
    )


def body_serves(program: Program, members: Members, wrapper: Wrapper, contract: Contract, member: str) -> bool:
    """Whether a method that a protocol gives does on the wrapper what it does on its delegate.

    Either it works on members of the protocol alone, which the wrapper has from its delegate; or it looks for the
    delegate itself, under names that lead to it. A method that keeps something on its own object does neither.
    """
    function = contract.bodies[member][1]
    own = f"{function.first}."
    if not function.first or any(store.target.startswith(own) for store in function.stores):
        return False
    probed = frozenset(_probed(function, own))
    heads = {read.chain.removeprefix(own).partition(".")[0] for read in function.reads if read.chain.startswith(own)}
    if heads and heads <= contract.brought | contract.values:
        return True
    there = {name for name in heads | probed if members.look(wrapper.cls, name).provider is not None}
    leads = all(_leads_to_delegate(program, wrapper, name) for name in there)
    return bool(there) and leads and heads - there <= probed


def _probed(function: Function, own: str) -> Iterator[str]:
    """The names that a function looks for on its own object before it uses them."""
    for call in function.calls:
        callee, *arguments = call.expr.parts
        if callee.text in ("hasattr", "getattr") and len(arguments) > 1 and f"{arguments[0].text}." == own:
            yield arguments[1].literal


def _leads_to_delegate(program: Program, wrapper: Wrapper, name: str) -> bool:
    """Whether an attribute is the delegate, or a method of that name returns it; a protocol's own method does."""
    attribute = wrapper.delegate.attribute
    if name == attribute:
        return True
    found = program.find(wrapper.cls, name)
    if found is None or not found[1].params:
        return False
    if is_protocol(program, found[0]):
        return True
    chain = f"{found[1].first}.{attribute}"
    return bool(found[1].returned) and all(value.text == chain for value in found[1].returned)
