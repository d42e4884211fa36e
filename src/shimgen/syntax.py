"""Readings of Python's syntax. Those made for every node of many files are short cuts of the `ast` module's."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator
from typing import Any

from shimgen.model.facts import Param

# Fields that hold no node, or only a context or an operator.
_PLAIN = frozenset(
    ("ctx", "op", "ops", "id", "attr", "conversion", "kind", "is_async", "type_comment", "simple", "level")
)
_FIELDS = {
    cls: tuple(field for field in cls._fields if field not in _PLAIN)
    for cls in vars(ast).values()
    if isinstance(cls, type) and issubclass(cls, ast.AST)
}
NODES = frozenset(_FIELDS)
"""All types of nodes."""
LEAVES = frozenset((ast.Name, ast.Constant))
"""Those without children."""
INNER = NODES - LEAVES
# What most statements are, of those that have no blocks.
_SIMPLE = frozenset((ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Raise, ast.Assert, ast.Pass))
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ImportNode = ast.Import | ast.ImportFrom


def parsed(source: bytes) -> ast.Module:
    """The syntax of a file, of which nothing is warned. Raises SyntaxError or ValueError when it is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def expression(text: str | None) -> ast.expr | None:
    """The syntax of an expression, None for what is none."""
    try:
        return ast.parse(text, mode="eval").body if text is not None else None
    except (SyntaxError, ValueError):
        return None


def chain_of(node: ast.AST | None) -> str:
    """The dotted text of a Name or of attributes of a Name, "" for anything else."""
    text = ""
    while isinstance(node, ast.Attribute):
        text = f".{node.attr}{text}"
        node = node.value
    return node.id + text if isinstance(node, ast.Name) else ""


def root_of(node: ast.expr) -> str:
    """The first name of what `chain_of` gives."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def push_children(node: ast.AST, stack: list[ast.AST], wanted: Collection[type] = NODES) -> None:
    """Puts the child nodes of the types in `wanted` on `stack`: much faster than iter_child_nodes. For a keyword
    argument its value is taken."""
    for field in _FIELDS[node.__class__]:
        value: Any = getattr(node, field, None)
        if value.__class__ in wanted:
            stack.append(value)
        elif value.__class__ is list:
            for item in value:
                if item.__class__ is ast.keyword:
                    item = item.value
                if item.__class__ in wanted:
                    stack.append(item)


def source_of(node: ast.AST) -> str:
    """What `ast.unparse` gives, at a tenth of its cost for the forms that annotations and defaults mostly have."""
    text = _simple(node)
    return ast.unparse(node) if text is None else text


def _simple(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant):
        return None if node.kind or isinstance(node.value, float | complex) else _constant(node.value)
    chain = chain_of(node)
    if chain:
        return chain
    if isinstance(node, ast.Subscript):
        return _subscript(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and not isinstance(node.right, ast.BinOp):
        left, right = _simple(node.left), _simple(node.right)
        return None if left is None or right is None else f"{left} | {right}"
    return None


def _constant(value: object) -> str:
    return "..." if value is ... else repr(value)


def _subscript(node: ast.Subscript) -> str | None:
    container = chain_of(node.value)
    if not container:
        return None
    if not isinstance(node.slice, ast.Tuple):
        inner = _simple(node.slice)
        return None if inner is None else f"{container}[{inner}]"
    parts = [_simple(item) for item in node.slice.elts]
    texts = [part for part in parts if part is not None]
    return f"{container}[{', '.join(texts)}]" if len(texts) == len(parts) > 1 else None


def captured(pattern: ast.AST) -> str | None:
    """The name that a part of a pattern binds."""
    if isinstance(pattern, ast.MatchAs | ast.MatchStar):
        return pattern.name
    return pattern.rest if isinstance(pattern, ast.MatchMapping) else None


def is_literal(default: str | ast.expr) -> bool:
    """Whether a default is a literal, whose value everyone agrees on."""
    try:
        ast.literal_eval(default)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def imported_as(alias: ast.alias) -> str:
    """The name that a part of an import binds."""
    return alias.asname or alias.name.partition(".")[0]


def bound_by(node: ast.AST) -> Iterator[str]:
    """The names that a node itself binds or deletes."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, ast.alias):
        yield imported_as(node)
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, FunctionNode | ast.ClassDef | ast.ExceptHandler):
        yield from filter(None, (node.name,))
    elif name := captured(node):
        yield name


def locals_of(function: FunctionNode) -> set[str]:
    """Every name that a function binds or declares, anywhere inside: more than its own, never less."""
    inside = [node for node in ast.walk(function) if node is not function]
    declared = {name for node in inside if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    return declared.union(*map(bound_by, inside))


def every_argument(args: ast.arguments) -> list[ast.arg]:
    """All parameters, those for what is left over at the end."""
    rest = (arg for arg in (args.vararg, args.kwarg) if arg is not None)
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *rest]


def parameters(args: ast.arguments) -> tuple[Param, ...]:
    """The parameters in order of declaration, with the source texts of defaults and annotations."""

    def param(arg: ast.arg, kind: str, default: ast.expr | None = None) -> Param:
        annotation = None if arg.annotation is None else source_of(arg.annotation)
        return Param(arg.arg, kind, None if default is None else source_of(default), annotation)

    positional = [*args.posonlyargs, *args.args]
    kinds = ["posonly"] * len(args.posonlyargs) + ["pos"] * len(args.args)
    defaults = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    result = list(map(param, positional, kinds, defaults))
    result += [param(args.vararg, "var")] if args.vararg else []
    result += [param(a, "kwonly", d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    result += [param(args.kwarg, "varkw")] if args.kwarg else []
    return tuple(result)


def is_type_checking(test: ast.expr) -> bool:
    """Whether a test holds for a type checker only."""
    return chain_of(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def is_lazy(module: ast.Module) -> bool:
    """Whether a module postpones the evaluation of annotations."""
    futures = (node for node in module.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
    return any(alias.name == "annotations" for node in futures for alias in node.names)


def bodies(node: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a compound statement, also those without a statement."""
    if node.__class__ in _SIMPLE:
        return []
    own = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
    return own + [block.body for block in (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))]


def blocks(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements directly in the blocks of a compound statement."""
    for body in bodies(node):
        yield from body


def first_line(node: ast.stmt) -> int:
    """The line on which a statement begins, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def last_line(node: ast.stmt) -> int:
    """The line on which a statement ends."""
    return node.end_lineno or node.lineno
