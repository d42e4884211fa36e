"""State: what a member writes must be read on the path that the wrapper's forward really takes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from shimgen.gaps.case import Case, by_hand
from shimgen.gaps.reach import Effects
from shimgen.model.domain import MemberKind, Provider, Refusal
from shimgen.model.facts import Expr
from shimgen.model.program import Program
from shimgen.model.reason import Reason


def state(case: Case) -> Refusal | None:
    """What the member writes, or the engine to it, must be read on the path that the wrapper's forward really takes."""
    for provider in case.providers:
        effects = case.reach.effects(provider.candidate, case.member)
        if case.changed_at:
            effects = replace(effects, writes={**effects.writes, case.member: case.changed_at[0].place})
        refusal = _two_states(case, effects) or _dead_write(case, provider, effects)
        if refusal is not None:
            return refusal
    return None


def _two_states(case: Case, effects: Effects) -> Refusal | None:
    """The wrapper has a module of the same name, or its forward reads a flag of that name from itself."""
    path = case.reach.path(case.wrapper.cls, case.wrapper.delegate.attribute)
    own = case.program.attributes(case.wrapper.cls)
    written = {chain.partition(".")[0] for chain in effects.writes}
    for name in sorted(written | {chain.partition(".")[0] for chain in effects.reads}):
        reader = path.own.get(name) or (path.unknown if name in written else "")
        attribute = own.get(name)
        if not reader or name == case.wrapper.delegate.attribute:
            continue
        built = attribute is not None and _is_built(case.program, attribute.owner.path, attribute.value)
        if built or (name in written and (attribute is not None or _is_of_class(case, name))):
            detail = {"written": name, "reader": reader}
            return Refusal(Reason.TWO_STATES, detail, f"let one of the two hold {name}, and write {case.member} for it")
    return None


def _is_of_class(case: Case, name: str) -> bool:
    """Whether the wrapper's class itself holds a value of that name."""
    found = case.members.look(case.wrapper.cls, name).provider
    return found is not None and found.kind is MemberKind.CLASS_ATTRIBUTE


def _is_built(program: Program, path: str, value: Expr | None) -> bool:
    """Whether an attribute's value is a fresh instance of a class, rather than a copy or a configuration."""
    if value is None or value.op != "call" or value.parts[0].op != "name":
        return False
    target = program.resolve(path, value.parts[0].text)
    return target.kind == "class" or (target.kind == "external" and target.name.rpartition(".")[2][:1].isupper())


def _dead_write(case: Case, provider: Provider, effects: Effects) -> Refusal | None:
    """Running the delegate as a whole reads what it always reads; a path that runs parts of it may not."""
    if not effects.writes and not effects.mutates:
        return None
    path = case.reach.path(case.wrapper.cls, case.wrapper.delegate.attribute)
    whole = {"", *case.profile.models.forward_members} & set(path.runs)
    bypasses = {run: place for run, place in path.runs.items() if _runs_body(case, provider, run)}
    if whole and not bypasses:
        return None
    read, called = _read_on_path(case, provider, bypasses if whole else path.runs)
    for chain in sorted(effects.writes):
        if not _is_live(chain, read | (set() if whole else path.touched), called):
            if path.unknown and not bypasses:
                return Refusal(Reason.FORWARD_UNKNOWN, {"why": path.unknown, "written": chain}, by_hand(case))
            return Refusal(
                Reason.DEAD_WRITE, {"written": chain}, f"write {case.member} for the path that forward takes"
            )
    if effects.mutates:
        detail = {"why": "it runs only parts of that", "written": f"what {effects.mutates} sets"}
        return Refusal(Reason.FORWARD_UNKNOWN, detail, by_hand(case))
    return None


def _runs_body(case: Case, provider: Provider, run: str) -> bool:
    """Whether a run of this chain hands the batch to the delegate's inside, past the delegate's own forward."""
    head, _, rest = run.partition(".")
    attribute = case.program.attributes(provider.candidate).get(head)
    if rest.rpartition(".")[2] not in ("", *case.profile.models.forward_members) or attribute is None:
        return False
    forwards = (case.program.find(t, m) for t in attribute.types for m in case.profile.models.forward_members)
    needed = set(case.profile.models.body_parameters)
    return any(f is not None and needed <= {p.name for p in f[1].params} for f in forwards)


def _read_on_path(case: Case, provider: Provider, runs: Mapping[str, str]) -> tuple[set[str], set[str]]:
    """Chains of the delegate that are read, and those that are called, when the wrapper's forward runs."""
    effects = Effects()
    for run in runs:
        for member in case.profile.models.forward_members if not run else (run,):
            case.reach.follow_chain(provider.candidate, member, effects)
    return set(effects.reads), set(effects.called)


def _is_live(chain: str, read: set[str], called: set[str]) -> bool:
    """A write to a.b.c lives when a.b.c is read, or a.b or a is handed on as a whole or run as a module whose
    inside is not followed. "a.*" stands for a module that hands itself on as a whole."""
    if any(r == chain or r.startswith(f"{chain}.") for r in read):
        return True
    parts = chain.split(".")
    if "*" in read or any(f"{'.'.join(parts[:n])}.*" in read for n in range(1, len(parts))):
        return True
    prefixes = {".".join(parts[:n]) for n in range(1, len(parts))}
    inside = {r for r in read | called if any(r.startswith(f"{p}.") for p in prefixes)}
    return any(p in read | called and not any(r.startswith(f"{p}.") for r in inside) for p in prefixes)
