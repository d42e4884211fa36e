"""Texts, and sequences of them: the names of members that the source looks up."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import product
from math import prod

from shimgen.index.use.lookup import Lookups
from shimgen.index.use.values import OTHER, Items, Row, Strings, Value, union

_MANY = 64


def texts_of(value: Value) -> tuple[str, ...]:
    """The texts that a value can be; () when it may be something else."""
    names = tuple(n for b in value if isinstance(b, Strings) for n in b.names)
    return names if all(isinstance(b, Strings) for b in value) else ()


def _joined(pieces: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The texts that alternatives give one after the other; () when a piece is not known, or they are too many."""
    return tuple(map("".join, product(*pieces))) if prod(map(len, pieces)) <= _MANY else ()


class Texts(Lookups):
    """Evaluates texts, put together or not, and tuples and lists."""

    def children(self, node: ast.AST) -> Value:
        """Evaluates what an expression is made of, for the uses in it."""
        raise NotImplementedError

    def row(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        """Elements that are written out, with those of known sequences in their places."""
        values: list[Value] = []
        sized = True
        for element in node.elts:
            value = self.value(element)
            rows = [b.values for b in value if isinstance(b, Row)]
            if not isinstance(element, ast.Starred):
                values.append(value)
            elif len(rows) == len(value) == 1:
                values.extend(rows[0])
            else:
                sized = False
                values.append(self.elements_of(value) or OTHER)
        return (Row(tuple(values)) if sized else Items(union(*values)),)

    def sum(self, node: ast.BinOp) -> Value:
        """Texts, or tuples and lists, put together."""
        left, right = self.value(node.left), self.value(node.right)
        if not isinstance(node.op, ast.Add):
            return OTHER
        if texts := _joined((texts_of(left), texts_of(right))):
            return (Strings(texts),)
        one, other = ([b.values for b in v if isinstance(b, Row)] for v in (left, right))
        if len(one) == len(left) == len(other) == len(right) == 1:
            return (Row((*one[0], *other[0])),)
        return OTHER

    def elements_of(self, value: Value) -> Value:
        """The elements of sequences whose elements are known; () when there are none."""
        results: list[Value] = [b.elements for b in value if isinstance(b, Items)]
        results.extend(v for b in value if isinstance(b, Row) for v in b.values)
        return union(*results)

    def names(self, node: ast.expr) -> tuple[str, ...]:
        """The member names that an expression can be; what the source computes becomes "*"."""
        strings = tuple(n for b in self.resolved(node) if isinstance(b, Strings) for n in b.names)
        if strings:
            return strings
        if isinstance(node, ast.JoinedStr):
            return _joined([self._piece(v) or ("*",) for v in node.values]) or ("*",)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return tuple(a + b for a in self.names(node.left) for b in self.names(node.right))
        return ("*",)

    def format(self, node: ast.JoinedStr) -> Value:
        """A text with the known texts that are put into it."""
        texts = _joined([self._piece(v) for v in node.values])
        return (Strings(texts),) if texts else OTHER

    def _piece(self, node: ast.expr) -> tuple[str, ...]:
        if isinstance(node, ast.FormattedValue):
            plain = node.format_spec is None and node.conversion < 0
            return texts_of(self.value(node.value) if plain else self.children(node))
        return texts_of(self.value(node))
