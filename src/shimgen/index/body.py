"""What the body of a function reads, stores, calls and returns, and where it is left."""

from __future__ import annotations

import ast
from collections.abc import Callable

import msgspec

from shimgen.index.syntax import INNER, LEAVES, FunctionNode, chain_of, push_children, root_of
from shimgen.index.values import expr_of
from shimgen.model.facts import Access, Call, Expr, How, Store

_RARE = frozenset((ast.NamedExpr, ast.Yield, ast.YieldFrom))
_GROUPS = (ast.Tuple, ast.List)
_ITEMS = (ast.Subscript, ast.Starred)
_RETURNING = (ast.Return, ast.Continue)
# They assign the attribute that an argument names: Python's own, and those of torch.nn.Module.
_SETTING = frozenset(("setattr", "__setattr__"))
_ASSIGNING = _SETTING | {"register_buffer", "register_parameter", "register_module", "add_module"}
# They put something into the dictionary of an object.
_FILLING = frozenset(("update", "setdefault", "__setitem__"))
_NONE = Expr("const", "None")


def _ends(body: list[ast.stmt]) -> bool:
    """Whether what runs these statements may come to their end, and so return None."""
    last = body[-1]
    if isinstance(last, ast.If):
        return not last.orelse or _ends(last.body) or _ends(last.orelse)
    if isinstance(last, ast.With | ast.AsyncWith):
        return _ends(last.body)
    if isinstance(last, ast.Try | ast.TryStar):
        ways = [last.orelse or last.body, *(handler.body for handler in last.handlers)]
        return any(map(_ends, ways)) and (not last.finalbody or _ends(last.finalbody))
    if isinstance(last, ast.Match):
        return not _is_total(last) or any(_ends(case.body) for case in last.cases)
    endless = isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and bool(last.test.value)
    return not endless and not isinstance(last, ast.Return | ast.Raise)


def _is_total(node: ast.Match) -> bool:
    """Whether one of the cases takes whatever comes."""
    last = node.cases[-1]
    return last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None


def _absent(test: ast.expr) -> str:
    """The name that is None, or empty, where a test holds: `x is None`, `not x`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Name):
        return test.operand.id
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and isinstance(test.left, ast.Name):
        return test.left.id if expr_of(test.comparators[0]) == _NONE else ""
    return ""


def _catches(caught: ast.expr | None) -> bool:
    """Whether an except clause takes an AttributeError."""
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(k is None or chain_of(k) in ("AttributeError", "Exception", "BaseException") for k in kinds)


class Body:
    """Collects the facts of a function body in one walk; nested functions and lambdas count as part of it."""

    def __init__(self, node: FunctionNode) -> None:
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        self.roots = {a.arg for a in every if a is not None}
        self.own = next((a.arg for a in [*args.posonlyargs, *args.args]), "")
        self.follow_calls = not node.name.startswith("forward")
        self.reads: list[Access] = []
        self.stores: list[Store] = []
        self.calls: list[Call] = []
        self.handed: list[Call] = []
        self.nested: list[FunctionNode] = []
        self.returned: list[Expr] = []
        self.returned_at: list[int] = []
        self.raising: list[str] = []
        self.returning: list[str] = []
        self.caught: list[tuple[int, int]] = []
        self.yields = False
        self.leaves = False
        self._seen: set[str] = set()
        self._aliases: set[str] = set()
        self._followed = set(self.roots)
        self._object = Expr("name", self.own)
        self._nested = False
        self._absent = ""
        self._statements(node.body, "")
        if self.returned and (self.leaves or _ends(node.body)):
            self.returned.append(_NONE)
            self.returned_at.append(node.end_lineno or node.lineno)

    def _statements(self, body: list[ast.stmt], branch: str) -> None:
        for statement in body:
            self._statement(statement, branch)

    def _arm(self, body: list[ast.stmt], branch: str, line: int, number: int) -> None:
        arm = f"{branch}/{line}:{number}" if branch else f"{line}:{number}"
        if body and isinstance(body[-1], ast.Raise):
            self.raising.append(arm)
        elif body and isinstance(body[-1], _RETURNING):
            self.returning.append(arm)
        self._statements(body, arm)

    def _arms(self, bodies: list[list[ast.stmt]], branch: str, line: int) -> None:
        """Statements of which one runs, as after `if`, `elif` and `else`."""
        first, *others = bodies
        if not others:
            self._statements(first, branch)
            return
        self._arm(first, branch, line, 0)
        if len(others) == 1:
            self._arm(others[0], branch, line, 1)
        else:
            self._arms(others, f"{branch}/{line}:1" if branch else f"{line}:1", line)

    def _statement(self, node: ast.stmt, branch: str) -> None:
        visit = _VISIT.get(node.__class__)
        if visit is not None:
            visit(self, node, branch)
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child, branch)

    def _value(self, node: ast.Expr, branch: str) -> None:
        self._expression(node.value, branch)

    def _branches(self, node: ast.If | ast.While, branch: str) -> None:
        self._expression(node.test, branch)
        before, self._absent = self._absent, _absent(node.test) or self._absent
        self._arm(node.body, branch, node.lineno, 0)
        self._absent = before
        self._arm(node.orelse, branch, node.lineno, 1)

    def _return(self, node: ast.Return, branch: str) -> None:
        if node.value is None:
            self.leaves = self.leaves or not self._nested
        else:
            if not self._nested:
                self.returned.append(expr_of(node.value))
                self.returned_at.append(node.lineno)
            self._expression(node.value, branch)

    def _loop(self, node: ast.For | ast.AsyncFor, branch: str) -> None:
        of = expr_of(node.iter) if isinstance(node.iter, _GROUPS) and isinstance(node.target, ast.Name) else None
        self._target(node.target, of and Expr("choice", "", of.parts), node.lineno, "other", branch)
        self._expression(node.iter, branch)
        self._arm([*node.body, *node.orelse], branch, node.lineno, 0)

    def _with(self, node: ast.With | ast.AsyncWith, branch: str) -> None:
        for item in node.items:
            self._expression(item.context_expr, branch)
            if item.optional_vars is not None:
                value = expr_of(item.context_expr)
                self._target(item.optional_vars, value, item.context_expr.lineno, "other", branch)
        self._statements(node.body, branch)

    def _try(self, node: ast.Try | ast.TryStar, branch: str) -> None:
        if any(_catches(handler.type) for handler in node.handlers):
            self.caught.append((node.body[0].lineno, node.body[-1].end_lineno or node.lineno))
        for handler in node.handlers:
            self._bound(handler.name, handler.lineno, branch)
        self._arms([[*node.body, *node.orelse], *(h.body for h in node.handlers)], branch, node.lineno)
        self._statements(node.finalbody, branch)

    def _match(self, node: ast.Match, branch: str) -> None:
        self._expression(node.subject, branch)
        bodies = [case.body for case in node.cases]
        self._arms(bodies if _is_total(node) else [*bodies, []], branch, node.lineno)

    def _function(self, node: FunctionNode, branch: str) -> None:
        if not self._nested:
            self.nested.append(node)
        outer, self._nested = self._nested, True
        yields = self.yields
        self._bound(node.name, node.lineno, branch)
        self._arm(node.body, branch, node.lineno, 0)
        self._nested, self.yields = outer, yields

    def _bound(self, name: str | None, line: int, branch: str) -> None:
        """A name that stands for something which is not followed, and no longer for what the module calls so."""
        if name and self.follow_calls:
            self.stores.append(Store(name, line, None, "other", branch))

    def _delete(self, node: ast.Delete, branch: str) -> None:
        for target in node.targets:
            self._target(target, None, node.lineno, "delete", branch)

    def _nothing(self, node: ast.stmt, branch: str) -> None:
        """Classes and imports inside a function are facts of the module."""

    def _assigned(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, branch: str) -> None:
        self._assignment(node, branch)
        if node.value is not None:
            self._expression(node.value, branch)

    def _assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, branch: str) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign_pair(target, node.value, node.lineno, branch)
        elif isinstance(node, ast.AugAssign):
            self._target(node.target, None, node.lineno, "augment", branch)
            self._expression(node.target, branch)
        elif node.value is not None:
            self._target(node.target, expr_of(node.value), node.lineno, "assign", branch)

    def _assign_pair(self, target: ast.expr, value: ast.expr, line: int, branch: str) -> None:
        if isinstance(target, _GROUPS):
            values = value.elts if isinstance(value, _GROUPS) else []
            paired = values if len(values) == len(target.elts) else [None] * len(target.elts)
            for item, part in zip(target.elts, paired, strict=True):
                if part is None:
                    self._target(item, None, line, "other", branch)
                else:
                    self._assign_pair(item, part, line, branch)
            return
        # What a forward calls for a local name is not kept (`_follow_local`): most of its lines are such, spare them.
        if not (isinstance(target, ast.Name) and isinstance(value, ast.Call)) or self.follow_calls:
            self._target(target, expr_of(value), line, "assign", branch)

    def _target(self, target: ast.expr, value: Expr | None, line: int, how: How, branch: str) -> None:
        while isinstance(target, _ITEMS):
            name = _text(target.slice) if isinstance(target, ast.Subscript) else ""
            owner = _whose_dict(target.value) if name else None
            if owner is not None:
                target = ast.Attribute(owner, name)
                break
            value = Expr("dict", "", (value,), (repr(name),)) if value is not None and name else None
            target, how = target.value, "item"
        if isinstance(target, _GROUPS):
            for item in target.elts:
                self._target(item, None, line, "other", branch)
            return
        chain = self._chain(target)
        if not chain:
            return
        _, _, rest = chain.partition(".")
        if not rest and (chain in self._aliases or (value is not None and value.op == "name")):
            self._alias(chain, value)
        rebound = self.follow_calls and chain in self.roots
        if not rest and not rebound and not self._follow_local(value):
            if value is None and how == "other":
                self._bound(chain, line, branch)
            return
        by_default = chain == self._absent and chain in self.roots
        self.stores.append(Store(chain, line, value, "default" if by_default else how, branch))

    def _chain(self, node: ast.expr) -> str:
        """`chain_of`, where another name of the function's own object stands for its first parameter."""
        chain = chain_of(node)
        if self._aliases:
            root, dot, rest = chain.partition(".")
            return f"{self.own}.{rest}" if dot and root in self._aliases else chain
        return chain

    def _alias(self, name: str, value: Expr | None) -> None:
        """`me = self` gives the object another name, until that is bound to something else."""
        if value is not None and value.op == "name" and (value.text == self.own or value.text in self._aliases):
            if name != self.own:
                self._aliases.add(name)
                self._followed.add(name)
        elif name in self._aliases:
            self._aliases.discard(name)
            self._followed = self.roots | self._aliases

    def _follow_local(self, value: Expr | None) -> bool:
        if value is None:
            return False
        if value.op == "seq":  # a list of names, perhaps those of registered classes
            return bool(value.parts) and all(part.op == "const" and part.text[:1] in "'\"" for part in value.parts)
        return value.op in ("name", "choice", "item", "dict") or (value.op == "call" and self.follow_calls)

    def _expression(self, node: ast.expr, branch: str) -> None:
        stack: list[ast.AST] = [] if node.__class__ in LEAVES else [node]
        while stack:
            item = stack.pop()
            if isinstance(item, ast.Attribute):
                self._attribute(item, stack)
                continue
            if isinstance(item, ast.Call):
                if self._matters(item):
                    expr = expr_of(item, 4)
                    call = Call(self._unaliased(expr) if self._aliases else expr, item.lineno, branch)
                    self.calls.append(call)
                    self._assigned_by_call(item, branch)
                    self._read_by_call(item)
                    if self._object in call.expr.parts:
                        self.handed.append(call)
            elif item.__class__ in _RARE:
                self._rare(item, branch)
            push_children(item, stack, INNER)

    def _assigned_by_call(self, node: ast.Call, branch: str) -> None:
        """setattr(self, "x", value), self.register_buffer("x", value) and the like assign self.x."""
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        method = node.func.attr if isinstance(node.func, ast.Attribute) else chain_of(node.func)
        if owner is not None and method in _FILLING:
            self._filled_by_call(node, owner, branch)
            return
        given = [*node.args, *(k.value for k in node.keywords if k.arg == "name")]
        if len(given) == 3 and method in _SETTING:
            owner = given.pop(0)
        if method not in _ASSIGNING or owner is None or not given:
            return
        chain, name = self.own if self._is_super(node.func) else self._named(owner), _text(given[0])
        if chain and name:
            value = expr_of(given[1]) if len(given) > 1 else None
            self.stores.append(Store(f"{chain}.{name}", node.lineno, value, "assign", branch))

    def _filled_by_call(self, node: ast.Call, owner: ast.expr, branch: str) -> None:
        """self.__dict__.update(x=value) and vars(self).setdefault("x", value) assign self.x."""
        whose = _whose_dict(owner)
        chain = self._named(whose) if whose is not None else ""
        named = [(k.arg, k.value) for k in node.keywords if k.arg]
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Dict):
            named += [(_text(key), value) for key, value in zip(first.keys, first.values, strict=True) if key]
        elif len(node.args) == 2:
            named.append((_text(node.args[0]), node.args[1]))
        for name, value in named if chain else ():
            if name:
                self.stores.append(Store(f"{chain}.{name}", node.lineno, expr_of(value), "assign", branch))

    def _named(self, node: ast.expr) -> str:
        """The chain of what is named, be it by another name of the function's own object."""
        chain = self._chain(node)
        return self.own if chain in self._aliases else chain

    def _unaliased(self, call: Expr) -> Expr:
        """A call with the first parameter in place of other names of the function's own object."""
        parts = (self._first_name(part.text) if part.op == "name" else part for part in call.parts)
        return msgspec.structs.replace(call, parts=tuple(parts))

    def _first_name(self, chain: str) -> Expr:
        root, dot, rest = chain.partition(".")
        return Expr("name", f"{self.own}{dot}{rest}" if root in self._aliases else chain)

    def _read_by_call(self, node: ast.Call) -> None:
        """getattr(self, "x", None) reads self.x."""
        chain = chain_of(node.args[0]) if len(node.args) > 1 and chain_of(node.func) == "getattr" else ""
        name = _text(node.args[1]) if chain.partition(".")[0] in self._followed else ""
        if name:
            self._read(f"{chain}.{name}", node.lineno)

    def _read(self, chain: str, line: int) -> None:
        if chain not in self._seen:
            self._seen.add(chain)
            self.reads.append(Access(chain, line))

    def _rare(self, node: ast.AST, branch: str) -> None:
        if isinstance(node, ast.NamedExpr):
            self._target(node.target, expr_of(node.value), node.lineno, "assign", branch)
        else:
            self.yields = True

    def _attribute(self, node: ast.Attribute, stack: list[ast.AST]) -> None:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if root.__class__ in INNER:
            stack.append(root)
        elif isinstance(root, ast.Name) and node.ctx.__class__ is ast.Load and root.id in self._followed:
            self._read(self._chain(node), node.lineno)

    def _matters(self, node: ast.Call) -> bool:
        root = root_of(node.func)
        if root in self._followed or root == "setattr" or self._is_super(node.func):
            return True
        if not root and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
            return _whose_dict(node.func.value) is not None
        for argument in node.args:
            if root_of(argument) in self._followed:
                return True
        return any(root_of(keyword.value) in self._followed for keyword in node.keywords)

    @staticmethod
    def _is_super(func: ast.expr) -> bool:
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Call):
            return False
        return isinstance(func.value.func, ast.Name) and func.value.func.id == "super"


_VISIT: dict[type[ast.stmt], Callable[..., None]] = {
    ast.Expr: Body._value,
    ast.Assign: Body._assigned,
    ast.AnnAssign: Body._assigned,
    ast.AugAssign: Body._assigned,
    ast.If: Body._branches,
    ast.While: Body._branches,
    ast.Return: Body._return,
    ast.For: Body._loop,
    ast.AsyncFor: Body._loop,
    ast.With: Body._with,
    ast.AsyncWith: Body._with,
    ast.Try: Body._try,
    ast.TryStar: Body._try,
    ast.Match: Body._match,
    ast.FunctionDef: Body._function,
    ast.AsyncFunctionDef: Body._function,
    ast.Delete: Body._delete,
    ast.ClassDef: Body._nothing,
    ast.Import: Body._nothing,
    ast.ImportFrom: Body._nothing,
}


def _whose_dict(node: ast.expr) -> ast.expr | None:
    """The X of `X.__dict__` and of `vars(X)`, None for anything else."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "__dict__" else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars":
        return node.args[0] if len(node.args) == 1 else None
    return None


def _text(node: ast.expr) -> str:
    """The text of a literal, "" for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
