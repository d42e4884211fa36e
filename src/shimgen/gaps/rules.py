"""The rules that a forward must pass, in order. Each returns a refusal or None; what cannot be shown is refused.

Each has its case files under tests/cases/gaps; docs/decisions.md is made of them.
"""

from __future__ import annotations

from collections.abc import Callable

from shimgen.gaps.asked import asked_of_itself
from shimgen.gaps.bodies import body_meaning, bypass
from shimgen.gaps.case import Case, by_hand
from shimgen.gaps.decorators import opaque
from shimgen.gaps.gathered import gathered
from shimgen.gaps.hollow import hollow
from shimgen.gaps.hooks import hook
from shimgen.gaps.kept import other_object
from shimgen.gaps.names import carried_names
from shimgen.gaps.passing import set_by_name, set_in_passing
from shimgen.gaps.selfbound import binds_itself
from shimgen.gaps.state import state
from shimgen.model.binding import binds, common_params, same_signature
from shimgen.model.calling import definition, holds_plain, is_plain
from shimgen.model.construction import construction, handed
from shimgen.model.domain import CALLABLE, MemberKind, Refusal, Site, SiteKind
from shimgen.model.facts import Expr, Param
from shimgen.model.reason import Reason


def judge(case: Case) -> Refusal | None:
    """The first rule that speaks against forwarding, None when all are passed."""
    for rule in RULES:
        refusal = rule(case)
        if refusal is not None:
            return refusal
    return None


def _known_delegate(case: Case) -> Refusal | None:
    why = case.wrapper.delegate.unclear
    return Refusal(Reason.UNKNOWN_DELEGATE, {"why": why}, by_hand(case)) if why else None


def _not_remade(case: Case) -> Refusal | None:
    """What changes a class as a whole may give it the member, or another one in its place."""
    for ref in (case.wrapper.cls, *case.wrapper.delegate.candidates):
        detail = case.members.remade(ref, case.member)
        if detail is not None:
            return Refusal(Reason.REMADE, detail, by_hand(case))
    return None


def _provided(case: Case) -> Refusal | None:
    """Every candidate must have a member of the class, or a probe would lie on some of them. A property can give what
    is asked of the object: it is absent to every probe where the delegate has nothing to give, not even a stub."""
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
    kinds = {provider.kind for provider in case.providers}
    stub = any(definition(case.program, case.program.mro(c).classes, case.member) for c, _ in lacking)
    if not stub and (kinds == {MemberKind.METHOD} or kinds.isdisjoint(CALLABLE)):
        return None
    names = ", ".join(c.name for c, _ in lacking)
    return Refusal(Reason.PARTIAL, {"lacking": names}, by_hand(case))


def _kind(case: Case) -> Refusal | None:
    kinds = {p.kind for p in case.providers}
    if MemberKind.OTHER in kinds:
        return Refusal(Reason.KIND, {"kind": "member that is there under a condition"}, by_hand(case))
    if len({k in CALLABLE for k in kinds}) > 1 or (kinds & CALLABLE and len(kinds) > 1):
        return Refusal(Reason.KINDS, {"kinds": ", ".join(sorted(kinds))}, by_hand(case))
    site = _replaced(case) if kinds & CALLABLE else ""
    if site:
        return Refusal(Reason.KIND, {"kind": f"method that {site} replaces"}, by_hand(case))
    site = set_by_name(case.program, case.wrapper.cls, _chain(case), Expr("const", "None"))
    if site:
        return Refusal(Reason.KIND, {"kind": f"value that {site} sets to None"}, by_hand(case))
    for provider in case.providers:
        for decorator in opaque(case.program, provider.cls.path, provider.decorators):
            return Refusal(Reason.DECORATED, {"decorator": f"@{decorator}"}, by_hand(case))
    return None


def _chain(case: Case) -> str:
    return f"{case.wrapper.delegate.attribute}.{case.member}"


def _replaced(case: Case) -> str:
    """Where something else is put in the place of a method of the delegate, which may take other arguments."""
    site = set_by_name(case.program, case.wrapper.cls, _chain(case))
    for candidate in case.wrapper.delegate.candidates if not site else ():
        finding = case.program.find(candidate, "__getattribute__")
        own = finding[0].at(finding[1].line) if finding is not None else ""
        site = site or own or set_in_passing(case.program, candidate, case.member)
    return site


def _signatures(case: Case) -> Refusal | None:
    first = case.providers[0]
    for other in case.providers[1:]:
        if first.flavour != other.flavour:
            return Refusal(Reason.KINDS, {"kinds": f"{first.flavour or 'plain'}, {other.flavour or 'plain'}"})
    if first.kind not in CALLABLE:
        return None
    shared = common_params([p.params for p in case.providers])
    asked = case.demand.asking(SiteKind.SIGNATURE)
    narrowed = any(not same_signature(p.params, first.params) for p in case.providers)
    if shared is None or (narrowed and (asked or not _binds_everywhere(case, shared))):
        texts = ", ".join(dict.fromkeys(f"{p.candidate.name}{p.signature}" for p in case.providers))
        return Refusal(Reason.SIGNATURES, {"signatures": texts}, by_hand(case))
    return None


def _binds_everywhere(case: Case, params: tuple[Param, ...]) -> bool:
    """Whether every call of the engine fits `params`, which hold what all candidates share."""
    own = params if case.providers[0].kind is MemberKind.STATICMETHOD else params[1:]
    return all(s.shape is None or s.ambiguous or binds(s.shape, own) for s in case.demand.sites)


def _calls_bind(case: Case) -> Refusal | None:
    for provider in case.providers:
        for site in case.demand.asking(SiteKind.CALL, SiteKind.CLASS):
            if site.shape is None:
                continue
            if provider.kind in CALLABLE and not binds(site.shape, provider.taken):
                detail = {"site": site.place, "signature": provider.signature}
                return Refusal(Reason.BINDING, detail, "follow the signature change of the engine by hand")
            if provider.kind is MemberKind.PROPERTY and site.kind is SiteKind.CALL:
                return None
    return None


def _not_shadowed(case: Case) -> Refusal | None:
    """A member that the wrapper itself sets in some method would fight with a forward."""
    attribute = case.program.attributes(case.wrapper.cls).get(case.member)
    if attribute is not None:
        return Refusal(Reason.SHADOWS, {"site": attribute.owner.at(attribute.line)}, by_hand(case))
    site = set_in_passing(case.program, case.wrapper.cls, case.member)
    return Refusal(Reason.SHADOWS, {"site": site}, by_hand(case)) if site else None


def _not_assigned(case: Case) -> Refusal | None:
    """A setter hands a literal on. nn.Module asks none for a module, and keeps a literal out of a module's place."""
    plain = all(p.setter and holds_plain(case.program, p.candidate, case.member) for p in case.providers)
    site = next((s for s in case.changed_at if not (plain and _is_literal(s))), None)
    if site is None:
        return None
    advice = f"{by_hand(case)}, and see to modules: nn.Module keeps an assigned one itself and asks no setter"
    return Refusal(Reason.ASSIGNED, {"site": site.place}, advice)


def _is_literal(site: Site) -> bool:
    return site.kind is SiteKind.WRITE and site.value is not None and is_plain(site.value)


def _class_level(case: Case) -> Refusal | None:
    """A member that is asked of the class must be there on the class, and get the delegate's config."""
    asked = case.demand.asking(SiteKind.CLASS)
    kind = case.providers[0].kind
    if kind in (MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD):
        params = case.providers[0].params[kind is MemberKind.CLASSMETHOD :]
        made = construction(case.program, case.wrapper.delegate)
        shown = made is not None and all(handed(case.program, made, param) is not None for param in params)
        return None if shown or not params else Refusal(Reason.CONFIG, {}, by_hand(case))
    behind = len(case.wrapper.delegate.candidates)
    if asked and kind is MemberKind.CLASS_ATTRIBUTE and behind > 1:
        what = f"member of the class, while {behind} classes may stand behind self.{case.wrapper.delegate.attribute}"
        return Refusal(Reason.KIND, {"kind": what}, by_hand(case))
    if asked and kind is not MemberKind.CLASS_ATTRIBUTE:
        site = asked[0].place
        return Refusal(Reason.KIND, {"kind": f"{kind} that {site} asks of the class"}, by_hand(case))
    if asked and binds_itself(case.program, case.providers[0].cls, case.member):
        what = f"function or another descriptor that {asked[0].place} asks of the class"
        return Refusal(Reason.KIND, {"kind": what}, by_hand(case))
    return None


def _no_mark(case: Case) -> Refusal | None:
    """A class that says True of itself was found able to do something; one around it has more parts."""
    values = [
        attribute.value
        for provider in case.providers
        for attribute in case.program.cls(provider.cls).attributes
        if attribute.name == case.member and provider.kind is MemberKind.CLASS_ATTRIBUTE
    ]
    return Refusal(Reason.MARK, {}, by_hand(case)) if Expr("const", "True") in values else None


def _name_space(case: Case) -> Refusal | None:
    """Names below a wrapper begin with the delegate's attribute; what takes or gives names cannot pass through."""
    evidence = next(carried_names(case), "")
    if not evidence:
        return None
    prefix = f"{case.wrapper.delegate.attribute}."
    return Refusal(Reason.NAME_SPACE, {"evidence": evidence}, f"strip and add the prefix {prefix!r} by hand")


def _of_its_class(case: Case) -> Refusal | None:
    """A delegate to which somebody gives another class is no longer what it was made as."""
    own = ((candidate, "__class__") for candidate in case.wrapper.delegate.candidates)
    for ref, chain in ((case.wrapper.cls, f"{case.wrapper.delegate.attribute}.__class__"), *own):
        site = set_by_name(case.program, ref, chain)
        if site:
            why = f"{site} gives it another"
            return Refusal(Reason.UNKNOWN_DELEGATE, {"why": why}, by_hand(case))
    return None


RULES: tuple[Callable[[Case], Refusal | None], ...] = (
    _known_delegate,
    _not_remade,
    _provided,
    hollow,
    gathered,
    _not_shadowed,
    _kind,
    _signatures,
    _calls_bind,
    _class_level,
    _no_mark,
    other_object,
    bypass,
    body_meaning,
    hook,
    _name_space,
    _not_assigned,
    asked_of_itself,
    state,
    _of_its_class,
)
