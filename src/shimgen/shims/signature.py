"""A provider's parameters as the wrapper can write them, and the arguments that hand each of them on. Facts hold words
in canonical form; a shim has them as their author spelled them (`1e-5`, `0x10`)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from shimgen.model.binding import common_params
from shimgen.model.domain import MemberKind, Provider
from shimgen.model.facts import Param
from shimgen.model.program import Program
from shimgen.model.reason import Reason
from shimgen.shims.refusal import RefusedError
from shimgen.shims.scopes import Scope, same
from shimgen.source import Source
from shimgen.syntax import FunctionNode, expression, first_line, is_literal

_FORM = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BinOp, ast.BitOr, ast.Load)
_GENERICS = frozenset({"list", "dict", "tuple", "set", "frozenset", "type"})
_SUMS = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load, ast.Tuple)


class Origin(msgspec.Struct, frozen=True):
    """Where a signature was written: the module and line, and whether annotations stay unevaluated there. `source`
    is None when the module could not be read. `hidden` names mean something else in the class there."""

    path: str
    lazy: bool
    source: Source | None = None
    line: int = 0
    hidden: frozenset[str] = frozenset()


class Signature(msgspec.Struct, frozen=True):
    """`own` is the name of the first parameter, "" for a static method; `params` are those a caller fills."""

    own: str
    own_kind: str
    params: tuple[Param, ...]
    returns: str | None


def read(provider: Provider) -> Signature:
    """The signature of a provider that is called. Raises RefusedError for one without a first parameter."""
    params = provider.params
    if provider.kind is MemberKind.STATICMETHOD:
        return Signature("", "pos", params, provider.returns)
    if params and params[0].kind == "var":
        return Signature(_free("self", params), "pos", params, provider.returns)
    if not params or params[0].kind not in ("pos", "posonly"):
        raise RefusedError(Reason.KIND, {"kind": "method without a first parameter"})
    usual = "cls" if provider.kind is MemberKind.CLASSMETHOD else "self"
    rest = params[1:]
    own = usual if all(p.name != usual for p in rest) else params[0].name
    return Signature(own, params[0].kind, rest, provider.returns)


def shared(providers: Sequence[Provider]) -> Signature:
    """The one signature of all providers: what every one of them takes. Raises RefusedError when there is none."""
    first, *others = (read(p) for p in providers)
    params = common_params([signature.params for signature in (first, *others)])
    if params is None:
        texts = ", ".join(dict.fromkeys(f"{p.candidate.name}{p.signature}" for p in providers))
        raise RefusedError(Reason.SIGNATURES, {"signatures": texts})
    returns = first.returns if all(o.returns == first.returns for o in others) else None
    return Signature(first.own, first.own_kind, params, returns)


def arguments(params: Sequence[Param], passed: Mapping[str, str] | None = None) -> str:
    """The arguments of the call that hands every parameter on in the way it came; `passed` says what stands for
    a parameter instead of its name."""
    forms = {"posonly": "{1}", "pos": "{1}", "var": "*{1}", "kwonly": "{0}={1}", "varkw": "**{1}"}
    return ", ".join(forms[p.kind].format(p.name, (passed or {}).get(p.name, p.name)) for p in params)


def annotation(text: str | None, origin: Origin, scope: Scope, program: Program) -> str | None:
    """An annotation in words that mean the same in the wrapper's module, None when there are none.

    It stays as it is where it can be evaluated, is quoted where that cannot be told, and is left out otherwise:
    a name that means nothing, and `Self`, which would no longer be true.
    """
    tree = expression(text)
    if text is None or tree is None or not all(isinstance(n, _FORM) for n in ast.walk(tree)):
        return None
    inner: ast.expr | None = tree
    quoted = isinstance(tree, ast.Constant) and isinstance(tree.value, str)
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        inner = expression(tree.value)
    if inner is None:
        return None
    chains = list(_chains(inner))
    if any(c.partition(".")[0] in origin.hidden for c in chains):
        return None
    if any(c.rpartition(".")[2] == "Self" or not same(program, scope, origin.path, c) for c in chains):
        return None
    if quoted or scope.lazy:
        return text
    early = all(scope.means(c.partition(".")[0]) != "late" for c in chains)
    return text if early and (not origin.lazy or _evaluates(tree, scope, program)) else repr(text)


def _evaluates(tree: ast.expr, scope: Scope, program: Program) -> bool:
    """Whether an annotation that its own module never evaluates is sure to be evaluated without an error: names,
    attributes that the wrapper's module evaluates too, and subscripts of typing's and Python's own generics."""
    if isinstance(tree, ast.Constant):
        return tree.value is None or tree.value is Ellipsis or isinstance(tree.value, str)
    if isinstance(tree, ast.Tuple | ast.List):
        return all(_evaluates(item, scope, program) for item in tree.elts)
    if isinstance(tree, ast.Subscript):
        base = ast.unparse(tree.value)
        known = program.resolve(scope.path, base).name.startswith(("typing.", "collections.abc."))
        generic = known or (base in _GENERICS and scope.means(base) == "builtin")
        return generic and _evaluates(tree.slice, scope, program)
    return isinstance(tree, ast.Name) or (isinstance(tree, ast.Attribute) and ast.unparse(tree) in scope.evaluated)


def default(param: Param, origin: Origin, scope: Scope, program: Program) -> str | None:
    """A default that is the same value in the wrapper's module. Raises RefusedError when it has none there."""
    tree = expression(param.default)
    if param.default is None or tree is None or is_literal(tree):
        return param.default
    named = all(isinstance(n, _SUMS) for n in ast.walk(tree))
    chains = list(_chains(tree))
    roots = {c.partition(".")[0] for c in chains}
    usable = all(scope.means(root) in ("early", "builtin") and root not in origin.hidden for root in roots)
    usable = usable and not any(_is_rebound(program, origin.path, c) for c in chains)
    if named and usable and all(same(program, scope, origin.path, c) for c in chains):
        return param.default
    raise RefusedError(Reason.DEFAULT, {"parameter": param.name, "default": param.default, "path": scope.path})


def _is_rebound(program: Program, path: str, dotted: str) -> bool:
    """Whether a name is assigned more than once in its module: a def keeps the value of its own time."""
    found = program.resolve(path, dotted)
    return found.kind == "value" and sum(s.target == found.name for s in program.module(found.path).stores) > 1


def _free(name: str, params: Sequence[Param]) -> str:
    taken = {p.name for p in params}
    while name in taken:
        name += "_"
    return name


def _chains(tree: ast.AST) -> Iterator[str]:
    """The dotted names in an expression, the strings in it (forward references) included; each as long as it goes."""
    if isinstance(tree, ast.Attribute | ast.Name):
        dotted = ast.unparse(tree)
        if all(part.isidentifier() for part in dotted.split(".")):
            yield dotted
            return
    if isinstance(tree, ast.Subscript) and ast.unparse(tree.value).rpartition(".")[2] == "Literal":
        yield from _chains(tree.value)
        return
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        inner = expression(tree.value)
        yield from _chains(inner) if inner is not None else ("?",)
        return
    for child in ast.iter_child_nodes(tree):
        yield from _chains(child)


def spelled(signature: Signature, origin: Origin, member: str) -> Signature:
    """The signature with defaults as written in the def where it comes from; as it is when that is not found."""
    several_ways = [p for p in signature.params if p.default is not None and not p.default.isidentifier()]
    if origin.source is None or not several_ways:
        return signature  # a name, None, True and False can be written in one way only
    header = _header(origin.source, origin.line, member)
    if all(_is_written(p, header) for p in several_ways):
        return signature  # so that libcst, which takes longer to import than most patches to make, is not needed
    words = dict(_defaults(header)) if header else {}
    params = [
        replace(p, default=words[p.name]) if p.default is not None and _equal(p.default, words.get(p.name)) else p
        for p in signature.params
    ]
    return Signature(signature.own, signature.own_kind, tuple(params), signature.returns)


def _header(source: Source, line: int, member: str) -> str:
    """The def without its body, as a statement; "" when there is no such def."""
    for node in ast.walk(source.tree):
        if isinstance(node, FunctionNode) and node.lineno == line and node.name == member:
            lines = [source.line(number) for number in range(line, first_line(node.body[0]))]
            return "\n".join(lines).strip() + " pass\n" if lines else ""
    return ""


def _is_written(param: Param, header: str) -> bool:
    """Whether the author wrote the default in its canonical form."""
    return bool(re.search(rf"\b{param.name}\b[^,=]*=\s*{re.escape(param.default or '')}\s*[,)]", header))


def _defaults(header: str) -> Iterator[tuple[str, str]]:
    import libcst

    try:
        function = libcst.parse_statement(header)
    except libcst.ParserSyntaxError:
        return
    if isinstance(function, libcst.FunctionDef):
        params = function.params
        for param in (*params.posonly_params, *params.params, *params.kwonly_params):
            if param.default is not None:
                yield param.name.value, libcst.Module([]).code_for_node(param.default)


def _equal(canonical: str, written: str | None) -> bool:
    """Whether both are the same expression; what runs over several lines stays canonical."""
    if written is None or "\n" in written or "#" in written:
        return False
    tree = expression(written)
    return tree is not None and ast.unparse(tree) == canonical
