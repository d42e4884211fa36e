"""A function's own object: other names that it goes by, its dictionary, and calls that set or read its attributes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from shimgen.index.values import expr_of
from shimgen.model.facts import Expr
from shimgen.syntax import chain_of, root_of

# They assign the attribute that an argument names: Python's own, those of torch.nn.Module, and operator.setitem.
_SETTING = frozenset(("setattr", "__setattr__"))
_ASSIGNING = _SETTING | {"register_buffer", "register_parameter", "register_module", "add_module", "setitem"}
# They put something into the dictionary of an object.
_FILLING = frozenset(("update", "setdefault", "__setitem__"))
# What stands for the object in an assignment to an attribute of what may be it.
_PERHAPS = "?"
# Where an object has its attributes: of Python, and of torch.nn.Module.
_DICTIONARIES = frozenset(("__dict__", "_modules", "_parameters", "_buffers"))


class Owner:
    """The names by which a function reaches its own object, and with them every name whose object is followed."""

    def __init__(self, name: str, parameters: Collection[str]) -> None:
        """`name` is the first parameter, that of the object."""
        self.name = name
        self.followed = set(parameters)
        """The parameters, and the other names of the object."""
        self.aliases: set[str] = set()
        """The other names: `me = self`."""
        self.holders = {name}
        """The names, its own among them, of what may be the object or has it inside: `parts = [self]`."""
        self._texts: dict[str, set[str]] = {}
        self._parameters = parameters

    def bind(self, name: str, value: Expr | None) -> None:
        """`me = self` gives the object another name, until that is bound to something else."""
        if value is not None and value.op == "name" and (value.text == self.name or value.text in self.aliases):
            if name != self.name:
                self.aliases.add(name)
                self.followed.add(name)
        elif name in self.aliases:
            self.aliases.discard(name)
            if name not in self._parameters:
                self.followed.discard(name)

    def keep(self, name: str, value: Expr, branch: str) -> None:
        """`parts = [self]` and `m = other or self` put the object into what has that name, until that is always bound
        to something else."""
        if self.holds(value):
            self.holders.add(name)
        elif not branch and name != self.name:
            self.holders.discard(name)

    def holds(self, value: Expr) -> bool:
        """Whether a value may be the object, or has it inside."""
        if value.op == "name":
            return value.text in self.holders
        return any(map(self.holds, value.parts))

    def perhaps(self, target: ast.expr, chain: str) -> str:
        """What is assigned to an attribute of what may be the object, or of its class: "?.x"; "" for any other."""
        root, _, rest = chain.partition(".")
        if not chain and isinstance(target, ast.Attribute):
            return f"{_PERHAPS}.{target.attr}" if self.holds(expr_of(target.value)) else ""
        if root == self.name:
            rest = rest.removeprefix("__class__.") if rest.startswith("__class__.") else ""
        return f"{_PERHAPS}.{rest}" if rest and root in self.holders else ""

    def stand_for(self, target: ast.expr, values: Sequence[ast.expr]) -> None:
        """A local name may stand for these literals: `for name in ("x", "y")`."""
        if not isinstance(target, ast.Name):
            return
        for value in values:
            if isinstance(value, ast.IfExp):
                self.stand_for(target, (value.body, value.orelse))
            elif text := text_of(value):
                self._texts.setdefault(target.id, set()).add(text)

    def chain(self, node: ast.AST) -> str:
        """`chain_of`, where another name of the object stands for its own."""
        chain = chain_of(node)
        if self.aliases:
            root, dot, rest = chain.partition(".")
            return f"{self.name}.{rest}" if dot and root in self.aliases else chain
        return chain

    def unaliased(self, call: Expr) -> Expr:
        """A call with the object's own name in place of others."""
        if not self.aliases:
            return call
        return replace(call, parts=tuple(self._first(part) if part.op == "name" else part for part in call.parts))

    def _first(self, value: Expr) -> Expr:
        root, dot, rest = value.text.partition(".")
        return Expr("name", f"{self.name}{dot}{rest}") if root in self.aliases else value

    def matters(self, node: ast.Call) -> bool:
        """Whether a call has to do with what is followed."""
        root = root_of(node.func)
        if root in self.followed or root == "setattr" or _is_super(node.func):
            return True
        if not root and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
            return whose_dict(node.func.value) is not None
        for argument in node.args:
            if root_of(argument) in self.followed:
                return True
        return any(root_of(keyword.value) in self.followed for keyword in node.keywords)

    def read_by(self, node: ast.Call) -> str:
        """getattr(self, "x", None) reads self.x."""
        chain = chain_of(node.args[0]) if len(node.args) > 1 and chain_of(node.func) == "getattr" else ""
        name = text_of(node.args[1]) if chain.partition(".")[0] in self.followed else ""
        return f"{chain}.{name}" if name else ""

    def assigned_by(self, node: ast.Call) -> Iterator[tuple[str, Expr | None, bool]]:
        """setattr(self, "x", value), self.register_buffer("x", value) and the like assign self.x: targets with their
        values, and whether it is that target each time."""
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        method = node.func.attr if isinstance(node.func, ast.Attribute) else chain_of(node.func)
        if owner is not None and method in _FILLING:
            yield from self._filled_by(node, owner)
            return
        if method not in _ASSIGNING:
            return
        given = [*node.args, *(k.value for k in node.keywords if k.arg == "name")]
        if len(given) == 3 and method == "setitem":
            owner, method = whose_dict(given.pop(0)), "setattr"
        elif len(given) == 3 and method in _SETTING:
            owner = given.pop(0)
        if owner is None or not given or method == "setitem":
            return
        chain, names = self.name if _is_super(node.func) else self._named(owner), self._texts_of(given[0])
        for name in names if chain else ():
            yield f"{chain}.{name}", expr_of(given[1]) if len(given) > 1 else None, len(names) == 1

    def deleted_by(self, node: ast.Call) -> list[str]:
        """delattr(self, "x") and self._modules.pop("x") delete self.x."""
        if isinstance(node.func, ast.Attribute):
            owner = whose_dict(node.func.value) if node.func.attr == "pop" else None
        else:
            owner = node.args[0] if len(node.args) == 2 and chain_of(node.func) == "delattr" else None
        chain = self._named(owner) if owner is not None and node.args else ""
        names = self._texts_of(node.args[isinstance(node.func, ast.Name)]) if chain else ()
        return [f"{chain}.{name}" for name in names]

    def _texts_of(self, node: ast.expr) -> list[str]:
        """The texts that an argument may be, as far as they are written out."""
        text = text_of(node)
        return [text] if text else sorted(self._texts.get(chain_of(node), ()))

    def _filled_by(self, node: ast.Call, owner: ast.expr) -> Iterator[tuple[str, Expr | None, bool]]:
        """self.__dict__.update(x=value) and vars(self).setdefault("x", value) assign self.x."""
        whose = whose_dict(owner)
        chain = self._named(whose) if whose is not None else ""
        named = [(k.arg, k.value) for k in node.keywords if k.arg]
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Dict):
            named += [(text_of(key), value) for key, value in zip(first.keys, first.values, strict=True) if key]
        elif len(node.args) == 2:
            named.append((text_of(node.args[0]), node.args[1]))
        for name, value in named if chain else ():
            if name:
                yield f"{chain}.{name}", expr_of(value), True

    def _named(self, node: ast.expr) -> str:
        """The chain of what is named, be it by another name of the object."""
        chain = self.chain(node)
        if chain == self.name or chain in self.aliases:
            return self.name
        return chain if chain and chain not in self.holders else _PERHAPS * self.holds(expr_of(node))


def whose_dict(node: ast.expr) -> ast.expr | None:
    """The X of `X.__dict__` and the like, and of `vars(X)`, None for anything else."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr in _DICTIONARIES else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars":
        return node.args[0] if len(node.args) == 1 else None
    return None


def text_of(node: ast.expr) -> str:
    """The text of a literal, "" for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_super(func: ast.expr) -> bool:
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Call):
        return False
    return isinstance(func.value.func, ast.Name) and func.value.func.id == "super"
