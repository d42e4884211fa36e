"""What the body of a function reads, stores, calls and returns, and where it is left."""

from __future__ import annotations

import ast
from collections.abc import Callable

from shimgen.index.flow import absent, catches, ends, is_total
from shimgen.index.owner import Owner, text_of, whose_dict
from shimgen.index.values import expr_of
from shimgen.model.facts import Access, Call, Expr, How, Store
from shimgen.syntax import INNER, LEAVES, FunctionNode, chain_of, every_argument, push_children

_RARE = frozenset((ast.NamedExpr, ast.Yield, ast.YieldFrom))
_GROUPS = (ast.Tuple, ast.List)
_ITEMS = (ast.Subscript, ast.Starred)
_NONE = Expr("const", "None")
_ANY = Expr("other")


class Body:
    """Collects the facts of a function body in one walk; nested functions and lambdas count as part of it."""

    def __init__(self, node: FunctionNode) -> None:
        self._parameters = {argument.arg for argument in every_argument(node.args)}
        own = next((a.arg for a in [*node.args.posonlyargs, *node.args.args]), "")
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
        self.continuing: list[str] = []
        self.caught: list[tuple[int, int]] = []
        self.yields = False
        self.leaves = False
        self._seen: set[str] = set()
        self._dropped: list[Store] = []
        self._owner = Owner(own, self._parameters)
        self._followed = self._owner.followed
        self._object = Expr("name", own)
        self._nested = False
        self._absent = ""
        self._statements(node.body, "")
        self._take_up_dropped()
        if self.returned and (self.leaves or ends(node.body)):
            self.returned.append(_NONE)
            self.returned_at.append(node.end_lineno or node.lineno)

    def _statements(self, body: list[ast.stmt], branch: str) -> None:
        for statement in body:
            self._statement(statement, branch)

    def _arm(self, body: list[ast.stmt], branch: str, line: int, number: int) -> None:
        arm = _below(branch, line, number)
        if body and isinstance(body[-1], ast.Raise):
            self.raising.append(arm)
        elif body and isinstance(body[-1], ast.Continue):
            self.continuing.append(arm)
        elif body and isinstance(body[-1], ast.Return) and not self._nested:
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
            self._arms(others, _below(branch, line, 1), line)

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
        before, self._absent = self._absent, absent(node.test) or self._absent
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
        iterated = expr_of(node.iter)
        one: Expr | None = None
        if isinstance(node.iter, _GROUPS) and isinstance(node.target, ast.Name):
            one = Expr("choice", "", iterated.parts)
        elif iterated.op == "name" and "." in iterated.text:
            one = Expr("item", "", (iterated, _ANY))
        for name in ast.walk(node.target) if self._owner.holds(iterated) else ():
            self._owner.keep(chain_of(name), iterated, branch)
        if isinstance(node.iter, _GROUPS):
            self._owner.stand_for(node.target, node.iter.elts)
        self._target(node.target, one, node.lineno, "other", branch)
        self._expression(node.iter, branch)
        self._arm([*node.body, *node.orelse], branch, node.lineno, 0)

    def _with(self, node: ast.With | ast.AsyncWith, branch: str) -> None:
        for item in node.items:
            self._expression(item.context_expr, branch)
            if item.optional_vars is not None:
                entered = Expr("attr", "__enter__", (expr_of(item.context_expr),))
                value = Expr("call", "", (entered,))
                self._target(item.optional_vars, value, item.context_expr.lineno, "other", branch)
        self._statements(node.body, branch)

    def _try(self, node: ast.Try | ast.TryStar, branch: str) -> None:
        if any(catches(handler.type) for handler in node.handlers):
            self.caught.append((node.body[0].lineno, node.body[-1].end_lineno or node.lineno))
        for handler in node.handlers:
            self._bound(handler.name, handler.lineno, branch)
        self._arms([[*node.body, *node.orelse], *(h.body for h in node.handlers)], branch, node.lineno)
        self._statements(node.finalbody, branch)

    def _match(self, node: ast.Match, branch: str) -> None:
        self._expression(node.subject, branch)
        bodies = [case.body for case in node.cases]
        self._arms(bodies if is_total(node) else [*bodies, []], branch, node.lineno)

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
        self._owner.stand_for(target, [value])
        # What a forward calls for a local name is not kept (`_follow_local`): most of its lines are such, spare them.
        if not (isinstance(target, ast.Name) and isinstance(value, ast.Call)) or self.follow_calls:
            self._target(target, expr_of(value), line, "assign", branch)

    def _target(self, target: ast.expr, value: Expr | None, line: int, how: How, branch: str) -> None:
        while isinstance(target, _ITEMS):
            name = text_of(target.slice) if isinstance(target, ast.Subscript) else ""
            owner = whose_dict(target.value) if name else None
            if owner is not None:
                target = ast.Attribute(owner, name)
                break
            value = Expr("dict", "", (value,), (repr(name),)) if value is not None and name else None
            target, how = target.value, "item"
        if isinstance(target, _GROUPS):
            for item in target.elts:
                self._target(item, None, line, "other", branch)
            return
        chain = self._owner.chain(target)
        _, _, rest = chain.partition(".")
        if (rest or not chain) and (perhaps := self._owner.perhaps(target, chain)):
            self.stores.append(Store(perhaps, line, value, how, branch))
        if not chain:
            return
        if not rest and value is not None:
            self._owner.keep(chain, value, branch)
        if not rest and (chain in self._owner.aliases or (value is not None and value.op == "name")):
            self._owner.bind(chain, value)
        rebound = self.follow_calls and chain in self._parameters
        if not rest and not rebound and not self._follow_local(value):
            if value is None and how == "other":
                self._bound(chain, line, branch)
            elif self.follow_calls:
                self._dropped.append(Store(chain, line, value if value == _NONE else None, "other", branch))
            return
        by_default = chain == self._absent and chain in self._parameters
        self.stores.append(Store(chain, line, value, "default" if by_default else how, branch))

    def _take_up_dropped(self) -> None:
        """A local name that is followed may also be None, or what cannot be followed."""
        followed = {store.target for store in self.stores}
        dropped = [store for store in self._dropped if store.target in followed]
        if dropped:
            self.stores = sorted([*self.stores, *dropped], key=lambda store: store.line)

    def _follow_local(self, value: Expr | None) -> bool:
        if value is None:
            return False
        if value.op == "seq":  # a list of names, perhaps those of registered classes
            return bool(value.parts) and all(part.op == "const" and part.text[:1] in "'\"" for part in value.parts)
        return value.op in ("name", "choice", "item", "dict") or (value.op in ("call", "attr") and self.follow_calls)

    def _expression(self, node: ast.expr, branch: str) -> None:
        stack: list[ast.AST] = [] if node.__class__ in LEAVES else [node]
        while stack:
            item = stack.pop()
            if isinstance(item, ast.Attribute):
                self._attribute(item, stack)
                continue
            if isinstance(item, ast.Call):
                if self._owner.matters(item):
                    self._call(item, branch)
            elif item.__class__ in _RARE:
                self._rare(item, branch)
            push_children(item, stack, INNER)

    def _call(self, node: ast.Call, branch: str) -> None:
        call = Call(self._owner.unaliased(expr_of(node, 4)), node.lineno, branch)
        self.calls.append(call)
        for target, value, sure in self._owner.assigned_by(node):
            arm = branch if sure else _below(branch, node.lineno, 0)
            self.stores.append(Store(target, node.lineno, value, "assign", arm))
        for gone in self._owner.deleted_by(node):
            self.stores.append(Store(gone, node.lineno, None, "delete", branch))
        read = self._owner.read_by(node)
        if read:
            self._read(read, node.lineno)
        if self._object in call.expr.parts:
            self.handed.append(call)

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
            self._read(self._owner.chain(node), node.lineno)


def _below(branch: str, line: int, number: int) -> str:
    """The path of an arm of the statement at `line`, which itself is in the arm `branch`."""
    return f"{branch}/{line}:{number}" if branch else f"{line}:{number}"


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
