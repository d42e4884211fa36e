"""One gap -> the member that closes it, as the fields of a template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from shimgen.model.construction import Construction, construction, handed
from shimgen.model.domain import Gap, MemberKind, Provider, SiteKind, render_signature
from shimgen.model.facts import Param
from shimgen.model.profile import Recipe
from shimgen.model.program import Program
from shimgen.model.reason import Reason
from shimgen.shims.refusal import RefusedError, no_place
from shimgen.shims.scopes import Scope
from shimgen.shims.signature import Origin, Signature, annotation, arguments, default, shared, spelled

_VALUES = frozenset({MemberKind.PROPERTY, MemberKind.CACHED_PROPERTY, MemberKind.INSTANCE, MemberKind.CLASS_ATTRIBUTE})


class Draft(msgspec.Struct, frozen=True):
    """What becomes text: a template and its fields. `target` is what the marker names, `detail` what the gap's
    evidence gains."""

    template: str
    target: str
    fields: Mapping[str, object]
    detail: Mapping[str, str] = msgspec.field(default_factory=dict)


class Setting(msgspec.Struct, frozen=True):
    """What surrounds a member: the program, the scope it is defined in, and where its signature was written."""

    program: Program
    scope: Scope
    origin: Origin


def draft(gap: Gap, providers: Sequence[Provider], setting: Setting) -> Draft:
    """The member for a gap whose delegate's candidates have these providers. Raises RefusedError."""
    if gap.member.startswith("__"):
        raise RefusedError(Reason.KIND, {"kind": "name with two leading underscores"})
    kinds = {p.kind for p in providers}
    asked = gap.demand.asking(SiteKind.CLASS)
    if kinds == {MemberKind.CLASS_ATTRIBUTE} and asked:
        return _class_attribute(gap, setting)
    if kinds <= _VALUES:
        if asked:
            raise RefusedError(Reason.KIND, {"kind": f"{_named(kinds)} that {asked[0].place} asks of the class"})
        return _property(gap, providers, setting)
    if len(kinds) > 1:
        raise RefusedError(Reason.KINDS, {"kinds": _named(kinds)})
    if MemberKind.METHOD in kinds:
        return _property(gap, providers, setting) if gap.handed else _method(gap, providers, setting)
    if MemberKind.OTHER in kinds:
        raise RefusedError(Reason.KIND, {"kind": "member that is there under a condition"})
    return _class_level(gap, providers, setting)


def _method(gap: Gap, providers: Sequence[Provider], setting: Setting) -> Draft:
    """A generator is handed on as the very object that the delegate makes: it stays lazy, and what is sent, thrown
    or closed arrives. Only a coroutine function stays one, since engines ask for that."""
    signature = _here(shared(providers), gap.member, setting)
    fields = _common(gap, setting, signature.own, [p.name for p in signature.params])
    own = Param(signature.own, signature.own_kind)
    fields |= {
        "awaits": _awaits(providers),
        "signature": render_signature((own, *signature.params), signature.returns),
        "arguments": arguments(signature.params),
    }
    return Draft("method", f"self.{gap.wrapper.delegate.attribute}", fields)


def _property(gap: Gap, providers: Sequence[Provider], setting: Setting) -> Draft:
    writes, deletes = _changes(gap, SiteKind.WRITE), _changes(gap, SiteKind.DELETE)
    settable = all(p.setter or p.kind is MemberKind.INSTANCE for p in providers)
    if (writes and not settable) or (deletes and any(p.kind is not MemberKind.INSTANCE for p in providers)):
        raise RefusedError(Reason.ASSIGNED, {"site": (writes + deletes)[0]})
    returns = providers[0].returns if len({p.returns for p in providers}) == 1 else None
    returns = None if providers[0].kind is MemberKind.METHOD else returns
    returned = annotation(returns, setting.origin, setting.scope, setting.program)
    _check_builtins({"property"}, (), setting.scope)
    fields = _common(gap, setting, "self", ["value"])
    fields |= {"setter": bool(writes), "deleter": bool(deletes), "returns": f" -> {returned}" if returned else ""}
    return Draft("property", f"self.{gap.wrapper.delegate.attribute}", fields)


def _class_level(gap: Gap, providers: Sequence[Provider], setting: Setting) -> Draft:
    """A classmethod or staticmethod asks the delegate's class, since there may be no instance yet."""
    kind = providers[0].kind.value
    signature = _here(shared(providers), gap.member, setting)
    made = construction(setting.program, gap.wrapper.delegate)
    target = _class_name(gap, made, setting.program, setting.scope)
    passed = {p.name: _project(p, made, setting.program) for p in signature.params}
    changed = [text for name, text in passed.items() if text != name]
    hidden = {signature.own, *passed} & {target.partition(".")[0]}
    if len(changed) > 1 or hidden:
        raise RefusedError(Reason.CONFIG, {})
    _check_builtins({kind}, (), setting.scope)
    own = [Param(signature.own, signature.own_kind)] if signature.own else []
    fields = {
        "member": gap.member,
        "kind": kind,
        "awaits": _awaits(providers),
        "target": target,
        "signature": render_signature((*own, *signature.params), signature.returns),
        "arguments": arguments(signature.params, passed),
    }
    return Draft("classlevel", target, fields, {"projection": changed[0]} if changed else {})


def assembled(gap: Gap, recipe: Recipe, setting: Setting) -> Draft:
    """The member that a recipe of the profile gives. Raises RefusedError when the module lacks a name it needs."""
    for name in recipe.names:
        if setting.scope.means(name) != "early" or setting.program.resolve(setting.scope.path, name).name != name:
            raise no_place(f"its module does not import {name}, which the recipe {gap.recipe} needs")
    fields = _common(gap, setting, "self", recipe.parameters)
    code = recipe.code.replace("{delegate}", gap.wrapper.delegate.attribute).strip("\n").splitlines()
    signature = f"({', '.join(('self', *recipe.parameters))})"
    return Draft("recipe", gap.recipe, {**fields, "signature": signature, "code": code})


def _class_attribute(gap: Gap, setting: Setting) -> Draft:
    """The engine reads it from the class: the very object of the delegate's class."""
    written = _changes(gap, SiteKind.WRITE) + _changes(gap, SiteKind.DELETE)
    if written:
        raise RefusedError(Reason.ASSIGNED, {"site": written[0]})
    target = _class_name(gap, construction(setting.program, gap.wrapper.delegate), setting.program, setting.scope)
    return Draft("attribute", target, {"member": gap.member, "target": target})


def _class_name(gap: Gap, made: Construction | None, program: Program, scope: Scope) -> str:
    """The name of the delegate's class in the wrapper's module, bound there before the class statement for sure.

    Raises RefusedError when it has none.
    """
    candidates = gap.wrapper.delegate.candidates
    if len(candidates) != 1:
        behind = f"{len(candidates)} classes may stand behind self.{gap.wrapper.delegate.attribute}"
        raise RefusedError(Reason.KIND, {"kind": f"member of the class, while {behind}"})
    for name in (made.callee if made else "", candidates[0].name):
        early = scope.means(name.partition(".")[0]) == "early"
        if name and early and program.resolve(scope.path, name).ref == candidates[0]:
            return name
    raise no_place(f"above it, {scope.path} binds no name to the one class that {gap.member} is to be asked of")


def _project(param: Param, made: Construction | None, program: Program) -> str:
    """What to pass for a parameter of a class-level member: what the wrapper's constructor makes of it for the
    delegate. What is no configuration is passed as it is. Raises RefusedError."""
    text = handed(program, made, param)
    if text is None:
        raise RefusedError(Reason.CONFIG, {})
    return text


def _here(signature: Signature, member: str, setting: Setting) -> Signature:
    """The signature in words that the wrapper's module understands. Raises RefusedError."""
    origin, scope, program = setting.origin, setting.scope, setting.program
    words = spelled(signature, origin, member)
    params = tuple(
        replace(
            p, default=default(p, origin, scope, program), annotation=annotation(p.annotation, origin, scope, program)
        )
        for p in words.params
    )
    if any(p.kind == "kwonly" and p.name.startswith("__") and not p.name.endswith("__") for p in params):
        raise RefusedError(Reason.KIND, {"kind": "method with a keyword-only private parameter"})
    return Signature(signature.own, signature.own_kind, params, annotation(words.returns, origin, scope, program))


def _common(gap: Gap, setting: Setting, own: str, taken: Sequence[str]) -> dict[str, object]:
    """The fields that all members on an instance share."""
    delegate = gap.wrapper.delegate
    if delegate.optional:
        _check_builtins({"getattr", "AttributeError"}, taken, setting.scope)
    local = "delegate"
    while local in (*taken, own):
        local += "_"
    cls = delegate.owner.name.rpartition(".")[2].lstrip("_")
    parts = [f"_{cls}{part}" if _is_private(part) and cls else part for part in delegate.attribute.split(".")]
    return {
        "member": gap.member,
        "own": own,
        "attribute": delegate.attribute,
        "optional": delegate.optional,
        "local": local,
        "taken": _taken(own, parts),
        "target": local if delegate.optional else ".".join((own, *parts)),
    }


def _taken(own: str, parts: Iterable[str]) -> str:
    """The expression for a delegate that may be absent."""
    text = own
    for part in parts:
        text = f'getattr({text}, "{part}", None)'
    return text


def _is_private(name: str) -> bool:
    """Whether a class that names it mangles it."""
    return name.startswith("__") and not name.endswith("__")


def _awaits(providers: Sequence[Provider]) -> bool:
    awaits = {p.flavour == "async" for p in providers}
    if len(awaits) > 1:
        raise RefusedError(Reason.KINDS, {"kinds": "async method, method"})
    return awaits == {True}


def _check_builtins(needed: Iterable[str], taken: Sequence[str], scope: Scope) -> None:
    for name in sorted(needed):
        if name in taken or scope.means(name) != "builtin":
            raise no_place(f"{name} is not Python's own there")


def _named(kinds: Iterable[MemberKind]) -> str:
    return ", ".join(sorted(kind.value for kind in kinds))


def _changes(gap: Gap, kind: SiteKind) -> list[str]:
    """The sites that assign or delete the member of a target: what the engine does to a draft is done to another."""
    return [site.place for site in gap.demand.asking(kind) if site.role != "draft"]
