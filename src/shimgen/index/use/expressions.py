"""Expressions: what they stand for, and the uses they contain."""

from __future__ import annotations

import ast
from collections.abc import Callable

from shimgen.index.use.record import Detail, source
from shimgen.index.use.texts import Texts
from shimgen.index.use.values import (
    EMPTY,
    OTHER,
    ClassName,
    Empty,
    Getter,
    Items,
    Member,
    Model,
    Outcome,
    Parameters,
    Returns,
    Row,
    Side,
    Strings,
    Text,
    Value,
    models,
    union,
)
from shimgen.model.facts import CallShape, Expr
from shimgen.syntax import root_of

_FLUENT = frozenset(("eval", "train", "to", "cuda", "cpu", "half", "float", "bfloat16", "requires_grad_", "type"))


def shape_of(call: ast.Call) -> CallShape:
    """How a call passes its arguments."""
    return CallShape(
        positional=sum(not isinstance(a, ast.Starred) for a in call.args),
        keywords=tuple(k.arg for k in call.keywords if k.arg is not None),
        star=any(isinstance(a, ast.Starred) for a in call.args),
        double_star=any(k.arg is None for k in call.keywords),
    )


def written(node: ast.expr | None) -> Expr | None:
    """What is assigned, as far as later stages look at it: a dotted name, a literal, or its source."""
    if node is None:
        return None
    if isinstance(node, ast.Constant):
        return Expr("const", repr(node.value))
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return Expr("seq", source(node))
    return Expr("dict" if isinstance(node, ast.Dict) else "name" if root_of(node) else "other", source(node))


class Expressions(Texts):
    """Evaluates expressions in the order in which Python would, recording uses on the way."""

    def value(self, node: ast.expr | None) -> Value:
        """What the expression can stand for."""
        if node is None:
            return EMPTY
        visit = _VISIT.get(type(node))
        return visit(self, node) if visit is not None else self.children(node)

    def test(self, node: ast.expr) -> Outcome:
        """What the expression says when it is true and when it is false."""
        raise NotImplementedError

    def children(self, node: ast.AST) -> Value:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif isinstance(child, ast.keyword):
                self.value(child.value)
        return OTHER

    def _constant(self, node: ast.Constant) -> Value:
        if node.value is None:
            return EMPTY
        return (Strings((node.value,)),) if isinstance(node.value, str) else OTHER

    def _name(self, node: ast.Name) -> Value:
        known = self.env.get(node.id)
        if known is not None:
            return known
        return self.class_variable(node.id) or self.reached(node) or self.constant(node.id) or OTHER

    def _attribute(self, node: ast.Attribute) -> Value:
        base = self.value(node.value)
        if found := models(base):
            return self._used(node, found, "read")
        return self._through(node, base)

    def _used(self, node: ast.Attribute, found: tuple[Model, ...], kind: str, shape: CallShape | None = None) -> Value:
        """An attribute of a model: a use of that member."""
        if node.attr == "__class__":
            return tuple(Model(m.rule, m.key, m.ambiguous, cls=True) for m in found)
        if node.attr in ("__name__", "__qualname__"):
            return tuple(ClassName(m.key) for m in found)
        detail = Detail(kind, node.end_lineno or node.lineno, source(node.value), shape)
        return tuple(Member(m, node.attr, self.record(m, node.attr, detail)) for m in found)

    def _through(self, node: ast.Attribute, base: Value) -> Value:
        """An attribute of anything else: it may be a model."""
        if any(isinstance(b, ClassName | Parameters) for b in base):
            return base
        reached = self.reached(node)
        if not reached and isinstance(node.value, ast.Name):
            return self.env.get(f"{node.value.id}.{node.attr}") or self.class_constant(node) or OTHER
        return reached or OTHER

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        self.value(node.slice)
        results: list[Value] = []
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        for binding in base:
            if isinstance(binding, Row) and isinstance(index, int):
                inside = -len(binding.values) <= index < len(binding.values)
                results.append(binding.values[index] if inside else OTHER)
            elif isinstance(binding, Row):
                results.extend(binding.values)
            elif isinstance(binding, Items):
                results.append(binding.elements)
        return union(*results) or OTHER

    def _named(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.env[node.target.id] = value
        return value

    def _choice(self, node: ast.IfExp) -> Value:
        outcome = self.test(node.test)
        body = self.under(outcome.yes, node.body)
        return union(body, self.under(outcome.no, node.orelse))

    def under(self, side: Side, node: ast.expr) -> Value:
        """The expression's value where one side of a test holds."""
        before = self.present
        self.know(side)
        value = self.value(node)
        self.present = before
        return value

    def _boolean(self, node: ast.BoolOp) -> Value:
        outcome, values = self.sequence(node)
        if isinstance(node.op, ast.And):
            values = values[-1:]
        alternatives = union(*values)
        if models(alternatives) or any(isinstance(b, Member) for b in alternatives):
            return tuple(b for b in alternatives if not isinstance(b, Outcome)) or OTHER
        return (outcome,) if outcome else OTHER

    def sequence(self, node: ast.BoolOp) -> tuple[Outcome, list[Value]]:
        """The outcome of `and` / `or`, and the values of the operands."""
        raise NotImplementedError

    def outcome(self, node: ast.expr) -> Value:
        outcome = self.test(node)
        return (outcome,) if outcome else OTHER

    def _await(self, node: ast.Await | ast.Starred) -> Value:
        return self.value(node.value)

    def defaults(self, args: ast.arguments) -> dict[str, Value]:
        """What the parameters hold that have a default, and are given nothing."""
        positional = [*args.posonlyargs, *args.args]
        by_position = zip(reversed(positional), reversed(args.defaults), strict=False)
        pairs = [*reversed(list(by_position)), *zip(args.kwonlyargs, args.kw_defaults, strict=True)]
        return {arg.arg: self.value(default) for arg, default in pairs if default is not None}

    def _lambda(self, node: ast.Lambda) -> Value:
        env = self.env
        arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        self.env = {**env, **{a.arg: OTHER for a in arguments}, **self.defaults(node.args)}
        result = self.value(node.body)
        self.env = env
        return (Returns(result),) if models(result) else OTHER

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        env, present = self.env, self.present
        self.env = dict(env)
        for generator in node.generators:
            self.bind(generator.target, self.elements(generator.iter))
            for condition in generator.ifs:
                self.know(self.test(condition).yes)
        if isinstance(node, ast.DictComp):
            self.value(node.key)
            result = self.value(node.value)
        else:
            result = self.value(node.elt)
        self.env, self.present = env, present
        if any(generator.ifs for generator in node.generators):  # which of the names pass is not known
            result = tuple(OTHER[0] if isinstance(b, Strings) else b for b in result)
        return (Items(result),)

    def elements(self, node: ast.expr) -> Value:
        """What iterating over an expression yields."""
        value = self.resolved(node)
        if found := self.elements_of(value):
            return found
        if models(value):
            return OTHER
        return tuple(Text(chain[0]) for chain in self.chains(node)) or OTHER

    def bind(self, target: ast.expr, value: Value, node: ast.expr | None = None) -> None:
        """Assign a value to a target; `node` is the value's expression where there is one."""
        raise NotImplementedError

    def _call(self, node: ast.Call) -> Value:
        function = node.func
        name = function.id if isinstance(function, ast.Name) else ""
        if name and name not in self.env and (handled := self.builtin(name, node)):
            return handled
        if getter := self.getter(node):
            return getter
        callee = self._callee(node)
        if not any(isinstance(b, Parameters) for b in callee):
            self._arguments(node)
        return self.accessed(function) or callee

    def builtin(self, name: str, node: ast.Call) -> Value:
        """The result of a builtin that matters here; () for any other function."""
        raise NotImplementedError

    def getter(self, node: ast.Call) -> Value:
        """What a call of `operator.attrgetter` or `methodcaller` makes; () for any other function."""
        raise NotImplementedError

    def got(self, getter: Getter, node: ast.Call) -> Value:
        """What such a function gives when it is called."""
        raise NotImplementedError

    def _arguments(self, node: ast.Call) -> None:
        for argument in node.args:
            self.value(argument)
        for keyword in node.keywords:
            self.value(keyword.value)

    def _callee(self, node: ast.Call) -> Value:
        function = node.func
        if not isinstance(function, ast.Attribute):
            return self._called(node, self.value(function))
        if function.attr == "signature" and (parameters := self.signature(node)):
            return parameters
        base = self.value(function.value)
        found = models(base)
        if not found:
            return self._called(node, self._through(function, base))
        value = self._used(function, found, "call", shape_of(node))
        if not all(isinstance(b, Member) for b in value):
            return self._called(node, value)
        return found if function.attr in _FLUENT and not found[0].cls else OTHER

    def _called(self, node: ast.Call, value: Value) -> Value:
        """The result of calling a value: a model is called through `forward`, a held member is that member."""
        results: list[Value] = []
        for binding in value:
            if isinstance(binding, Returns):
                results.append(binding.value)
            elif isinstance(binding, Getter):
                results.append(self.got(binding, node))
        for model in models(value):
            if model.cls:
                results.append((Model(model.rule, f"{model.key}()", model.ambiguous),))
            else:
                self.record(model, "forward", Detail("call", node.lineno, source(node.func), shape_of(node)))
        alternatives = any(not isinstance(b, Member | Empty) for b in value)
        for member in value:
            if isinstance(member, Member):
                held = alternatives or member.default not in (None, "None")
                detail = Detail("call", node.lineno, source(node.func), shape_of(node), guarded=held)
                self.record(member.model, member.name, detail)
        return union(*results) or OTHER

    def write(
        self, found: tuple[Model, ...], member: str, line: int, receiver: ast.expr, node: ast.expr | None
    ) -> None:
        """Record an assignment to a member; from here on the member is there."""
        raise NotImplementedError

    def signature(self, node: ast.Call) -> Value:
        """`inspect.signature(model.forward)`: the lookup of the member is no use of its own. () for anything else."""
        if len(node.args) != 1 or not isinstance(node.args[0], ast.Attribute):
            return ()
        target = node.args[0]
        found = models(self.peek(target.value))
        return tuple(Parameters(m, target.attr, source(target.value)) for m in found)

    def peek(self, node: ast.expr) -> Value:
        """The value of an expression that is evaluated elsewhere; records nothing."""
        size = len(self.uses)
        value = self.value(node)
        del self.uses[size:]
        return value


_VISIT: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.Call: Expressions._call,
    ast.NamedExpr: Expressions._named,
    ast.IfExp: Expressions._choice,
    ast.BoolOp: Expressions._boolean,
    ast.BinOp: Expressions.sum,
    ast.JoinedStr: Expressions.format,
    ast.Compare: Expressions.outcome,
    ast.UnaryOp: Expressions.outcome,
    ast.Tuple: Expressions.row,
    ast.List: Expressions.row,
    ast.Set: Expressions.row,
    ast.Await: Expressions._await,
    ast.Starred: Expressions._await,
    ast.Lambda: Expressions._lambda,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
}
