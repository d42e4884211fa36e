"""One gap -> the member that closes it, as the fields of a template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from shimgen.model.domain import Gap, MemberKind, Provider, Reason, SiteKind, render_signature
from shimgen.model.facts import Param
from shimgen.model.program import Program
from shimgen.shims.marker import marker
from shimgen.shims.refusal import RefusedError, no_place
from shimgen.shims.scopes import Scope
from shimgen.shims.signature import Origin, Signature, annotation, arguments, default, shared

CALLED = frozenset({MemberKind.METHOD, MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD})
_READ = frozenset({MemberKind.PROPERTY, MemberKind.CACHED_PROPERTY, MemberKind.INSTANCE, MemberKind.CLASS_ATTRIBUTE})


@dataclass(frozen=True, slots=True)
class Draft:
    """What a template needs: its name and its fields. `detail` is what the gap's evidence gains by it."""

    template: str
    fields: dict[str, object]
    detail: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setting:
    """What surrounds a member: the program, the scope it is defined in, where its provider stands, and how wide a
    comment may be."""

    program: Program
    scope: Scope
    origin: Origin
    width: int


def draft(gap: Gap, providers: Sequence[Provider], setting: Setting) -> Draft:
    """The member for a gap whose delegate's candidates have these providers. Raises RefusedError."""
    kinds = {p.kind for p in providers}
    if gap.member.startswith("__"):
        raise RefusedError(Reason.KIND, {"kind": "name with two leading underscores"})
    if kinds <= _READ:
        return _property(gap, providers, setting)
    if len(kinds) > 1:
        raise RefusedError(Reason.KINDS, {"kinds": ", ".join(sorted(kinds))})
    if MemberKind.METHOD in kinds:
        return _method(gap, providers, setting)
    raise RefusedError(Reason.KIND, {"kind": providers[0].kind.value})


def _method(gap: Gap, providers: Sequence[Provider], setting: Setting) -> Draft:
    """A generator is handed on as the very object that the delegate makes: it stays lazy, and what is sent, thrown
    or closed arrives. Only a coroutine function stays one, since engines ask for that."""
    signature = shared(providers)
    awaits = {p.flavour == "async" for p in providers}
    if len(awaits) > 1:
        raise RefusedError(Reason.KINDS, {"kinds": "async method, method"})
    fields = _common(gap, providers, setting, signature.own, [p.name for p in signature.params])
    fields |= {"awaits": awaits == {True}, **written(signature, setting)}
    return Draft("method", fields)


def _property(gap: Gap, providers: Sequence[Provider], setting: Setting) -> Draft:
    writes = _sites(gap, SiteKind.WRITE)
    deletes = _sites(gap, SiteKind.DELETE)
    settable = all(p.setter or p.kind is MemberKind.INSTANCE for p in providers)
    if (writes and not settable) or (deletes and any(p.kind is not MemberKind.INSTANCE for p in providers)):
        raise RefusedError(Reason.ASSIGNED, {"site": (writes + deletes)[0]})
    returns = providers[0].returns if len({p.returns for p in providers}) == 1 else None
    returned = annotation(returns, setting.origin, setting.scope, setting.program)
    fields = _common(gap, providers, setting, "self", ["value"])
    fields |= {"setter": bool(writes), "deleter": bool(deletes), "returns": f" -> {returned}" if returned else ""}
    return Draft("property", fields)


def written(signature: Signature, setting: Setting) -> dict[str, object]:
    """The parameter list and the arguments, in words that the wrapper's module understands. Raises RefusedError."""

    def here(function: Callable[..., str | None], what: Param | str | None) -> str | None:
        return function(what, setting.origin, setting.scope, setting.program)

    params = [replace(p, default=here(default, p), annotation=here(annotation, p.annotation)) for p in signature.params]
    if any(p.kind == "kwonly" and p.name.startswith("__") and not p.name.endswith("__") for p in params):
        raise RefusedError(Reason.KIND, {"kind": "method with a keyword-only private parameter"})
    own = [Param(signature.own, signature.own_kind)] if signature.own else []
    text = render_signature((*own, *params), here(annotation, signature.returns))
    return {"signature": text, "arguments": arguments(params)}


def _common(
    gap: Gap, providers: Sequence[Provider], setting: Setting, own: str, taken: Sequence[str]
) -> dict[str, object]:
    """The fields that all members on an instance share."""
    delegate = gap.wrapper.delegate
    needed = {"getattr", "AttributeError"} if delegate.optional else set()
    _check_builtins(needed | ({"property"} if own == "self" else set()), taken, setting.scope)
    chain = f"self.{delegate.attribute}"
    local = "delegate"
    while local in (*taken, own):
        local += "_"
    return {
        "marker": marker(chain, (p.cls.name.rpartition(".")[2] for p in providers), setting.width),
        "member": gap.member,
        "own": own,
        "attribute": delegate.attribute,
        "optional": delegate.optional,
        "local": local,
        "taken": _taken(own, delegate.attribute.split("."), gap.wrapper.delegate.owner.name),
        "target": local if delegate.optional else f"{own}.{delegate.attribute}",
    }


def _taken(own: str, parts: Iterable[str], owner: str) -> str:
    """The expression for a delegate that may be absent. A private name is written as the class mangles it."""
    text = own
    cls = owner.rpartition(".")[2].lstrip("_")
    for part in parts:
        private = part.startswith("__") and not part.endswith("__") and cls
        text = f'getattr({text}, "{f"_{cls}" if private else ""}{part}", None)'
    return text


def _check_builtins(needed: Iterable[str], taken: Sequence[str], scope: Scope) -> None:
    for name in sorted(needed):
        if name in taken or scope.means(name) != "builtin":
            raise no_place(f"{name} is not Python's own there")


def _sites(gap: Gap, kind: SiteKind) -> list[str]:
    return [f"{s.path}:{s.line}" for s in gap.demand.sites if s.kind is kind and not s.ambiguous]
