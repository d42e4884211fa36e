"""Statements: the paths through a function, and what is known on each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from shimgen.index.flow import is_total
from shimgen.index.syntax import FunctionNode, captured
from shimgen.index.use.blocks import CATCHING, catch_of, ends, error_of, message_of
from shimgen.index.use.conditions import Conditions, all_missing
from shimgen.index.use.expressions import written
from shimgen.index.use.names import imported
from shimgen.index.use.record import Catch, Detail, source
from shimgen.index.use.rules import Place, Rules
from shimgen.index.use.values import (
    OTHER,
    Clause,
    Environment,
    Fact,
    Items,
    Model,
    Outcome,
    Returns,
    Row,
    Side,
    Text,
    Value,
    detached,
    join,
    models,
    union,
)
from shimgen.model.facts import ASSIGNED

_TEXTUAL = frozenset(("str", "int", "bool", "float", "bytes", "Path", "PathLike", "dict", "Dict", "list", "List"))
_TEXTS = (ast.Name, ast.Tuple, ast.List, ast.Set, ast.BinOp, ast.JoinedStr)
_TAIL = 3


def parameter(rules: Rules, place: Place, name: str, annotation: ast.expr | None) -> Model | None:
    """The model that a parameter (or a dataclass field) holds by the profile's rules, unless annotated otherwise."""
    index = rules.find(rules.parameters, name, place)
    if index is None or _textual(annotation):
        return None
    return Model(index, name, rules.rule(index).ambiguous)


class Statements(Conditions):
    """Executes statements abstractly; afterwards `uses`, `returned` and `stored` tell what was seen."""

    _dry = False

    def function(self, node: FunctionNode) -> None:
        """Run through a function's body with its parameters bound."""
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            self.env[argument.arg] = self._parameter_value(argument)
        for rest in (node.args.vararg, node.args.kwarg):
            if rest is not None:
                self.env[rest.arg] = OTHER
        self.block(node.body)

    def _parameter_value(self, argument: ast.arg) -> Value:
        model = parameter(self.rules, self.place, argument.arg, argument.annotation)
        return (model,) if model is not None else self.class_variable(argument.arg) or (Text(argument.arg),)

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Run through statements in order; what one of them makes known holds for the rest."""
        for number, statement in enumerate(statements):
            if isinstance(statement, ast.If):
                tail = statements[number + 1 :]
                close = not statement.orelse and ends(statement.body) and 0 < len(tail) <= _TAIL
                self._if(statement, tail_error=error_of(tail) if close else None)
                continue
            visit = _VISIT.get(type(statement))
            if visit is not None:
                visit(self, statement)

    def _if(self, node: ast.If, tail_error: str | None = None, chain: tuple[Clause, ...] = ()) -> None:
        """`chain`: what is missing for certain because the tests before this `elif` said no."""
        outcome = self.test(node.test)
        missing = all_missing(chain, outcome.no.absent)
        continued = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        error, other_error = error_of(node.body), tail_error if not node.orelse else error_of(node.orelse)
        sure: frozenset[Fact] = frozenset()
        if error is not None and outcome.yes.absent:
            sure = self.fail(all_missing(self.absent, outcome.yes.absent), error)
        if other_error is not None and not continued and missing:
            sure |= self.fail(all_missing(self.absent, missing), other_error)
        message = error or other_error or ""
        before, present, absent = self.env, self.present, self.absent
        self._enter(outcome.yes, sure, message, absent)
        self.env = dict(before)
        self.block(node.body)
        body_env, self.env, self.present = self.env, dict(before), present
        self._enter(outcome.no, sure, message, absent)
        if continued and isinstance(node.orelse[0], ast.If):
            self._if(node.orelse[0], chain=missing)
        else:
            self.block(node.orelse)
        other_env, self.present, self.absent = self.env, present, absent
        self._meet(node, (body_env, other_env))
        if ends(node.body):
            self._enter(outcome.no, sure, message, absent)
        elif ends(node.orelse):
            self._enter(outcome.yes, sure, message, absent)

    def _enter(self, side: Side, sure: frozenset[Fact], message: str, absent: tuple[Clause, ...]) -> None:
        self.know(side, sure, message)
        self.absent = all_missing(absent, side.absent)

    def _meet(self, node: ast.If, paths: tuple[Environment, Environment]) -> None:
        body, other = paths
        if ends(node.body):
            self.env = other
        else:
            self.env = body if ends(node.orelse) else join(body, other)

    def _assert(self, node: ast.Assert) -> None:
        outcome = self.test(node.test)
        message = message_of(node.msg) if node.msg is not None else source(node)
        self.know(outcome.yes, self.fail(outcome.no.absent, message), message)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        value = self.elements(node.iter)
        self._loop(node, lambda: self.bind(node.target, value))

    def _while(self, node: ast.While) -> None:
        outcomes: list[Outcome] = []

        def enter() -> None:
            outcomes.append(self.test(node.test))
            self.know(outcomes[-1].yes)

        self._loop(node, enter)
        if not any(isinstance(n, ast.Break) for statement in node.body for n in ast.walk(statement)):
            self.know(outcomes[-1].no)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, enter: Callable[[], None]) -> None:
        """A first run without recording shows which names the body rebinds; the second one records."""
        present, before = self.present, self.env
        if not self._dry:
            marks = len(self.uses), len(self.returned), {k: len(v) for k, v in self.stored.items()}
            self._dry, self.env = True, dict(before)
            enter()
            self.block(node.body)
            self._dry = False
            del self.uses[marks[0] :], self.returned[marks[1] :]
            self.stored = {k: v[: marks[2].get(k, 0)] for k, v in self.stored.items()}
            before = join(before, {k: detached(v) if before.get(k) != v else v for k, v in self.env.items()})
        self.env, self.present = dict(before), present
        enter()
        self.block(node.body)
        self.env, self.present = join(before, self.env), present
        self.block(node.orelse)

    def _try(self, node: ast.Try) -> None:
        before, present, catches = self.env, self.present, self.catches
        catch = catch_of(node.handlers)
        self.catches = (*catches, catch) if catch else catches
        self.env = dict(before)
        self.block(node.body)
        self.catches = catches
        inside, known = self.env, self.present
        self.block(node.orelse)
        paths = [] if ends(node.orelse or node.body) else [self.env]
        for handler in node.handlers:
            self.env, self.present = join(before, inside), present
            if handler.name:
                self.env[handler.name] = OTHER
            self.block(handler.body)
            if not ends(handler.body):
                paths.append(self.env)
        self.present = known if all(ends(h.body) for h in node.handlers) else present
        self._join(paths, before)
        self.block(node.finalbody)

    def _join(self, paths: Sequence[Environment], before: Environment) -> None:
        """Go on where these paths meet; from `before` where none goes on."""
        self.env = paths[0] if paths else before
        for path in paths[1:]:
            self.env = join(self.env, path)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        catches = self.catches
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
            if isinstance(item.context_expr, ast.Call) and source(item.context_expr.func).endswith("suppress"):
                names = [source(a) for a in item.context_expr.args]
                if CATCHING.intersection(names):
                    self.catches = (*self.catches, Catch(f"suppress({', '.join(names)})"))
        self.block(node.body)
        self.catches = catches

    def _match(self, node: ast.Match) -> None:
        subject = self.value(node.subject)
        before, present = self.env, self.present
        paths = [] if is_total(node) else [before]
        for case in node.cases:
            self.env, self.present = dict(before), present
            for part in ast.walk(case.pattern):
                name = captured(part)
                if name:
                    self.env[name] = subject if part is case.pattern else OTHER
            if case.guard is not None:
                self.know(self.test(case.guard).yes)
            self.block(case.body)
            if not ends(case.body):
                paths.append(self.env)
        self.present = present
        self._join(paths, before)

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
        for default in (*node.args.defaults, *node.args.kw_defaults):
            self.value(default)
        state = self.env, self.place, self.returned, self.catches, self.present, self.absent
        self.env, self.returned, self.catches = dict(self.env), [], ()
        self.place = Place(self.place.classes, node.name)
        self.function(node)
        result = union(*self.returned)
        self.env, self.place, self.returned, self.catches, self.present, self.absent = state
        self.env[node.name] = (Returns(result),) if models(result) else OTHER

    def _class(self, node: ast.ClassDef) -> None:
        place, env = self.place, self.env
        for statement in node.body:
            if isinstance(statement, FunctionNode):
                self.place, self.env = Place((node.name,), self.place.function), dict(env)
                self._nested(statement)
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
    ast.For: Statements._for,
    ast.AsyncFor: Statements._for,
    ast.While: Statements._while,
    ast.Try: Statements._try,
    ast.TryStar: Statements._try,
    ast.With: Statements._with,
    ast.AsyncWith: Statements._with,
    ast.Match: Statements._match,
    ast.Return: Statements._return,
    ast.Expr: Statements._expressions,
    ast.Raise: Statements._expressions,
    ast.Assert: Statements._assert,
    ast.Delete: Statements._delete,
    ast.FunctionDef: Statements._nested,
    ast.AsyncFunctionDef: Statements._nested,
    ast.ClassDef: Statements._class,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import,
}
