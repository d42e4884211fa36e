"""What a class body says twice, and what a constructor copies once and never again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shimgen.gaps.decorators import opaque
from shimgen.gaps.drift.chains import Step, own_chain
from shimgen.gaps.drift.finding import Context, Finding
from shimgen.model.calling import methods, names
from shimgen.model.domain import ClassRef, MemberKind, Wrapper
from shimgen.model.facts import Expr, Function
from shimgen.model.program import Program
from shimgen.model.reason import Reason

_SETTING = frozenset(("assign", "augment", "delete"))


def doubles(context: Context, wrapper: Wrapper) -> Iterator[Finding]:
    """Members that one class body of the wrapper's MRO defines twice, so that the first definition never runs."""
    for owner in context.program.mro(wrapper.cls).classes:
        for name, lines in sorted(_twice(context.program, owner).items()):
            detail = {"owner": owner.name, "place": owner.at(lines[0]), "other": owner.at(lines[1])}
            advice = f"take out the definition of {name} that is not meant"
            yield Finding(wrapper, owner, name, Reason.DUPLICATE, detail, advice)


def _twice(program: Program, owner: ClassRef) -> Mapping[str, tuple[int, int]]:
    """The last two lines of each member that a later definition of the same kind of statement replaces."""
    facts = program.cls(owner)
    found: dict[str, list[int]] = {}
    kept: set[str] = set()
    for function in facts.functions:
        if function.scope or any(opaque(program, owner.path, function.decorators)):
            kept.add(function.name)
        found.setdefault(function.name, []).append(function.line)
    for attribute in facts.attributes:
        if attribute.value is None:
            continue
        if attribute.scope or not _is_closed(attribute.value):
            kept.add(attribute.name)
        kept.update(name.partition(".")[0] for name in names(attribute.value))
        found.setdefault(attribute.name, []).append(attribute.line)
    return {
        name: (sorted(lines)[-2], sorted(lines)[-1])
        for name, lines in found.items()
        if len(lines) > 1 and name not in kept
    }


def _is_closed(value: Expr) -> bool:
    """Whether all names in the value are known, so that it certainly does not use an earlier definition."""
    return value.op != "other" and all(_is_closed(part) for part in value.parts)


def stale_copies(context: Context, wrapper: Wrapper) -> Iterator[Finding]:
    """Attributes that the wrapper's constructor copies out of what it holds, and that their owner sets again later."""
    for name, attribute in sorted(context.program.attributes(wrapper.cls).items()):
        value = attribute.value
        chain = value.text.partition(".")[2] if value is not None and value.op == "name" else ""
        if "." not in chain or not attribute.initial or value is None or not value.text.startswith("self."):
            continue
        if _set_again(context.program, wrapper.cls, name):
            continue
        followed = context.chains.follow(wrapper.cls, chain)
        for step in followed.last:
            site = _changes(context, step)
            if site:
                detail = {
                    "owner": attribute.owner.name,
                    "place": attribute.owner.at(attribute.line),
                    "chain": f"self.{chain}",
                    "delegate": step.holder.name,
                    "site": site,
                }
                advice = f"make {name} a property that reads self.{chain}"
                yield Finding(wrapper, attribute.owner, name, Reason.STALE_COPY, detail, advice)
                break


def _set_again(program: Program, ref: ClassRef, name: str) -> str:
    """Where a method that the constructor does not run assigns `name` of its own object, "" for nowhere."""
    built = _run_by_constructor(program, ref)
    for cls, function in methods(program, ref):
        if function.params and function.name not in built:
            for store in function.stores:
                if store.target == f"{function.first}.{name}" and store.how in _SETTING:
                    return cls.at(store.line)
    return ""


def _run_by_constructor(program: Program, ref: ClassRef) -> frozenset[str]:
    """Names of the methods that the constructors call, and of what those call."""
    functions: dict[str, list[Function]] = {}
    for _, function in methods(program, ref):
        functions.setdefault(function.name, []).append(function)
    seen: set[str] = set()
    queue = ["__init__"]
    while queue:
        name = queue.pop()
        if name not in seen and name in functions:
            seen.add(name)
            callees = (call.expr.parts[0].text for function in functions[name] for call in function.calls)
            queue += [callee.rpartition(".")[2] for callee in callees]
    return frozenset(seen)


def _changes(context: Context, step: Step, depth: int = 4) -> str:
    """Where the value changes after construction: a method sets it, or a property computes it from what one sets."""
    provider = step.lookup.provider
    if provider is None or not depth:
        return ""
    if provider.kind is MemberKind.INSTANCE:
        return _set_again(context.program, step.holder, step.name)
    found = context.program.find(step.holder, step.name)
    if provider.kind is not MemberKind.PROPERTY or found is None:
        return ""
    chain = own_chain(found[1])
    if chain is not None:
        steps = context.chains.follow(step.holder, chain).last
        return next((site for s in steps if (site := _changes(context, s, depth - 1))), "")
    own = found[1].first
    names = [r.chain.split(".")[1] for r in found[1].reads if r.chain.startswith(f"{own}.")]
    return next((site for name in names if (site := _set_again(context.program, step.holder, name))), "")
