"""What a name stands for that the function itself does not bind: a constant of the file."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from shimgen.index.use.record import Recorder
from shimgen.index.use.values import OTHER, Environment, Getter, Items, Row, Strings, Text, Value, union


class Lookups(Recorder):
    """Finds the constants of the file by name, where texts are asked for: few of a file's constants matter."""

    asking = False

    def value(self, node: ast.expr | None) -> Value:
        """What the expression can stand for."""
        raise NotImplementedError

    def resolved(self, node: ast.expr) -> Value:
        """What the expression stands for, constants included."""
        before, self.asking = self.asking, True
        value = self.value(node)
        self.asking = before
        return value

    def peek(self, node: ast.expr) -> Value:
        """The value of an expression that is evaluated elsewhere; records nothing."""
        raise NotImplementedError

    def constant(self, name: str) -> Value:
        """What the module binds a name to for good; () when this file does not show it."""
        if name in self.imports or not (self.asking or self.file.constants.is_function(name)):
            return ()
        found = self.file.constants.of_module(name)
        return () if found is None else self._evaluated(found, {})

    def class_constant(self, node: ast.Attribute) -> Value:
        """The same for `self.NAMES`, `cls.NAMES` and `Class.NAMES`."""
        if not (self.asking or self.file.constants.is_function(node.attr)):
            return ()
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        if owner in ("self", "cls"):
            itself = self.env.get(owner) == (Text(owner),)
            return self._of_classes(self.place.classes if itself else (), node.attr, heirs=True)
        return () if owner in self.env or owner in self.imports else self._of_classes((owner,), node.attr, heirs=False)

    def _of_classes(self, classes: Iterable[str], name: str, heirs: bool) -> Value:
        for cls in classes:
            found = self.file.constants.of_class(cls, name, heirs)
            if found:
                values = [self._evaluated(v, self._inside(c, v)) if v is not None else () for c, v in found]
                return union(*(value or OTHER for value in values))
        return ()

    def _inside(self, cls: ast.ClassDef, node: ast.expr) -> Environment:
        """What the names in a value mean that the class itself binds."""
        env: Environment = {}
        for name in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}:
            bound = [v for c, v in self.file.constants.of_class(cls.name, name, heirs=False) if c is cls]
            if bound:
                env[name] = (self._evaluated(bound[0], {}) if bound[0] is not None else ()) or OTHER
        return env

    def _evaluated(self, node: ast.expr, env: Environment) -> Value:
        """The value of a constant, found once for the file; () for what is no text."""
        values = self.file.constants.values
        if node not in values:
            values[node] = ()
            state = self.env, self.imports, self.asking
            self.env, self.imports, self.asking = env, self.file.imports, True
            values[node] = _plain(self.peek(node))
            self.env, self.imports, self.asking = state
        return values[node]


def _plain(value: Value) -> Value:
    """The value as far as it is made of texts; () when nothing is."""
    kept: Value = ()
    for binding in value:
        if isinstance(binding, Strings | Getter):
            kept += (binding,)
        elif isinstance(binding, Row):
            kept += (Row(tuple(_plain(v) or OTHER for v in binding.values)),)
        elif isinstance(binding, Items):
            kept += (Items(_plain(binding.elements) or OTHER),)
        else:
            kept += OTHER
    return kept if kept != OTHER else ()
