"""Turns a shim into a case for the sandbox: plain data, and source that names nothing of the checkout."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from shimgen.model.domain import Gap, MemberKind, Provider, SiteKind
from shimgen.model.facts import Param
from shimgen.syntax import FunctionNode, expression, is_literal
from shimgen.verify.members import Member, Statement

BASE = "shimgen_base"
DEFAULT = "shimgen_default_{}"
# What a forward may ask of an object; every other dunder could lead from a value to the interpreter.
HARMLESS = ("__name__", "__qualname__", "__class__")


class UnsafeError(Exception):
    """The shim does something that is never executed, not even in the sandbox; the text says what."""


class Case(msgspec.Struct, frozen=True):
    """One shim as the sandbox reads it (field by field, as JSON); `box/case.py` describes the fields."""

    wrapper: str
    member: str
    source: str
    kind: str
    attribute: str
    optional: bool
    handed: bool
    providers: tuple[dict[str, object], ...]
    defaults: dict[str, str]
    shapes: tuple[tuple[int, tuple[str, ...]], ...]
    writes: bool
    deletes: bool
    projection: dict[str, str]
    recipe: dict[str, object] | None = None


def case(gap: Gap, name: str, found: Member) -> Case:
    """The case that proves `found`, the member that `gap` led to. Raises UnsafeError."""
    _safe(found, gap)
    defaults: dict[str, str] = {}
    sites = [s for s in gap.demand.sites if not s.ambiguous]
    shapes = {
        (s.shape.positional, s.shape.keywords)
        for s in sites
        if s.shape and not s.shape.star and not s.shape.double_star
    }
    return Case(
        wrapper=found.site.node.name,
        member=name,
        source=source(found, defaults),
        kind=found.kind,
        attribute=gap.wrapper.delegate.attribute,
        optional=gap.wrapper.delegate.optional,
        handed=gap.handed,
        providers=tuple(_distinct(gap.providers)),
        defaults=defaults,
        shapes=tuple(sorted(shapes)),
        writes=any(s.kind is SiteKind.WRITE and s.role != "draft" for s in sites),
        deletes=any(s.kind is SiteKind.DELETE and s.role != "draft" for s in sites),
        projection=projection(found, gap.wrapper.delegate.attribute),
        recipe=promise(gap),
    )


def promise(gap: Gap) -> dict[str, object] | None:
    """What a recipe promises, with chains as they are on the wrapper; None for a forward."""
    if gap.assembly is None:
        return None

    def chain(text: str) -> str:
        return text.replace("{delegate}", gap.wrapper.delegate.attribute)

    recipe = gap.assembly
    return {
        "parameters": list(recipe.parameters),
        "names": list(recipe.names),
        "returns": [chain(text) for text in recipe.returns],
        "writes": {chain(text): name for text, name in recipe.writes.items()},
    }


def source(found: Member, defaults: dict[str, str]) -> str:
    """A class statement with only the shim's members: no annotation, no decorator but its kind, and every
    default that is not a literal exchanged for a name, which goes into `defaults` with its source."""
    body: list[ast.stmt] = [_neutral(s, defaults) for s in found.statements]
    cls = ast.ClassDef(name=found.site.node.name, bases=[ast.Name(BASE)], keywords=[], body=body, decorator_list=[])
    return ast.unparse(ast.fix_missing_locations(cls))


def _neutral(statement: Statement, defaults: dict[str, str]) -> Statement:
    if isinstance(statement, ast.AnnAssign):
        value = statement.value or ast.Constant(None)
        return ast.Assign(targets=[statement.target], value=value, lineno=0)
    if isinstance(statement, FunctionNode):
        args = statement.args
        bare = ast.arguments(
            posonlyargs=[ast.arg(a.arg) for a in args.posonlyargs],
            args=[ast.arg(a.arg) for a in args.args],
            vararg=args.vararg and ast.arg(args.vararg.arg),
            kwonlyargs=[ast.arg(a.arg) for a in args.kwonlyargs],
            kw_defaults=[d and _default(d, defaults) for d in args.kw_defaults],
            kwarg=args.kwarg and ast.arg(args.kwarg.arg),
            defaults=[_default(d, defaults) for d in args.defaults],
        )
        kinds = [d for d in statement.decorator_list if _is_kind(d)]
        fields = {**dict(ast.iter_fields(statement)), "args": bare, "returns": None, "decorator_list": kinds}
        return type(statement)(**fields)
    return statement


def _default(node: ast.expr, defaults: dict[str, str]) -> ast.expr:
    text = ast.unparse(node)
    if is_literal(text):
        return node
    name = DEFAULT.format(len(defaults))
    defaults[name] = text
    return ast.Name(name)


def _is_kind(decorator: ast.expr) -> bool:
    """Whether a decorator makes the member's kind (the others are the provider's own, and do not change a call)."""
    if isinstance(decorator, ast.Attribute):
        return decorator.attr in ("setter", "deleter")
    return isinstance(decorator, ast.Name) and decorator.id in ("property", "classmethod", "staticmethod")


def _safe(found: Member, gap: Gap) -> None:
    """Refuse what no forward needs: own decorators, and names that lead to the interpreter. Raises UnsafeError."""
    known = {d for p in gap.providers for d in p.decorators}
    for decorator in found.foreign:
        if decorator not in known:
            raise UnsafeError(f"it is decorated with {decorator}, which its provider is not")
    for statement in found.statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and _is_dunder(node.attr) and node.attr not in HARMLESS:
                raise UnsafeError(f"it reaches for {node.attr}")


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _distinct(providers: Iterable[Provider]) -> list[dict[str, object]]:
    """The providers as data; those that behave alike once, with all their candidates' names."""
    out: dict[tuple[object, ...], dict[str, object]] = {}
    for provider in providers:
        key = (provider.kind, provider.flavour, _flat(provider.taken), provider.setter, _managed(provider))
        entry = out.setdefault(key, _provider(provider))
        names = entry["names"]
        if isinstance(names, list):
            names.append(provider.candidate.name.rpartition(".")[2])
    return list(out.values())


def _provider(provider: Provider) -> dict[str, object]:
    return {
        "names": [],
        "kind": provider.kind.value,
        "flavour": "" if _managed(provider) else provider.flavour,
        "params": [list(p) for p in _flat(provider.taken)],
        "setter": provider.setter or provider.kind in (MemberKind.INSTANCE, MemberKind.CLASS_ATTRIBUTE),
    }


def _managed(provider: Provider) -> bool:
    """A context manager made of a generator: calling it gives one object, and nothing iterates."""
    return any("contextmanager" in d for d in provider.decorators)


def _flat(params: Sequence[Param]) -> tuple[tuple[str, str, str | None], ...]:
    """Parameters without annotations, defaults in canonical spelling."""
    return tuple((p.name, p.kind, None if p.default is None else _canonical(p.default)) for p in params)


def _canonical(text: str) -> str:
    tree = expression(text)
    return text if tree is None else ast.unparse(tree)


def projection(found: Member, attribute: str) -> dict[str, str]:
    """For a member of the class: each parameter that the constructor hands to the delegate in part only, and the
    chain that it hands on ("config": "config.text_config"). A parameter that is not listed passes as it is."""
    if found.kind not in ("classmethod", "staticmethod"):
        return {}
    made = list(_constructions(found.site.node, attribute))
    projected: dict[str, str] = {}
    for param in found.params:
        chains = {chain for call, local in made for chain in _handed_on(call, param.name, local)}
        if len(chains) == 1 and chains != {param.name}:
            projected[param.name] = chains.pop()
    return projected


def _constructions(cls: ast.ClassDef, attribute: str) -> Iterator[tuple[ast.Call, Mapping[str, str]]]:
    """The calls whose result the class's methods assign to the attribute, each with the method's local names."""
    for method in cls.body:
        assigned = [node for node in ast.walk(method) if isinstance(node, ast.Assign)]
        targets = [ast.unparse(target) for node in assigned for target in node.targets]
        local = {t.id: ast.unparse(n.value) for n in assigned for t in n.targets if isinstance(t, ast.Name)}
        once = {name: value for name, value in local.items() if targets.count(name) == 1}
        for node in assigned:
            if f"self.{attribute}" in map(ast.unparse, node.targets):
                value = node.value
                choices = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
                yield from ((c, once) for c in choices if isinstance(c, ast.Call))


def _handed_on(call: ast.Call, name: str, local: Mapping[str, str]) -> Iterator[str]:
    """What a call passes of `name`: the keyword of that name, else the first positional argument that begins so, be
    it by a local name."""
    named = [k.value for k in call.keywords if k.arg == name]
    for value in named or call.args:
        root, dot, rest = ast.unparse(value).partition(".")
        chain = f"{local.get(root, root)}{dot}{rest}".removeprefix("self.")
        if chain.partition(".")[0] == name and all(part.isidentifier() for part in chain.split(".")):
            yield chain
            return
