"""The state of a pass over one function: what is known, what has been recorded, and under which guards."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from msgspec.structs import replace

from shimgen.index.use.names import Names
from shimgen.index.use.rules import Place, Rules
from shimgen.index.use.values import Clause, Environment, Fact, Model, Side, Text, Value
from shimgen.model.facts import CallShape, Expr, Use

_WIDTH = 100


def source(node: ast.AST) -> str:
    """The node's source in canonical spacing, cut to one readable line."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."


@dataclass(frozen=True, slots=True)
class Catch:
    """A `try` around a use: its handler for AttributeError, which may raise an error of its own."""

    text: str
    raises: bool = False
    message: str = ""


@dataclass(slots=True)
class Detail:
    """What is particular about one use."""

    kind: str
    line: int
    receiver: str
    shape: CallShape | None = None
    value: Expr | None = None
    parameter: str = ""
    probe: str = ""
    guarded: bool = False


class Recorder:
    """Records uses of members together with the guard that dominates them."""

    def __init__(self, rules: Rules, names: Names, place: Place, env: Environment) -> None:
        self.rules = rules
        self.package = names.package
        self.imports = names.imports
        self.place = place
        self.env = env
        self.uses: list[Use] = []
        self.present: tuple[Fact, ...] = ()
        self.absent: tuple[Clause, ...] = ()
        self.catches: tuple[Catch, ...] = ()
        self.returned: list[Value] = []
        self.stored: dict[str, list[Value]] = {}

    def record(self, model: Model, member: str, detail: Detail) -> tuple[int, ...]:
        """Note one use. Returns its place among the recorded uses, for a later `fail`."""
        if member.startswith("__") and member.endswith("__"):
            return ()
        guarded, guard, message = self._guard(model, member)
        if detail.probe:
            guarded, guard, message = True, detail.probe, ""
        elif detail.guarded and not guarded:
            guarded = True
        use = Use(
            member=member,
            line=detail.line,
            kind="class" if model.cls and detail.kind != "isinstance" else detail.kind,
            receiver=detail.receiver,
            rule=model.rule,
            guarded=guarded,
            guard=guard,
            function=self.place.qualified,
            shape=detail.shape,
            message=message,
            value=detail.value,
            ambiguous=model.ambiguous or "*" in member,
            parameter=detail.parameter,
        )
        self.uses.append(use)
        return (len(self.uses) - 1,)

    def _guard(self, model: Model, member: str) -> tuple[bool, str, str]:
        sibling: Fact | None = None
        for fact in reversed(self.present):
            if fact.key != model.key:
                continue
            if fact.member == member:
                return (False, "", fact.message) if fact.raises else (True, fact.text, "")
            if sibling is None and not fact.raises and not fact.exact:
                sibling = fact
        for catch in reversed(self.catches):
            return (False, "", catch.message) if catch.raises else (True, catch.text, "")
        return (True, sibling.text, "") if sibling else (False, "", "")

    def fail(self, clauses: tuple[Clause, ...], message: str) -> frozenset[Fact]:
        """The engine raises when one of the clauses holds: mark the probes. Returns the facts that alone suffice.

        A clause of several facts lists alternatives, of which the model needs one: those probes stay guarded.
        """
        alone = frozenset(fact for clause in clauses if len(clause) == 1 for fact in clause)
        for fact in frozenset(fact for clause in clauses for fact in clause):
            for entry in fact.entries:
                if entry < len(self.uses):
                    use = self.uses[entry]
                    guarded = use.guarded and fact not in alone
                    self.uses[entry] = replace(use, guarded=guarded, message=message)
        return alone

    def know(self, side: Side, alone: frozenset[Fact] = frozenset(), message: str = "") -> None:
        """From here on the side's facts hold; those in `alone` because the engine raises otherwise."""
        failing = {(fact.key, fact.member) for fact in alone}
        self.present += tuple(
            replace(fact, raises=True, message=message) if (fact.key, fact.member) in failing else fact
            for fact in side.present
        )

    def chains(self, node: ast.expr) -> tuple[str, ...]:
        """The dotted chains that an expression may stand for, without calls and subscripts; () when it is no chain."""
        if isinstance(node, ast.Name):
            texts = tuple(b.dotted for b in self.env.get(node.id, ()) if isinstance(b, Text))
            return texts[:4] or (node.id,)
        if isinstance(node, ast.Attribute):
            return tuple(f"{text}.{node.attr}" for text in self.chains(node.value))
        if isinstance(node, ast.Call):
            return self.chains(node.func)
        if isinstance(node, ast.Subscript | ast.Await | ast.Starred):
            return self.chains(node.value)
        return ()

    def reached(self, node: ast.expr) -> Value:
        """The models that the profile's expression rules see in a chain; () when none does."""
        last = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if last not in self.rules.expressions:
            return ()
        return self._models(self.chains(node))

    def _models(self, chains: tuple[str, ...]) -> Value:
        found: list[Model] = []
        for chain in chains:
            index = self.rules.find(self.rules.expressions, chain, self.place)
            if index is not None:
                found.append(Model(index, chain, self.rules.rule(index).ambiguous))
        return tuple(found)

    def accessed(self, function: ast.expr) -> Value:
        """The models that the profile's accessor rules see in a callee, as written or as imported; () when none."""
        last = function.attr if isinstance(function, ast.Attribute) else ""
        if isinstance(function, ast.Name):
            last = self.imports.get(function.id, function.id).rpartition(".")[2]
        if last not in self.rules.accessors:
            return ()
        found: list[Model] = []
        for chain in self.chains(function):
            head, dot, rest = chain.partition(".")
            imported = self.imports.get(head, head) + dot + rest
            fitting = (self.rules.find(self.rules.accessors, n, self.place) for n in (chain, imported))
            index = next((i for i in fitting if i is not None), None)
            if index is not None:
                found.append(Model(index, f"{chain}()", self.rules.rule(index).ambiguous))
        return tuple(found)
