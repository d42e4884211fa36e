"""Where the members of a wrapper go through what it holds: the forwards that someone wrote by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from shimgen.model.calling import positional
from shimgen.model.facts import CallShape, Expr, Function

# getattr(x, "name") and hasattr(x, "name") look a name up as an attribute access does.
_LOOKUPS = frozenset(("hasattr", "getattr"))
_QUIET = _LOOKUPS | {"isinstance", "callable", "len", "list", "tuple", "dict", "super"}


class Through(msgspec.Struct, frozen=True):
    """One use of `self.<chain>` in a method, e.g. "language_model.start_layer".

    `call`: the call when it is one. `guarded`: the method first looks whether the name is there, or catches the
    AttributeError. `always`: no condition stands before a call. `forward`: the method is a forward to the chain;
    `pure`: and does nothing else.
    """

    chain: str
    line: int
    call: Expr | None = None
    guarded: bool = False
    always: bool = True
    forward: bool = False
    pure: bool = False


def goes_through(function: Function) -> tuple[Through, ...]:
    """What a method uses of the objects that its own object holds, sorted by line; () for other functions."""
    if not function.params or function.kind in ("classmethod", "staticmethod"):
        return ()
    body = _Body(function)
    found: dict[tuple[str, bool], Through] = {}
    for through in (*body.calls(), *body.reads(), *body.values(), *body.looked_up):
        called = found.get((through.chain, True))
        if called is None or through.call is not None:
            found.setdefault((through.chain, through.call is not None), body.marked(through))
    return tuple(sorted(found.values(), key=lambda t: (t.line, t.chain)))


class _Body:
    """The body of one method, with `own` the name of its object and `aliases` local names of what that holds."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._own = function.first
        self._aliases: dict[str, str] = {}
        self._aliases = dict(self._always_one_chain())
        self.looked_up = tuple(self._lookups())
        self._returned = frozenset(chain for chain, *_ in self._from_values())

    def _always_one_chain(self) -> Iterator[tuple[str, str]]:
        """Local names that hold one chain wherever they are assigned: lm = self.language_model."""
        chains: dict[str, set[str]] = {}
        for store in self._function.stores:
            if "." not in store.target:
                value = store.value if store.how == "assign" else None
                chain = "" if value is None else self.chain(value) or self._looked_up(value)
                chains.setdefault(store.target, set()).add(chain)
        for name, found in chains.items():
            if len(found) == 1 and "" not in found:
                yield name, next(iter(found))

    def chain(self, expr: Expr) -> str:
        """The chain below the method's object that an expression names, "" when it names none. A call of a method
        without arguments may stand in it: "get_language_model().start_layer"."""
        if expr.op == "attr":
            inner = expr.parts[0]
            called = inner.op == "call" and len(inner.parts) == 1
            base = self.chain(inner.parts[0] if called else inner)
            return f"{base}{'()' if called else ''}.{expr.text}" if base else ""
        if expr.op != "name":
            return ""
        head, _, rest = expr.text.partition(".")
        if head == self._own:
            return rest
        held = self._aliases.get(head, "")
        return ".".join(part for part in (held, rest) if part) if held else ""

    def calls(self) -> Iterator[Through]:
        """Calls of chains."""
        for call in self._function.calls:
            chain = self.chain(call.expr.parts[0])
            if chain:
                yield Through(chain, call.line, call.expr, always=not call.branch)

    def values(self) -> Iterator[Through]:
        """Chains in what is returned (calls of local aliases are seen only there)."""
        for chain, value, line in self._from_values():
            called = value.op == "call" and not self._looked_up(value)
            yield Through(chain, line, value if called else None)

    def reads(self) -> Iterator[Through]:
        """Chains that are read."""
        for read in self._function.reads:
            chain = self.chain(Expr("name", read.chain))
            if chain:
                yield Through(chain, read.line)

    def _lookups(self) -> Iterator[Through]:
        for call in self._function.calls:
            chain = self._looked_up(call.expr)
            if chain:
                yield Through(chain, call.line)

    def _looked_up(self, expr: Expr) -> str:
        callee, *arguments = expr.parts if expr.op == "call" else (expr,)
        if callee.text not in _LOOKUPS or len(arguments) < 2 or arguments[1].op != "const":
            return ""
        held, name = self.chain(arguments[0]), arguments[1].literal
        return f"{held}.{name}" if held and name.isidentifier() else ""

    def _from_values(self) -> Iterator[tuple[str, Expr, int]]:
        """Chains of the one value that is returned besides constants, what is returned there, and the line."""
        function = self._function
        returned = zip(function.returned, function.returned_at, strict=True)
        values = [(value, line) for value, line in returned if not _is_constant(value)]
        if len(values) == 1:
            value, line = values[0]
            for part in _alternatives(value):
                callee = part.parts[0] if part.op == "call" else part
                chain = self._looked_up(part) or self.chain(callee)
                if chain:
                    yield chain, part, line

    def marked(self, through: Through) -> Through:
        """The same with what the rest of the method tells about it."""
        function = self._function
        guarded = any(through.chain == other.chain for other in self.looked_up) or any(
            first <= through.line <= last for first, last in function.caught
        )
        alone = self._is_alone(through.chain)
        named = through.chain.rpartition(".")[2] == function.name
        returns = any(not _is_constant(value) for value in function.returned)
        forward = through.chain in self._returned
        if not returns and through.call is not None:
            forward = alone or (named and through.always)
        return replace(through, guarded=guarded, forward=forward, pure=forward and alone)

    def _is_alone(self, chain: str) -> bool:
        """Whether the method stores nothing and calls nothing else that could matter."""
        called = {self.chain(c.expr.parts[0]) or c.expr.parts[0].text for c in self._function.calls}
        return not (called - _QUIET - {chain}) and not any("." in s.target for s in self._function.stores)


def _is_constant(value: Expr) -> bool:
    return value.op == "const" or (value.op in ("seq", "dict") and not value.parts)


def _alternatives(value: Expr) -> Iterable[Expr]:
    """The parts of a conditional value, or of a tuple, that are not constants."""
    if value.op in ("choice", "seq"):
        return [inner for part in value.parts if not _is_constant(part) for inner in _alternatives(part)]
    return [value]


def shape_of(call: Expr) -> CallShape:
    """How a call passes its arguments."""
    passed = positional(call)
    return CallShape(
        sum(part.op != "star" for part in passed),
        tuple(key for key in call.keys if key != "**"),
        any(part.op == "star" for part in passed),
        "**" in call.keys,
    )
