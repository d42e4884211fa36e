"""Hooks: members that a probe switches on, and that something else may run already."""

from __future__ import annotations

from shimgen.gaps.case import Case, by_hand
from shimgen.model.domain import Provider, Refusal, SiteKind
from shimgen.model.reason import Reason


def hook(case: Case) -> Refusal | None:
    """A hook may run where nothing ran, or once more than before: it must run as often as on the delegate alone."""
    if case.member not in case.profile.hooks:
        return None
    reached = _hook_in_wrapper(case)
    alone = [_hook_in_delegate(case, provider) for provider in case.providers]
    if not reached or all(alone):
        return None
    site = next(iter(case.demand.sites))
    why = f"{case.wrapper.cls.name} already runs it at {reached} when it loads weights, which the delegate does not"
    return Refusal(Reason.HOOK, {"site": site.place, "why": why}, by_hand(case))


def _hook_in_wrapper(case: Case) -> str:
    """Where the wrapper's own loading of weights runs the delegate's hook, "" when it does not."""
    loads = case.profile.models.load_members
    runs = case.reach.path(case.wrapper.cls, case.wrapper.delegate.attribute, loads).runs
    for run, place in runs.items():
        if run == case.member:
            return place
        for provider in case.providers:
            if case.member in case.reach.effects(provider.candidate, run).methods:
                return place
    return ""


def _hook_in_delegate(case: Case, provider: Provider) -> str:
    """Where the delegate's own loading of weights runs its hook, "" when it does not."""
    effects = (case.reach.effects(provider.candidate, load) for load in case.profile.models.load_members)
    return next((e.methods[case.member] for e in effects if case.member in e.methods), "")


def hook_notes(case: Case) -> tuple[str, ...]:
    """What a person should know of a hook that is emitted: what it switches on, and what runs it besides."""
    if case.member not in case.profile.hooks:
        return ()
    switched = [s.place for s in case.demand.sites if s.kind is SiteKind.CALL and s.role != "draft"]
    notes = [f"switches on the calls at {', '.join(switched)}"] if switched else []
    reached = _hook_in_wrapper(case)
    inner = next((p for provider in case.providers if (p := _hook_in_delegate(case, provider))), "")
    if reached:
        notes.append(f"{case.wrapper.cls.name} runs it at {reached} too when it loads weights, as {inner} does below")
    else:
        notes.append(f"nothing else of {case.wrapper.cls.name} runs it")
    return tuple(notes)
