"""Statements: what they bind, and which functions and classes they hold."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from shimgen.index.use.blocks import ends, error_of
from shimgen.index.use.expressions import written
from shimgen.index.use.names import imported
from shimgen.index.use.paths import Paths
from shimgen.index.use.record import Detail, source
from shimgen.index.use.rules import Place, Rules
from shimgen.index.use.values import OTHER, Fact, Items, Model, Returns, Row, Text, Value, detached, models, union
from shimgen.model.facts import ASSIGNED
from shimgen.syntax import FunctionNode

_TEXTUAL = frozenset(("str", "int", "bool", "float", "bytes", "Path", "PathLike", "dict", "Dict", "list", "List"))
_TEXTS = (ast.Name, ast.Tuple, ast.List, ast.Set, ast.BinOp, ast.JoinedStr)
_TAIL = 3
NO_DEFAULTS: Mapping[str, Value] = {}


def parameter(rules: Rules, place: Place, name: str, annotation: ast.expr | None) -> Model | None:
    """The model that a parameter (or a dataclass field) holds by the profile's rules, unless annotated otherwise."""
    index = rules.find(rules.parameters, name, place)
    if index is None or _textual(annotation):
        return None
    return Model(index, name, rules.rule(index).ambiguous)


class Statements(Paths):
    """Executes statements abstractly; afterwards `uses`, `returned` and `stored` tell what was seen."""

    def function(self, node: FunctionNode, defaults: Mapping[str, Value] = NO_DEFAULTS) -> None:
        """Run through a function's body with its parameters bound; `defaults` are what some of them else hold."""
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            self.env[argument.arg] = self._parameter_value(argument, defaults.get(argument.arg, OTHER))
        for rest in (node.args.vararg, node.args.kwarg):
            if rest is not None:
                self.env[rest.arg] = OTHER
        self.block(node.body)

    def _parameter_value(self, argument: ast.arg, default: Value) -> Value:
        model = parameter(self.rules, self.place, argument.arg, argument.annotation)
        if model is not None:
            return (model,)
        return self.class_variable(argument.arg) or (default if models(default) else (Text(argument.arg),))

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Run through statements in order; what one of them makes known holds for the rest."""
        for number, statement in enumerate(statements):
            if isinstance(statement, ast.If):
                tail = statements[number + 1 :]
                close = not statement.orelse and ends(statement.body) and 0 < len(tail) <= _TAIL
                self.if_(statement, tail_error=error_of(tail) if close else None)
                continue
            visit = _VISIT.get(type(statement))
            if visit is not None:
                visit(self, statement)

    def _assign(self, node: ast.Assign) -> None:
        value = self.resolved(node.value) if isinstance(node.value, _TEXTS) else self.value(node.value)
        for target in node.targets:
            self.bind(target, value, node.value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, self.value(node.value), node.value)

    def _augmented(self, node: ast.AugAssign) -> None:
        self.value(node.value)
        self.value(node.target)
        if isinstance(node.target, ast.Attribute):
            found = models(self.peek(node.target.value))
            self.write(found, node.target.attr, node.target.lineno, node.target.value, None)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                for model in models(self.value(target.value)):
                    detail = Detail("delete", target.end_lineno or target.lineno, source(target.value))
                    self.record(model, target.attr, detail)
            elif isinstance(target, ast.Name):
                self.env.pop(target.id, None)

    def bind(self, target: ast.expr, value: Value, node: ast.expr | None = None) -> None:
        if isinstance(target, ast.Name):
            self._bind_name(target.id, value, node)
        elif isinstance(target, ast.Attribute):
            self._bind_attribute(target, value, node)
        elif isinstance(target, ast.Tuple | ast.List):
            for element, part in zip(target.elts, _parts(value, len(target.elts)), strict=True):
                self.bind(element, part)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, OTHER)
        else:
            self.value(target)

    def _bind_name(self, name: str, value: Value, node: ast.expr | None) -> None:
        if value == OTHER and node is not None:
            value = self._text(node, name)
        self.env.pop(name, None)
        known = name in self.rules.class_variables or name in self.rules.expressions
        if not (known and not models(value) and self._name(ast.Name(name)) != OTHER):
            self.env[name] = value

    def _text(self, node: ast.expr, name: str) -> Value:
        """An object known only by its chain; `name` is what it is bound to."""
        return tuple(Text(chain[0]) for chain in self.chains(node) if chain[0] != name) or OTHER

    def _bind_attribute(self, target: ast.Attribute, value: Value, node: ast.expr | None) -> None:
        found = models(self.value(target.value))
        if found:
            self.write(found, target.attr, target.end_lineno or target.lineno, target.value, node)
        elif isinstance(target.value, ast.Name) and not self.reached(target):
            key = f"{target.value.id}.{target.attr}"
            if value == OTHER and node is not None:
                value = self._text(node, key)
            self.env[key] = value
            if target.value.id == "self":
                self.stored.setdefault(key, []).append(detached(value))

    def write(
        self, found: tuple[Model, ...], member: str, line: int, receiver: ast.expr, node: ast.expr | None
    ) -> None:
        for model in found:
            self.record(model, member, Detail("write", line, source(receiver), value=written(node)))
            self.present += (Fact(model.key, member, f"{ASSIGNED}{line}", exact=True),)

    def _return(self, node: ast.Return) -> None:
        self.returned.append(detached(self.value(node.value)))

    def _expressions(self, node: ast.stmt) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)

    def _nested(self, node: FunctionNode) -> None:
        for decorator in node.decorator_list:
            self.value(decorator)
        defaults = self.defaults(node.args)
        state = self.env, self.place, self.returned, self.catches, self.present, self.absent
        self.env, self.returned, self.catches = dict(self.env), [], ()
        self.place = Place(self.place.classes, node.name)
        self.function(node, defaults)
        result = union(*self.returned)
        self.env, self.place, self.returned, self.catches, self.present, self.absent = state
        self.env[node.name] = (Returns(result),) if models(result) else OTHER

    def _class(self, node: ast.ClassDef) -> None:
        for expression in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.value(expression)
        place, env = self.place, self.env
        inside = dict(env)
        for statement in node.body:
            if isinstance(statement, FunctionNode):
                self.place, self.env = Place((node.name,), self.place.function), dict(env)
                self._nested(statement)
            else:
                self.place, self.env = place, inside
                self.block([statement])
                inside = self.env
        self.place, self.env = place, env

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.imports = {**self.imports, **imported(node, self.package)}


def _parts(value: Value, size: int) -> list[Value]:
    rows = [b.values for b in value if isinstance(b, Row) and len(b.values) == size]
    if rows:
        return [union(*(row[i] for row in rows)) for i in range(size)]
    items = [b.elements for b in value if isinstance(b, Items)]
    return [union(*items) if items else OTHER] * size


def _textual(annotation: ast.expr | None) -> bool:
    """Whether a parameter called `model` is annotated as a name, a path or a table instead."""
    if annotation is None:
        return False
    text = annotation.value if isinstance(annotation, ast.Constant) else None
    names = {n.id for n in ast.walk(annotation) if isinstance(n, ast.Name)}
    return bool(_TEXTUAL & (names | ({text} if isinstance(text, str) else set())))


_VISIT: dict[type[ast.stmt], Callable[..., None]] = {
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.For: Statements.for_,
    ast.AsyncFor: Statements.for_,
    ast.While: Statements.while_,
    ast.Try: Statements.try_,
    ast.TryStar: Statements.try_,
    ast.With: Statements.with_,
    ast.AsyncWith: Statements.with_,
    ast.Match: Statements.match,
    ast.Return: Statements._return,
    ast.Expr: Statements._expressions,
    ast.Raise: Statements._expressions,
    ast.Assert: Statements.assert_,
    ast.Delete: Statements._delete,
    ast.FunctionDef: Statements._nested,
    ast.AsyncFunctionDef: Statements._nested,
    ast.ClassDef: Statements._class,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import,
}
