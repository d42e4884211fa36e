"""Tests: which members are known to be there, or to be missing, on either side of a condition."""

from __future__ import annotations

import ast
from functools import reduce
from itertools import product

from shimgen.index.use.builtins import Builtins
from shimgen.index.use.record import Detail, source
from shimgen.index.use.values import (
    NOTHING_KNOWN,
    ClassName,
    Clause,
    Fact,
    Member,
    Model,
    Outcome,
    Parameters,
    Row,
    Side,
    Value,
    models,
    union,
)

_MANY = 8
_ANSWERS = frozenset(("hasattr", "isinstance", "issubclass", "callable", "bool"))


def all_missing(one: tuple[Clause, ...], other: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """The clauses under which both sides' members are missing; a side without clauses says nothing."""
    if not one or not other:
        return one or other
    return tuple(dict.fromkeys(a | b for a, b in product(one, other)))[:_MANY]


def both(one: Side, other: Side) -> Side:
    """Both sides hold."""
    return Side(tuple(dict.fromkeys(one.present + other.present)), all_missing(one.absent, other.absent))


def either(one: Side, other: Side) -> Side:
    """One of the sides holds. That some member of several is there is known only when both sides say so."""
    present = one.present + other.present if one.present and other.present else ()
    return Side(tuple(dict.fromkeys(present)), tuple(dict.fromkeys(one.absent + other.absent))[:_MANY])


def there(facts: tuple[Fact, ...]) -> Outcome:
    """A test that is true when the members are there."""
    clauses = tuple(frozenset((fact,)) for fact in facts if fact.member or fact.entries)
    return Outcome(Side(present=facts), Side(absent=clauses)) if facts else NOTHING_KNOWN


def _together(side: Side) -> Side:
    """A side that holds for every one of several names at once, where one test said it of one of them."""
    missing = frozenset[Fact]().union(*side.absent)
    return Side(side.present, (missing,) if len({fact.text for fact in missing}) == 1 else ())


class Conditions(Builtins):
    """Evaluates expressions in a boolean context."""

    _last: Value = ()

    def test(self, node: ast.expr) -> Outcome:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            outcome = self.test(node.operand)
            return Outcome(outcome.no, outcome.yes) if outcome else outcome
        if isinstance(node, ast.BoolOp):
            return self.sequence(node)[0]
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in self.env:
            return self._predicate(node, node.func.id)
        if isinstance(node, ast.UnaryOp):
            self.value(node.operand)
            return NOTHING_KNOWN
        return self._truth(node, self.value(node))

    def sequence(self, node: ast.BoolOp) -> tuple[Outcome, list[Value]]:
        before = self.present
        conjunction = isinstance(node.op, ast.And)
        outcome: Outcome | None = None
        values: list[Value] = []
        for operand in node.values:
            self._last = ()
            result = self.test(operand)
            values.append(self._last)
            outcome = result if outcome is None else self._combine(outcome, result, conjunction)
            self.know(result.yes if conjunction else result.no)
        self.present = before
        self._last = union(*values)
        return outcome or NOTHING_KNOWN, values

    def _combine(self, one: Outcome, other: Outcome, conjunction: bool) -> Outcome:
        if conjunction:
            return Outcome(both(one.yes, other.yes), either(one.no, other.no))
        return Outcome(either(one.yes, other.yes), both(one.no, other.no))

    def _truth(self, node: ast.expr, value: Value) -> Outcome:
        """A value in a boolean context: a probe's result, or a variable that holds one."""
        self._last = value
        for binding in value:
            if isinstance(binding, Outcome):
                return binding
        return there(self._probed(value, node))

    def _probed(self, value: Value, node: ast.expr) -> tuple[Fact, ...]:
        """The facts that a truthy value stands for: the members that `getattr` with a default found."""
        members = [b for b in value if isinstance(b, Member) and b.default is not None]
        return tuple(Fact(b.model.key, b.name, b.probe or source(node), b.entries) for b in members)

    def _predicate(self, node: ast.Call, name: str) -> Outcome:
        if name == "hasattr" and len(node.args) == 2:
            return self._has(node)
        if name in ("isinstance", "issubclass") and len(node.args) == 2:
            return self._is(node)
        if name in ("any", "all") and len(node.args) == 1:
            return self._of_each(node.args[0], conjunction=name == "all")
        if name in ("callable", "bool") and len(node.args) == 1:
            return self.test(node.args[0])
        if self.is_predicate(node):
            self.children(node)
            asked = models(self.peek(node.args[0]))
            return there(tuple(self._tested(m, name, node, source(node.args[0])) for m in asked))
        return self._truth(node, self.children(node) if name in _ANSWERS else self.value(node))

    def _of_each(self, node: ast.expr, conjunction: bool) -> Outcome:
        """`any` and `all` of tests that are written out, or made by a comprehension for names that are known."""
        value = self.value(node)
        rows = [b.values for b in value if isinstance(b, Row)]
        if len(rows) == len(value) == 1:
            outcomes = [self._truth(node, v) for v in rows[0]] or [NOTHING_KNOWN]
            return reduce(lambda one, other: self._combine(one, other, conjunction), outcomes)
        if not isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp):
            return self._truth(node, value)
        outcome = self._truth(node, self.elements_of(value))
        whole = len(node.generators) == 1 and not node.generators[0].ifs
        yes, no = (_together(s) if c is conjunction else s for s, c in ((outcome.yes, True), (outcome.no, False)))
        if conjunction:
            return Outcome(yes if whole else Side(), no)
        return Outcome(yes, no if whole else Side())

    def _has(self, node: ast.Call) -> Outcome:
        found = models(self.value(node.args[0]))
        names = self.names(node.args[1])
        if not found:
            return NOTHING_KNOWN
        text = source(node)
        detail = Detail("probe", node.args[1].lineno, source(node.args[0]), probe=text)
        return there(tuple(Fact(m.key, n, text, self.record(m, n, detail)) for m in found for n in names))

    def _is(self, node: ast.Call) -> Outcome:
        found = models(self.value(node.args[0]))
        self.value(node.args[1])
        classes = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
        receiver = source(node.args[0])
        facts = tuple(self._tested(m, source(cls), node, receiver) for m in found for cls in classes)
        if any(source(cls).rpartition(".")[2] == "Module" for cls in classes):
            return NOTHING_KNOWN
        missing = (frozenset(facts),) if facts else ()  # one of several classes is enough
        return Outcome(Side(present=facts), Side(absent=missing))

    def _tested(self, model: Model, name: str, node: ast.Call, receiver: str) -> Fact:
        """A test of the whole model, by a class or by a function of that name."""
        text = source(node)
        return Fact(
            model.key, "", text, self.record(model, name, Detail("isinstance", node.lineno, receiver, probe=text))
        )

    def _compare(self, node: ast.Compare) -> Outcome:
        left, *others = (self.value(e) for e in (node.left, *node.comparators))
        if len(others) != 1:
            return NOTHING_KNOWN
        operator, right = node.ops[0], others[0]
        if isinstance(operator, ast.In | ast.NotIn) and any(isinstance(b, Parameters) for b in right):
            return self._parameter(node, right)
        named = tuple(b for b in (*left, *right) if isinstance(b, ClassName))
        if named:
            return self._sided(operator, tuple(Fact(b.key, "", source(node), named=True) for b in named))
        for value, other in ((left, node.comparators[0]), (right, node.left)):
            outcomes = [b for b in value if isinstance(b, Outcome)]
            if outcomes and isinstance(other, ast.Constant) and isinstance(other.value, bool):
                outcome = outcomes[0] if other.value else Outcome(outcomes[0].no, outcomes[0].yes)
                return outcome if isinstance(operator, ast.Eq | ast.Is) else Outcome(outcome.no, outcome.yes)
            if facts := self._probed(value, node):
                return self._against(operator, source(other), value, facts)
        return NOTHING_KNOWN

    def _sided(self, operator: ast.cmpop, facts: tuple[Fact, ...]) -> Outcome:
        outcome = Outcome(yes=Side(present=facts))
        negative = isinstance(operator, ast.NotEq | ast.IsNot | ast.NotIn)
        return Outcome(outcome.no, outcome.yes) if negative else outcome

    def _against(self, operator: ast.cmpop, other: str, value: Value, facts: tuple[Fact, ...]) -> Outcome:
        """A probe's result compared with something: equal to the default means that the member may be missing."""
        outcome = there(facts)
        default = any(isinstance(b, Member) and b.default == other for b in value)
        if isinstance(operator, ast.Eq | ast.Is):
            return Outcome(outcome.no, outcome.yes) if default else Outcome(yes=outcome.yes)
        if isinstance(operator, ast.NotEq | ast.IsNot):
            return outcome if default else Outcome(no=outcome.yes)
        return Outcome(yes=outcome.yes)

    def _parameter(self, node: ast.Compare, right: Value) -> Outcome:
        """`"x" in inspect.signature(model.forward).parameters`."""
        names = self.names(node.left)
        for binding in right:
            if isinstance(binding, Parameters):
                for name in names:
                    detail = Detail("signature", node.left.lineno, binding.receiver, parameter=name)
                    self.record(binding.model, binding.member, detail)
        return NOTHING_KNOWN
