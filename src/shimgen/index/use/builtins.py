"""Builtin functions that look up, probe, set or pass on what they are given."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fnmatch import fnmatchcase

from shimgen.index.use.constants import GETTERS
from shimgen.index.use.expressions import Expressions
from shimgen.index.use.record import SEQUENCES, Detail, source
from shimgen.index.use.texts import texts_of
from shimgen.index.use.values import OTHER, Getter, Items, Member, Model, Row, Value, models, union
from shimgen.syntax import chain_of, root_of


class Builtins(Expressions):
    """Evaluates calls of builtin functions."""

    def builtin(self, name: str, node: ast.Call) -> Value:
        handle = _BUILTINS.get(name)
        if handle is not None:
            return handle(self, node)
        return self.outcome(node) if self.is_predicate(node) else ()

    def getter(self, node: ast.Call) -> Value:
        function, made = node.func, ""
        if isinstance(function, ast.Name) and function.id not in self.env:
            made = self.imports.get(function.id, "")
        elif isinstance(function, ast.Attribute) and function.attr in GETTERS:
            made = "" if root_of(function) in self.env else self.imported(chain_of(function))
        if made not in ("operator.attrgetter", "operator.methodcaller") or not node.args:
            return ()
        calling = made == "operator.methodcaller"
        names = [n for a in node.args[: 1 if calling else None] for n in self._listed(a)]
        self.children(node)
        return (Getter(tuple(names), node if calling else None),)

    def _listed(self, node: ast.expr) -> tuple[str, ...]:
        if not isinstance(node, ast.Starred):
            return self.names(node)
        return texts_of(self.elements_of(self.resolved(node))) or ("*",)

    def got(self, getter: Getter, node: ast.Call) -> Value:
        """The same as the attribute, or the call, written out."""
        found: list[Value] = []
        place = {"lineno": node.lineno, "col_offset": node.col_offset, "end_lineno": node.lineno}
        for name in getter.names if len(node.args) == 1 else ():
            target = node.args[0]
            for part in name.split("."):
                target = ast.Attribute(target, part, ast.Load(), **place)
            if getter.call is not None:
                target = ast.Call(target, getter.call.args[1:], getter.call.keywords, **place)
            found.append(self.value(target))
        return union(*found)

    def is_predicate(self, node: ast.Call) -> bool:
        """Whether a call asks a function of the profile's predicates about a model."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        known = bool(name and node.args) and any(fnmatchcase(name, g) for g in self.rules.profile.predicates)
        return known and bool(models(self.peek(node.args[0])))

    def _getattr(self, node: ast.Call) -> Value:
        if len(node.args) < 2:
            return self.children(node)
        found = models(self.value(node.args[0]))
        default = self.value(node.args[2]) if len(node.args) > 2 else ()
        names = self.names(node.args[1])
        if not found:
            reached = self.attribute_of(node.args[0], names[0]) if len(names) == 1 else ()
            return union(reached, default) or OTHER
        text = source(node.args[2]) if len(node.args) > 2 else None
        probe = source(node) if text is not None else ""
        detail = Detail("read" if text is None else "probe", node.args[1].lineno, source(node.args[0]), probe=probe)
        members = tuple(Member(m, n, self.record(m, n, detail), text, probe) for m in found for n in names)
        return union(members, default)

    def _setattr(self, node: ast.Call) -> Value:
        if len(node.args) != 3:
            return self.children(node)
        found = models(self.value(node.args[0]))
        self.value(node.args[2])
        for name in self.names(node.args[1]):
            self.write(found, name, node.args[1].lineno, node.args[0], node.args[2])
        return OTHER

    def _delattr(self, node: ast.Call) -> Value:
        if len(node.args) != 2:
            return self.children(node)
        for model in models(self.value(node.args[0])):
            for name in self.names(node.args[1]):
                self.record(model, name, Detail("delete", node.args[1].lineno, source(node.args[0])))
        return OTHER

    def _type(self, node: ast.Call) -> Value:
        value = self.value(node.args[0]) if len(node.args) == 1 else self.children(node)
        return tuple(Model(m.rule, m.key, m.ambiguous, cls=True) for m in models(value)) or OTHER

    def _second(self, node: ast.Call) -> Value:
        return self.value(node.args[1]) if len(node.args) == 2 else self.children(node)

    def _enumerate(self, node: ast.Call) -> Value:
        elements = self.elements(node.args[0]) if node.args else OTHER
        return (Items((Row((OTHER, elements)),)),)

    def _zip(self, node: ast.Call) -> Value:
        return (Items((Row(tuple(self.elements(a) for a in node.args)),)),)

    def _same(self, node: ast.Call) -> Value:
        if len(node.args) != 1:
            return self.children(node)
        for keyword in node.keywords:
            self.value(keyword.value)
        return (Items(self.elements(node.args[0])),)


_BUILTINS: dict[str, Callable[[Builtins, ast.Call], Value]] = {
    **dict.fromkeys(("hasattr", "isinstance", "issubclass", "callable", "bool", "any", "all"), Builtins.outcome),
    "getattr": Builtins._getattr,
    "setattr": Builtins._setattr,
    "delattr": Builtins._delattr,
    "type": Builtins._type,
    "cast": Builtins._second,
    "enumerate": Builtins._enumerate,
    "zip": Builtins._zip,
    "signature": lambda self, node: self.signature(node) or self.children(node),
    **dict.fromkeys(SEQUENCES, Builtins._same),
}
