"""The state of a pass over one function: what is known, what has been recorded, and under which guards."""

from __future__ import annotations

import ast

import msgspec
from msgspec.structs import replace

from shimgen.index.use.names import Names
from shimgen.index.use.rules import Place, Rules, Table
from shimgen.index.use.values import Clause, Environment, Fact, Model, Side, Text, Value
from shimgen.model.facts import CallShape, Expr, Use
from shimgen.syntax import source_of

_WIDTH = 100
_MANY = 4
SEQUENCES = ("list", "tuple", "reversed", "sorted", "iter", "set", "frozenset")
"""Builtin functions that hand out what is in their argument."""


def source(node: ast.AST) -> str:
    """The node's source in canonical spacing, cut to one readable line."""
    text = " ".join(source_of(node).split())
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."


class Catch(msgspec.Struct, frozen=True):
    """A `try` around a use: its handler for AttributeError, which may raise an error of its own."""

    text: str
    raises: bool = False
    message: str = ""


class Detail(msgspec.Struct):
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
        self.file = names
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
            ambiguous=model.ambiguous or "*" in member or self._is_named(model),
            parameter=detail.parameter,
        )
        self.uses.append(use)
        return (len(self.uses) - 1,)

    def _is_named(self, model: Model) -> bool:
        """Whether this is for models of one class, by its name: no other needs what it uses here."""
        return any(fact.named and fact.key == model.key for fact in self.present)

    def _guard(self, model: Model, member: str) -> tuple[bool, str, str]:
        sibling: Fact | None = None
        for fact in reversed(self.present):
            if fact.key != model.key:
                continue
            if fact.member == member:
                return (False, "", fact.message) if fact.raises else (True, fact.text, "")
            if sibling is None and not fact.raises and not fact.exact:
                sibling = fact
        sibling = sibling or self._alternative(model, member)
        for catch in reversed(self.catches):
            return (False, "", catch.message) if catch.raises else (True, catch.text, "")
        return (True, sibling.text, "") if sibling else (False, "", "")

    def _alternative(self, model: Model, member: str) -> Fact | None:
        """The member is used although a probe has just said no: that fails only where its alternatives lack too."""
        for clause in self.absent:
            asked = {fact.member: fact for fact in clause if fact.key == model.key}
            if len(asked) > 1 and member in asked:
                return next(fact for name, fact in sorted(asked.items()) if name != member)
        return None

    def fail(self, clauses: tuple[Clause, ...], message: str) -> frozenset[Fact]:
        """The engine raises when one of the clauses holds: mark the probes. Returns the members that alone suffice.

        A clause of several facts lists alternatives, of which the model needs one: those probes stay guarded. A test
        of the whole model guards what follows, since only models that pass it get there.
        """
        alone = frozenset(fact for clause in clauses if len(clause) == 1 for fact in clause)
        for fact in frozenset(fact for clause in clauses for fact in clause):
            for entry in fact.entries:
                if entry < len(self.uses):
                    use = self.uses[entry]
                    guarded = use.guarded and fact not in alone
                    self.uses[entry] = replace(use, guarded=guarded, message=message)
        return frozenset(fact for fact in alone if fact.member)

    def know(self, side: Side, alone: frozenset[Fact] = frozenset(), message: str = "") -> None:
        """From here on the side's facts hold; those in `alone` because the engine raises otherwise."""
        failing = {(fact.key, fact.member) for fact in alone}
        self.present += tuple(
            replace(fact, raises=True, message=message) if (fact.key, fact.member) in failing else fact
            for fact in side.present
        )

    def chains(self, node: ast.expr) -> tuple[tuple[str, ...], ...]:
        """The dotted chains that an expression may stand for, without calls and subscripts; () when it is no chain.

        Each alternative is a tuple of spellings that mean the same: as written, and with what an attribute of self
        was set to in its place.
        """
        if isinstance(node, ast.Name):
            texts = [b.dotted for b in self.env.get(node.id, ()) if isinstance(b, Text)]
            return tuple((text,) for text in texts[:_MANY]) or ((node.id,),)
        if isinstance(node, ast.Attribute):
            found = tuple(tuple(f"{c}.{node.attr}" for c in chain) for chain in self.chains(node.value))
            key = f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else ""
            aliases = [b.dotted for b in self.env.get(key, ()) if isinstance(b, Text)]
            return tuple((*chain, alias) for chain in found for alias in aliases[:_MANY]) or found
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            inside = name in (*SEQUENCES, "next") and name not in self.env and bool(node.args)
            return self.chains(node.args[0] if inside else node.func)
        if isinstance(node, ast.Subscript | ast.Await | ast.Starred):
            return self.chains(node.value)
        return ()

    def reached(self, node: ast.expr) -> Value:
        """The models that the profile's expression rules see in a chain; () when none does."""
        last = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if last not in self.rules.expressions:
            return ()
        return self._models(self.rules.expressions, self.chains(node), "")

    def class_variable(self, name: str) -> Value:
        """The model's class, when the profile knows a variable of that name; () when it does not."""
        if name not in self.rules.class_variables:
            return ()
        index = self.rules.find(self.rules.class_variables, name, self.place)
        return () if index is None else (Model(index, name, self.rules.rule(index).ambiguous, cls=True),)

    def attribute_of(self, node: ast.expr, name: str) -> Value:
        """The models that the expression rules see in an attribute that `getattr` looks up by name."""
        if name.rpartition(".")[2] not in self.rules.expressions:
            return ()
        chains = tuple(tuple(f"{spelling}.{name}" for spelling in chain) for chain in self.chains(node))
        return self._models(self.rules.expressions, chains, "")

    def accessed(self, function: ast.expr) -> Value:
        """The models that the profile's accessor rules see in a callee, as written or as imported; () when none."""
        last = function.attr if isinstance(function, ast.Attribute) else ""
        if isinstance(function, ast.Name):
            last = self.imports.get(function.id, function.id).rpartition(".")[2]
        if last not in self.rules.accessors:
            return ()
        chains = tuple((*chain, self.imported(chain[0])) for chain in self.chains(function))
        return self._models(self.rules.accessors, chains, "()")

    def imported(self, chain: str) -> str:
        head, dot, rest = chain.partition(".")
        return self.imports.get(head, head) + dot + rest

    def _models(self, table: Table, chains: tuple[tuple[str, ...], ...], suffix: str) -> Value:
        """One model for each alternative that a rule fits; of several spellings the most special rule counts."""
        found: list[Model] = []
        for chain in chains:
            fitting = [self.rules.find(table, spelling, self.place) for spelling in chain]
            known = [index for index in fitting if index is not None]
            if known:
                found.append(Model(min(known), chain[0] + suffix, self.rules.rule(min(known)).ambiguous))
        return tuple(dict.fromkeys(found))
