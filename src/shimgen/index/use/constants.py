"""Names that a file binds once and for all, in its module or in the body of a class, to what is written there."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TypeAlias

from shimgen.index.use.values import Value
from shimgen.syntax import INNER, bound_by, chain_of, push_children

_CHANGING = frozenset(
    ("append", "extend", "insert", "remove", "pop", "clear", "add", "discard", "update", "difference_update")
)
_NO_MEMBERS = frozenset(("object", "ABC", "Protocol", "Generic"))
_CHANGERS = frozenset((ast.Global, ast.Attribute, ast.Subscript, ast.AugAssign, ast.Call))
GETTERS = frozenset(("attrgetter", "methodcaller"))
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


Bound: TypeAlias = tuple[ast.ClassDef, ast.expr | None]
"""Who binds a name, and to what; None when that is not known."""


class Constants:
    """The constants of one file, looked for when one is asked for. `values` is what they were found to stand for."""

    def __init__(self, module: ast.Module, classes: Sequence[ast.ClassDef], imports: Mapping[str, str]) -> None:
        self._module = module
        self._classes = classes
        self._imports = imports
        self._binds: Callable[[ast.ClassDef], Counter[str]] = cache(lambda cls: _counted(cls.body))
        self.values: dict[ast.expr, Value] = {}

    def is_function(self, name: str) -> bool:
        """Whether the name may be that of a function which a call makes: `GET = operator.attrgetter("x")`."""
        return name in self._made

    def of_module(self, name: str) -> ast.expr | None:
        """What the module binds a name to; None when it does so elsewhere, too, or when something changes it."""
        statement = self._top.get(name)
        if statement is None or not _may_be_text(statement.value) or self._star > statement.lineno:
            return None
        return None if self._counts[name] > 1 or name in self._touched else statement.value

    def of_class(self, cls: str, name: str, heirs: bool) -> list[Bound]:
        """What a class has under a name, and with `heirs` the classes of this file that inherit from it. Empty when
        this file does not show what the class has."""
        nodes = self._named.get(cls, [])
        found = self._inherited(nodes[0], name, frozenset()) if len(nodes) == 1 else None
        if found is None:
            return []
        others = [c for c in self._classes if heirs and c is not nodes[0] and self._binds(c)[name]]
        every = [found, *((c, self._bound(c, name)) for c in others if self._is_heir(c, nodes[0]))]
        return every if any(v is not None for _, v in every) and name not in self._touched else []

    @cached_property
    def _top(self) -> dict[str, ast.Assign | ast.AnnAssign]:
        return dict(_assignments(self._module.body))

    @cached_property
    def _made(self) -> frozenset[str]:
        bodies = (self._module.body, *(cls.body for cls in self._classes))
        values = ((name, statement.value) for body in bodies for name, statement in _assignments(body))
        makers = GETTERS.union(local for local, dotted in self._imports.items() if dotted.rpartition(".")[2] in GETTERS)
        return frozenset(n for n, v in values if isinstance(v, ast.Call) and _last(v.func) in makers)

    @cached_property
    def _counts(self) -> Counter[str]:
        return _counted(self._module.body)

    @cached_property
    def _star(self) -> int:
        """The last line that imports whatever another module has."""
        nodes = [n for n in self._module.body if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"]
        return max((n.lineno for n in nodes), default=0)

    @cached_property
    def _touched(self) -> frozenset[str]:
        return frozenset(_changed(self._module))

    @cached_property
    def _named(self) -> dict[str, list[ast.ClassDef]]:
        found: dict[str, list[ast.ClassDef]] = {}
        for cls in self._classes:
            found.setdefault(cls.name, []).append(cls)
        return found

    def _bases(self, cls: ast.ClassDef) -> Iterator[ast.ClassDef | None]:
        """The bases that may give members; None for one that is not in this file."""
        for base in cls.bases:
            name = _last(base.value if isinstance(base, ast.Subscript) else base)
            if name not in _NO_MEMBERS:
                known = self._named.get(name, [])
                yield known[0] if len(known) == 1 else None

    def _inherited(self, cls: ast.ClassDef, name: str, seen: frozenset[str]) -> Bound | None:
        if self._binds(cls)[name]:
            return cls, self._bound(cls, name)
        for base in self._bases(cls):
            if base is None or base.name in seen:
                return None
            if (found := self._inherited(base, name, seen | {cls.name})) is not None:
                return found
        return None

    def _bound(self, cls: ast.ClassDef, name: str) -> ast.expr | None:
        """The one value that a class binds a name to, if it may be text. What a dataclass or the like declares is a
        field and no constant."""
        statement = dict(_assignments(cls.body)).get(name)
        if statement is None or self._binds(cls)[name] > 1 or not _may_be_text(statement.value):
            return None
        if isinstance(statement, ast.AnnAssign) and (cls.decorator_list or cls.bases):
            return statement.value if "ClassVar" in ast.unparse(statement.annotation) else None
        return statement.value

    def _is_heir(self, cls: ast.ClassDef, of: ast.ClassDef) -> bool:
        pending, seen = [cls], {cls.name}
        while pending:
            for base in self._bases(pending.pop()):
                if base is of:
                    return True
                if base is not None and base.name not in seen:
                    seen.add(base.name)
                    pending.append(base)
        return False


def _last(node: ast.expr) -> str:
    """The last name of a dotted chain."""
    return chain_of(node).rpartition(".")[2]


def _assignments(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.Assign | ast.AnnAssign]]:
    """The names that statements of a scope always bind to a value, and which statement does."""
    for statement in body:
        if isinstance(statement, ast.Assign):
            yield from ((t.id, statement) for t in statement.targets if isinstance(t, ast.Name))
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            yield statement.target.id, statement


def _may_be_text(node: ast.expr | None) -> bool:
    """Whether a value may be made of texts, as far as its syntax tells."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(_may_be_text, node.elts))
    if isinstance(node, ast.Call):
        return any(map(_may_be_text, node.args))
    if isinstance(node, ast.BinOp):
        return _may_be_text(node.left) and _may_be_text(node.right)
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Starred | ast.JoinedStr)


def _counted(body: Iterable[ast.stmt]) -> Counter[str]:
    """How often the statements of a scope bind each name. What stands in functions and classes does not count."""
    found: Counter[str] = Counter()
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        found.update(bound_by(node))
        if not isinstance(node, _SCOPES):
            stack.extend(ast.iter_child_nodes(node))
    return found


def _changed(module: ast.Module) -> Iterator[str]:
    """Names that functions bind in the module, attributes that are assigned, and whatever is changed in place."""
    stack: list[ast.AST] = [module]
    while stack:
        node = stack.pop()
        push_children(node, stack, INNER)
        if node.__class__ not in _CHANGERS:
            continue
        if isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                yield node.attr
            elif node.attr in _CHANGING:
                yield _last(node.value)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield _last(node.value)
            yield from _texts([node.slice])
        elif isinstance(node, ast.AugAssign):
            yield _last(node.target)
        elif isinstance(node, ast.Call) and chain_of(node.func) in ("setattr", "delattr"):
            yield from _texts(node.args[1:2])


def _texts(nodes: Iterable[ast.expr]) -> Iterator[str]:
    yield from (n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
