"""Classes that hold a language model, found by a plain reading of the syntax: a list to hold the analysis against.

It knows four signs, and no more: an attribute assigned inside `with self._mark_language_model(...)`, or made by
`init_vllm_registered_model`, or called `language_model` or `llm`, or made of a class that is called as such models are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from shimgen.model.source import Tree

MODELS = "vllm/model_executor/models/"
_BLOCKS = ("_mark_language_model", "_mark_composite_model")
_MAKERS = ("init_vllm_registered_model",)
_ATTRIBUTES = ("language_model", "llm")
_SUFFIXES = ("ForCausalLM", "ForConditionalGeneration")
Key = tuple[str, str]
"""Path and name of a class."""


def holders(source: Tree) -> dict[Key, frozenset[str]]:
    """The classes that assign a language model, with the attributes, and those that inherit from one by name."""
    found: dict[Key, frozenset[str]] = {}
    bases: dict[Key, frozenset[str]] = {}
    for path in sorted(p for p in source.blobs if p.startswith(MODELS) and p.endswith(".py")):
        for cls in (node for node in ast.walk(ast.parse(source.read(path))) if isinstance(node, ast.ClassDef)):
            attributes = frozenset(_assigned(cls))
            bases[path, cls.name] = frozenset(ast.unparse(base).rpartition(".")[2] for base in cls.bases)
            if attributes:
                found[path, cls.name] = attributes
    while heirs := {k: _of(found, b) for k, b in bases.items() if k not in found and _of(found, b)}:
        found |= heirs
    return found


def _of(found: dict[Key, frozenset[str]], names: frozenset[str]) -> frozenset[str]:
    return frozenset(attribute for (_, name), held in found.items() if name in names for attribute in held)


def _assigned(cls: ast.ClassDef) -> Iterator[str]:
    marked = {id(inner) for node in ast.walk(cls) if _is_block(node) for inner in ast.walk(node)}
    for node in ast.walk(cls):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not (made := _called(node.value)):
            continue
        named = any(n in _MAKERS or n.endswith(_SUFFIXES) for n in made)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            owner, _, attribute = ast.unparse(target).rpartition(".")
            if owner == "self" and (named or attribute in _ATTRIBUTES or id(node) in marked):
                yield attribute


def _is_block(node: ast.AST) -> bool:
    return isinstance(node, ast.With) and any(n in _BLOCKS for item in node.items for n in _called(item.context_expr))


def _called(node: ast.AST | None) -> list[str]:
    """The last names of all that an expression calls."""
    if node is None:
        return []
    return [ast.unparse(inner.func).rpartition(".")[2] for inner in ast.walk(node) if isinstance(inner, ast.Call)]
