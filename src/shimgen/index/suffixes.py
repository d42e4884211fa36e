"""Parameters that may carry the dotted name of a module or weight, and those of them that carry its last part only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import cast

from shimgen.model.facts import NamedParam, is_dotted
from shimgen.syntax import NODES, FunctionNode, chain_of, push_children

# A parameter of such a name may carry the dotted name of a module or weight, or many of them.
_CARRIES_NAMES = re.compile(
    r"(?:^|_)(?:names?|keys?|fqns?|prefix(?:es)?|patterns?|weights?|modules?)"
    r"(?:_(?:list|set|dict|map|mapping|iter|iterator|to_\w+))?$"
)
_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict)
_LOOKS = frozenset((ast.Compare, ast.Subscript))
_NODES = NODES - {ast.Constant}


def name_parameters(node: FunctionNode) -> Iterator[NamedParam]:
    """The parameters of a function that may carry names."""
    for arg in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
        if _CARRIES_NAMES.search(arg.arg):
            uses = _Uses(node, arg.arg)
            yield NamedParam(arg.arg, uses.suffix, tuple(uses.handed) if uses.suffix else ())


class _Uses:
    """One walk over the body: `suffix` is false after any use that a name with a dot could make a difference to."""

    def __init__(self, node: FunctionNode, name: str) -> None:
        self.suffix = True
        self.handed: list[tuple[str, str]] = []
        self._name = name
        self._function = node
        stack: list[ast.AST] = list(node.body)
        while stack and self.suffix:
            item = stack.pop()
            kind = item.__class__
            if kind is ast.Name:
                self.suffix = cast(ast.Name, item).id != name
            elif kind is ast.Call:
                self._call(cast(ast.Call, item), stack)
            elif kind is not ast.Raise and not (kind in _LOOKS and self._looks(item)):
                push_children(item, stack, _NODES)

    @cached_property
    def _tables(self) -> dict[str, ast.expr]:
        return _tables(self._function)

    def _is_it(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self._name

    def _call(self, node: ast.Call, stack: list[ast.AST]) -> None:
        """The name as an argument is handed on; everything else of the call is looked at."""
        if not any(map(self._is_it, node.args)) and not any(self._is_it(keyword.value) for keyword in node.keywords):
            push_children(node, stack, _NODES)
            return
        callee = chain_of(node.func) or _of_super(node.func)
        given = [(str(position), arg) for position, arg in enumerate(node.args)]
        given += [(keyword.arg or "", keyword.value) for keyword in node.keywords]
        plain = callee and not any(isinstance(arg, ast.Starred) for arg in node.args)
        for slot, arg in given:
            if plain and slot and self._is_it(arg):
                self.handed.append((callee, slot))
            else:
                stack.append(arg)
        stack.append(node.func)

    def _looks(self, node: ast.AST) -> bool:
        """name == "qkv_proj", name in ("k_proj", "v_proj"), name in a table of such, table[name]."""
        if isinstance(node, ast.Compare):
            return self._is_it(node.left) and all(map(self._is_dotless, node.comparators))
        return isinstance(node, ast.Subscript) and self._is_it(node.slice) and self._is_dotless(node.value)

    def _is_dotless(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            table = self._tables.get(node.id)
            return table is not None and self._is_dotless(table)
        items = _items(node) if isinstance(node, _DISPLAYS) else [node]
        texts = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        return len(texts) == len(items) and not any(map(is_dotted, texts))


def _of_super(node: ast.expr) -> str:
    """ "super().name" for a method of the next class, "" for anything else."""
    found = (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call) and chain_of(node.value.func) == "super"
    )
    return f"super().{node.attr}" if found and isinstance(node, ast.Attribute) else ""


def _items(node: ast.expr) -> list[ast.expr | None]:
    if isinstance(node, ast.Dict):
        return list(node.keys)
    return list(node.elts) if isinstance(node, ast.Tuple | ast.List | ast.Set) else []


def _tables(node: ast.AST) -> dict[str, ast.expr]:
    """Local names that are bound once, to a display."""
    found: dict[str, ast.expr] = {}
    bound: list[str] = []
    for item in ast.walk(node):
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
            bound.append(item.id)
        elif (
            isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name) and isinstance(item.value, _DISPLAYS)
        ):
            found[item.targets[0].id] = item.value
    return {name: value for name, value in found.items() if bound.count(name) == 1}
