"""What a wrapper's constructor passes to its delegate: so much of the config the delegate's class may be given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from shimgen.verify.members import Member


def projection(found: Member, attribute: str) -> dict[str, str]:
    """For a member of the class: each parameter that the constructor hands to the delegate in part only, and the
    chain that it hands on ("config": "config.text_config"). A parameter that is not listed passes as it is."""
    if found.kind not in ("classmethod", "staticmethod"):
        return {}
    made = list(_constructions(found.site.node, attribute))
    projected: dict[str, str] = {}
    for param in found.params:
        chains = {chain for call, local in made for chain in _handed_on(call, param.name, local)}
        if len(chains) == 1 and chains != {param.name}:
            projected[param.name] = chains.pop()
    return projected


def _constructions(cls: ast.ClassDef, attribute: str) -> Iterator[tuple[ast.Call, Mapping[str, str]]]:
    """The calls whose result the class's methods assign to the attribute, each with the method's local names."""
    for method in cls.body:
        assigned = [node for node in ast.walk(method) if isinstance(node, ast.Assign)]
        targets = [ast.unparse(target) for node in assigned for target in node.targets]
        local = {t.id: ast.unparse(n.value) for n in assigned for t in n.targets if isinstance(t, ast.Name)}
        once = {name: value for name, value in local.items() if targets.count(name) == 1}
        for node in assigned:
            if f"self.{attribute}" in map(ast.unparse, node.targets):
                value = node.value
                choices = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
                yield from ((c, once) for c in choices if isinstance(c, ast.Call))


def _handed_on(call: ast.Call, name: str, local: Mapping[str, str]) -> Iterator[str]:
    """What a call passes of `name`: the keyword of that name, else the first positional argument that begins so, be
    it by a local name."""
    named = [k.value for k in call.keywords if k.arg == name]
    for value in named or call.args:
        root, dot, rest = ast.unparse(value).partition(".")
        chain = f"{local.get(root, root)}{dot}{rest}".removeprefix("self.")
        if chain.partition(".")[0] == name and all(part.isidentifier() for part in chain.split(".")):
            yield chain
            return
