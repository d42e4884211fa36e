"""Statements of which not all run: the paths through a function, and what is known on each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from shimgen.index.flow import is_total
from shimgen.index.use.blocks import CATCHING, catch_of, ends, error_of, message_of
from shimgen.index.use.conditions import Conditions, all_missing
from shimgen.index.use.record import Catch, source
from shimgen.index.use.values import OTHER, Clause, Environment, Fact, Outcome, Side, detached, join
from shimgen.syntax import captured


class Paths(Conditions):
    """Runs through statements with branches; how others are run is for subclasses to say."""

    _dry = False

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Run through statements in order."""
        raise NotImplementedError

    def if_(self, node: ast.If, tail_error: str | None = None, chain: tuple[Clause, ...] = ()) -> None:
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
            self.if_(node.orelse[0], chain=missing)
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

    def assert_(self, node: ast.Assert) -> None:
        outcome = self.test(node.test)
        message = message_of(node.msg) if node.msg is not None else source(node)
        if node.msg is not None:
            self.under(outcome.no, node.msg)
        self.know(outcome.yes, self.fail(outcome.no.absent, message), message)

    def for_(self, node: ast.For | ast.AsyncFor) -> None:
        value = self.elements(node.iter)
        self._loop(node, lambda: self.bind(node.target, value))

    def while_(self, node: ast.While) -> None:
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

    def try_(self, node: ast.Try) -> None:
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
        if node.finalbody:
            self._finally(node.finalbody, join(before, inside), present)

    def _finally(self, body: Sequence[ast.stmt], left: Environment, present: tuple[Fact, ...]) -> None:
        """What runs on every way out: also with an environment in which the statements before were `left`, and with
        no more than was `present` before them."""
        env, known = self.env, self.present
        before = self.env = join(env, left)
        self.present = present
        self.block(body)
        self.env = {**env, **{name: value for name, value in self.env.items() if before.get(name) != value}}
        self.present = known + self.present[len(present) :]

    def _join(self, paths: Sequence[Environment], before: Environment) -> None:
        """Go on where these paths meet; from `before` where none goes on."""
        self.env = paths[0] if paths else before
        for path in paths[1:]:
            self.env = join(self.env, path)

    def with_(self, node: ast.With | ast.AsyncWith) -> None:
        catches = self.catches
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
            if isinstance(item.context_expr, ast.Call) and source(item.context_expr.func).endswith("suppress"):
                names = [source(a) for a in item.context_expr.args]
                if CATCHING.intersection(names):
                    self.catches = (*self.catches, Catch(f"suppress({', '.join(names)})"))
        before, present, left_early = dict(self.env), self.present, self.catches != catches
        self.block(node.body)
        self.catches = catches
        if left_early:
            self.env, self.present = join(before, self.env), present

    def match(self, node: ast.Match) -> None:
        subject = self.value(node.subject)
        before, present = self.env, self.present
        paths = [] if is_total(node) else [before]
        for case in node.cases:
            self.env, self.present = dict(before), present
            for part in ast.walk(case.pattern):
                name = captured(part)
                if name:
                    self.env[name] = subject if part is case.pattern else OTHER
                if isinstance(part, ast.MatchValue):
                    self.value(part.value)
            if case.guard is not None:
                self.know(self.test(case.guard).yes)
            self.block(case.body)
            if not ends(case.body):
                paths.append(self.env)
        self.present = present
        self._join(paths, before)
