"""Forwards that are there and wrong: what they go to is gone, is another kind of member, or takes other arguments."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from shimgen.gaps.decorators import opaque
from shimgen.gaps.drift.chains import Followed, Step
from shimgen.gaps.drift.finding import Context, Finding, a
from shimgen.gaps.drift.through import Through, shape_of
from shimgen.model.binding import binds
from shimgen.model.domain import CALLABLE, ClassRef, MemberKind, Provider, SiteKind, Wrapper
from shimgen.model.facts import Function
from shimgen.model.reason import Reason


class _Use(msgspec.Struct, frozen=True):
    """One use of a chain by a member of a wrapper, with the lookups that it leads to."""

    context: Context
    wrapper: Wrapper
    owner: ClassRef
    function: Function
    through: Through
    followed: Followed

    @property
    def of_delegate(self) -> bool:
        """Whether the chain starts at the delegate, and not at a tower or a layer."""
        return self.through.chain.partition(".")[0] == self.wrapper.delegate.attribute

    @property
    def target(self) -> str:
        """The name that is looked up, or run, last."""
        return self.through.chain.rpartition(".")[2] if "." in self.through.chain else "forward"

    def finding(self, reason: Reason, advice: str, **detail: str) -> Finding:
        place = self.owner.at(self.through.line)
        known = {"owner": self.owner.name, "place": place, "chain": f"self.{self.through.chain}"}
        return Finding(self.wrapper, self.owner, self.function.name, reason, {**known, **detail}, advice)


def wrong_targets(context: Context, wrapper: Wrapper) -> Iterator[Finding]:
    """Findings on the members that instances of the wrapper run."""
    for _, (owner, function) in sorted(context.members.functions(wrapper.cls).items()):
        for through in context.bodies.through(owner, function):
            if through.call is None and not through.forward:
                continue
            followed = context.chains.follow(wrapper.cls, through.chain)
            use = _Use(context, wrapper, owner, function, through, followed)
            gone = list(_gone(use))
            yield from gone or (*_calls(use), *_kinds(use), *_left_out(use))


def _gone(use: _Use) -> Iterator[Finding]:
    """A forward to a name that some candidate of the delegate, or every value of another attribute, does not have.

    Behind a probe that is wrong only when no candidate has it and the method does nothing else.
    """
    followed, through = use.followed, use.through
    if not through.forward or not followed.gone or "." not in through.chain:
        return
    nowhere = followed.sure and all(step.gone for step in followed.last)
    if any(step.holder == use.wrapper.cls for step in followed.gone) and not use.wrapper.entry:
        return  # a base class, whose subclasses assign what it goes through
    if (nowhere and (through.pure or not through.guarded)) or (use.of_delegate and not through.guarded):
        lacking = ", ".join(dict.fromkeys(step.holder.name for step in followed.gone))
        member = use.function.name
        yield use.finding(
            Reason.TARGET_GONE,
            f"take {member} out, or let it go to what {lacking} has today",
            lacking=lacking,
            target=followed.gone[0].name,
        )


def _calls(use: _Use) -> Iterator[Finding]:
    """A call whose arguments the target does not take."""
    call, through = use.through.call, use.through
    if call is None:
        return
    targets = _called(use)
    wrong = [p for p in targets if p.kind in CALLABLE and not binds(shape_of(call), p.taken)]
    everywhere = use.followed.sure and len(wrong) == len(targets)
    if wrong and (everywhere or (use.of_delegate and (through.always or through.forward))):
        yield use.finding(
            Reason.TARGET_BINDING,
            f"call {use.function.name}'s target with what it takes today",
            delegate=f"{wrong[0].cls.name}.{use.target}",
            signature=wrong[0].signature,
        )


def _kinds(use: _Use) -> Iterator[Finding]:
    """A call of a value that cannot be called, or a method that is handed back where its result was meant."""
    through, last = use.through, use.followed.last
    if through.call is not None:
        values = [step for step in last if use.context.chains.is_value(step.holder, step.name)]
        if values:
            yield _other_kind(use, values[0], "calls", f"read self.{through.chain} instead of calling it")
        return
    methods = [s for s in last if s.lookup.provider is not None and s.lookup.provider.kind is MemberKind.METHOD]
    meant = through.forward and use.target == use.function.name and (use.function.kind == "method" or _is_read(use))
    if meant and methods and len(methods) == len(last):
        yield _other_kind(use, methods[0], "reads", f"call self.{through.chain} where its result is meant")


def _other_kind(use: _Use, step: Step, does: str, advice: str) -> Finding:
    kind = a(step.lookup.provider.kind) if step.lookup.provider is not None else ""
    return use.finding(Reason.TARGET_KIND, advice, does=does, delegate=step.holder.name, kind=kind)


def _is_read(use: _Use) -> bool:
    """Whether the engine takes a property for a value: it reads the member and calls it nowhere."""
    demand = use.context.demands.get(use.function.name)
    kinds = {site.kind for site in demand.sites} if demand is not None and use.function.kind == "property" else set()
    return SiteKind.READ in kinds and SiteKind.CALL not in kinds


def _called(use: _Use) -> list[Provider]:
    """The functions that a call runs: methods, or the forward of an object that is called itself."""
    found: list[Provider] = []
    for step in use.followed.last:
        provider = step.lookup.provider
        if provider is not None and provider.kind in CALLABLE:
            if "." in use.through.chain and not _is_wrapped(use.context, provider):
                found.append(provider)
        elif provider is not None and provider.kind is MemberKind.INSTANCE:
            types, _ = use.context.chains.types(step.holder, step.name)
            found += _forwards(use.context, types)
    return found


def _forwards(context: Context, types: tuple[ClassRef, ...]) -> Iterator[Provider]:
    for ref in types:
        if context.program.find(ref, "__call__") is None:
            provider = context.members.look(ref, "forward").provider
            if provider is not None and provider.kind is MemberKind.METHOD and not _is_wrapped(context, provider):
                yield provider


def _is_wrapped(context: Context, provider: Provider) -> bool:
    """Whether a decorator may take other arguments than the function."""
    return any(opaque(context.program, provider.cls.path, provider.decorators))


def _left_out(use: _Use) -> Iterator[Finding]:
    """A parameter that the forward takes, never mentions, and that every target takes too."""
    through, function = use.through, use.function
    whole = use.target == function.name or through.pure
    if through.call is None or not function.unused or not whole or not (use.of_delegate and use.followed.sure):
        return
    targets = _called(use)
    for name in function.unused:
        takers = [p for p in targets if any(q.name == name and q.kind in ("pos", "kwonly") for q in p.taken)]
        if takers and len(takers) == len(targets):
            yield use.finding(
                Reason.NOT_PASSED_ON,
                f"hand {name} on, or take it out of the signature",
                parameter=name,
                delegate=f"{takers[0].cls.name}.{use.target}",
            )
