"""The rules that a forward must pass, in order. Each returns a refusal or None; what cannot be shown is refused.

The rules are those of the design, section 5; each has a case family under tests/cases/gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shimgen.gaps.binding import binds, same_signature
from shimgen.gaps.classlevel import projection
from shimgen.gaps.members import Lookup, Members
from shimgen.gaps.names import carried_names
from shimgen.gaps.reach import Effects, Reach
from shimgen.model.domain import Demand, MemberKind, Provider, Reason, SiteKind, Wrapper
from shimgen.model.facts import Expr, Function
from shimgen.model.profile import Profile
from shimgen.model.program import Program

CALLABLE = frozenset({MemberKind.METHOD, MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD})
# Decorators that change how the body runs and not what binds: the forward reaches the decorated member.
TRANSPARENT = frozenset(
    {"property", "classmethod", "staticmethod", "cached_property", "functools.cached_property"}
    | {"abstractmethod", "abc.abstractmethod", "final", "typing.final", "override", "typing.override"}
    | {"torch.no_grad", "torch.no_grad()", "torch.inference_mode", "torch.inference_mode()"}
    | {"contextmanager", "contextlib.contextmanager"}
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a forward is not emitted; `detail` fills the reason's sentence, `advice` is what a person could do."""

    reason: Reason
    detail: dict[str, str] = field(default_factory=dict)
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One gap under decision."""

    program: Program
    profile: Profile
    members: Members
    reach: Reach
    wrapper: Wrapper
    demand: Demand
    lookups: tuple[Lookup, ...]

    @property
    def member(self) -> str:
        return self.demand.member

    @property
    def providers(self) -> tuple[Provider, ...]:
        return tuple(lookup.provider for lookup in self.lookups if lookup.provider is not None)


def judge(case: Case) -> Refusal | None:
    """The first rule that speaks against forwarding, None when all are passed."""
    for rule in RULES:
        refusal = rule(case)
        if refusal is not None:
            return refusal
    return None


def _known_delegate(case: Case) -> Refusal | None:
    delegate = case.wrapper.delegate
    if delegate.unknown or not delegate.candidates:
        why = delegate.unknown or "no class is assigned to it"
        return Refusal(Reason.UNKNOWN_DELEGATE, {"why": why}, _by_hand(case))
    return None


def _provided(case: Case) -> Refusal | None:
    """Every candidate must have a member that is called, or a probe would lie on some of them."""
    lacking = [
        (c, found)
        for c, found in zip(case.wrapper.delegate.candidates, case.lookups, strict=True)
        if found.provider is None
    ]
    if not lacking:
        return None
    candidate, found = lacking[0]
    if found.covered or found.uncertain or found.external:
        base = found.external or found.uncertain or f"{candidate.name}.__getattr__"
        return Refusal(Reason.EXTERNAL, {"base": base})
    if len(lacking) == len(case.lookups):
        return Refusal(Reason.ABSENT, {}, f"implement {case.member} on {candidate.name} first")
    if all(p.kind not in CALLABLE for p in case.providers):
        return None  # a property that raises AttributeError is absent to every probe
    names = ", ".join(c.name for c, _ in lacking)
    return Refusal(Reason.PARTIAL, {"lacking": names}, _by_hand(case))


def _kind(case: Case) -> Refusal | None:
    kinds = {p.kind for p in case.providers}
    if MemberKind.OTHER in kinds:
        return Refusal(Reason.KIND, {"kind": "member of a kind that is not known"}, _by_hand(case))
    if len({k in CALLABLE for k in kinds}) > 1 or (kinds & CALLABLE and len(kinds) > 1):
        return Refusal(Reason.KINDS, {"kinds": ", ".join(sorted(kinds))}, _by_hand(case))
    for provider in case.providers:
        for decorator in provider.decorators:
            if decorator not in TRANSPARENT and not decorator.endswith(".setter"):
                return Refusal(Reason.DECORATED, {"decorator": f"@{decorator}"}, _by_hand(case))
    return None


def _signatures(case: Case) -> Refusal | None:
    first = case.providers[0]
    for other in case.providers[1:]:
        if first.kind in CALLABLE and not same_signature(first.params, other.params):
            texts = f"{first.candidate.name}{first.signature}, {other.candidate.name}{other.signature}"
            return Refusal(Reason.SIGNATURES, {"signatures": texts}, _by_hand(case))
        if first.flavour != other.flavour:
            return Refusal(Reason.KINDS, {"kinds": f"{first.flavour or 'plain'}, {other.flavour or 'plain'}"})
    return None


def _calls_bind(case: Case) -> Refusal | None:
    for provider in case.providers:
        params = provider.params if provider.kind is MemberKind.STATICMETHOD else provider.params[1:]
        for site in case.demand.sites:
            if site.shape is None or site.ambiguous or site.kind not in (SiteKind.CALL, SiteKind.CLASS):
                continue
            if provider.kind in CALLABLE and not binds(site.shape, params):
                detail = {"site": f"{site.path}:{site.line}", "signature": provider.signature}
                return Refusal(Reason.BINDING, detail, "follow the signature change of the engine by hand")
            if provider.kind is MemberKind.PROPERTY and site.kind is SiteKind.CALL:
                return None
    return None


def _not_shadowed(case: Case) -> Refusal | None:
    """A member that the wrapper itself sets in some method would fight with a forward."""
    attribute = case.program.attributes(case.wrapper.cls).get(case.member)
    if attribute is None:
        return None
    return Refusal(Reason.SHADOWS, {"site": f"{attribute.owner.path}:{attribute.line}"}, _by_hand(case))


def _not_assigned(case: Case) -> Refusal | None:
    writes = [s for s in case.demand.sites if s.kind in (SiteKind.WRITE, SiteKind.DELETE) and not s.ambiguous]
    if not writes or all(s.role == "draft" for s in writes):
        return None
    site = next(s for s in writes if s.role != "draft")
    return Refusal(Reason.ASSIGNED, {"site": f"{site.path}:{site.line}"}, "forward the assignment by hand, in a setter")


def _class_level(case: Case) -> Refusal | None:
    """A member that is asked of the class must be there on the class, and get the delegate's config."""
    asked = [s for s in case.demand.sites if s.kind is SiteKind.CLASS and not s.ambiguous]
    kind = case.providers[0].kind
    if kind in (MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD):
        params = case.providers[0].params[kind is MemberKind.CLASSMETHOD :]
        shown = len(params) == 1 and projection(case.program, case.wrapper.delegate, params[0].name)
        return None if shown else Refusal(Reason.CONFIG, {}, _by_hand(case))
    if asked and (kind is not MemberKind.CLASS_ATTRIBUTE or len(case.providers) > 1):
        site = f"{asked[0].path}:{asked[0].line}"
        return Refusal(Reason.KIND, {"kind": f"{kind} that {site} asks of the class"}, _by_hand(case))
    return None


def _bypass(case: Case) -> Refusal | None:
    """Another way to run the model on a batch: the wrapper's own forward embeds images and the like before that."""
    needed = set(case.profile.models.body_parameters)
    for provider in case.providers:
        if needed and needed <= {param.name for param in provider.params}:
            advice = f"write {case.member} on {case.wrapper.cls.name} after its own forward"
            return Refusal(Reason.BYPASS, {}, advice)
    return None


def _body_meaning(case: Case) -> Refusal | None:
    """The engine speaks to full models; a body's method of that name may take what the full model has translated.

    It is the same when a full model over the same body hands its own arguments on as they came, or when that is what
    full models over other bodies do.
    """
    if case.wrapper.delegate.shape != "body":
        return None
    for provider in case.providers:
        if provider.kind is not MemberKind.METHOD or len(provider.params) < 2:
            continue
        effects = case.reach.effects(provider.candidate, case.member)
        if (effects.writes or effects.mutates) and not (_handed_on_as_is(case, provider) or _is_custom(case)):
            return Refusal(Reason.BODY_MEANING, {}, _by_hand(case))
    return None


def _handed_on_as_is(case: Case, provider: Provider) -> bool:
    """Whether a full model of the checkout answers the member by passing its arguments to the same body."""
    for ref in case.program.model_classes():
        for name, attribute in case.program.attributes(ref).items():
            if provider.candidate in attribute.types or provider.cls in attribute.types:
                found = case.program.find(ref, case.member)
                if found is not None and _passes_on(found[1], name, case.member):
                    return True
    return False


def _is_custom(case: Case) -> bool:
    """Whether full models that answer the member over a body with it, two at least, all hand their arguments on."""
    handed: list[bool] = []
    for ref in case.program.model_classes():
        own = [f for f in case.program.cls(ref).functions if f.name == case.member and not f.stub]
        attributes = case.program.attributes(ref) if own else {}
        bodies = [(name, attributes[name].types) for name in case.profile.models.body_attributes if name in attributes]
        with_it = [name for name, types in bodies if any(case.program.find(t, case.member) for t in types)]
        handed += [_passes_on(own[-1], name, case.member) for name in with_it]
    return len(handed) > 1 and all(handed)


def _passes_on(function: Function, attribute: str, member: str) -> bool:
    """A body that is nothing but self.<attribute>.<member>(its own parameters, in their order)."""
    own, *rest = [p.name for p in function.params] or [""]
    target = f"{own}.{attribute}.{member}"
    calls = [call for call in function.calls if call.expr.parts[0].text == target]
    if function.stores or len(function.calls) != 1 or len(calls) != 1 or calls[0].expr.keys:
        return False
    return [part.text for part in calls[0].expr.parts[1:]] == rest


def _hook(case: Case) -> Refusal | None:
    """A hook may run where nothing ran, or once more than before: it must run as often as on the delegate alone."""
    if case.member not in case.profile.hooks:
        return None
    reached = _hook_in_wrapper(case)
    alone = [_hook_in_delegate(case, provider) for provider in case.providers]
    if not reached or all(alone):
        return None
    site = next(iter(case.demand.sites))
    why = f"{case.wrapper.cls.name} already runs it at {reached} when it loads weights, which the delegate does not"
    return Refusal(Reason.HOOK, {"site": f"{site.path}:{site.line}", "why": why}, _by_hand(case))


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
    switched = [f"{s.path}:{s.line}" for s in case.demand.sites if s.kind is SiteKind.CALL and s.role != "draft"]
    notes = [f"switches on the calls at {', '.join(switched)}"] if switched else []
    reached = _hook_in_wrapper(case)
    inner = next((p for provider in case.providers if (p := _hook_in_delegate(case, provider))), "")
    if reached:
        notes.append(f"{case.wrapper.cls.name} runs it at {reached} too when it loads weights, as {inner} does below")
    else:
        notes.append(f"nothing else of {case.wrapper.cls.name} runs it")
    return tuple(notes)


def _name_space(case: Case) -> Refusal | None:
    """Names below a wrapper begin with the delegate's attribute; what takes or gives names cannot pass through."""
    evidence = next(carried_names(case), "")
    if not evidence:
        return None
    prefix = f"{case.wrapper.delegate.attribute}."
    return Refusal(Reason.NAME_SPACE, {"evidence": evidence}, f"strip and add the prefix {prefix!r} by hand")


def _state(case: Case) -> Refusal | None:
    """What the member writes must be read on the path that the wrapper's forward really takes."""
    for provider in case.providers:
        effects = case.reach.effects(provider.candidate, case.member)
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
        reader = path.own.get(name)
        attribute = own.get(name)
        if attribute is None or not reader or name == case.wrapper.delegate.attribute:
            continue
        if name in written or _is_built(case.program, attribute.owner.path, attribute.value):
            detail = {"written": name, "reader": reader}
            return Refusal(Reason.TWO_STATES, detail, f"let one of the two hold {name}, and write {case.member} for it")
    return None


def _is_built(program: Program, path: str, value: Expr | None) -> bool:
    """Whether an attribute's value is a fresh instance of a class, rather than a copy or a configuration."""
    if value is None or value.op != "call" or value.parts[0].op != "name":
        return False
    target = program.resolve(path, value.parts[0].text)
    return target.kind == "class" or (target.kind == "external" and target.name.rpartition(".")[2][:1].isupper())


def _dead_write(case: Case, provider: Provider, effects: Effects) -> Refusal | None:
    """Running the delegate as a whole reads what it always reads; a path that runs parts of it may not."""
    if not effects.writes:
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
                return Refusal(Reason.FORWARD_UNKNOWN, {"why": path.unknown, "written": chain}, _by_hand(case))
            return Refusal(
                Reason.DEAD_WRITE, {"written": chain}, f"write {case.member} for the path that forward takes"
            )
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


def _by_hand(case: Case) -> str:
    return f"write {case.member} on {case.wrapper.cls.name} by hand"


RULES: tuple[Callable[[Case], Refusal | None], ...] = (
    _known_delegate,
    _provided,
    _not_shadowed,
    _kind,
    _signatures,
    _calls_bind,
    _class_level,
    _bypass,
    _body_meaning,
    _hook,
    _name_space,
    _not_assigned,
    _state,
)
