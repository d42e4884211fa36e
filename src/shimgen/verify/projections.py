"""What a wrapper's constructor passes to its delegate: so much of the config the delegate's class may be given."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from shimgen.verify.members import Member


def projection(found: Member, attribute: str) -> dict[str, str]:
    """For a member of the class: each parameter that the constructor hands to the delegate in part only, and the
    chain that it hands on ("config": "config.text_config"). A parameter that is not listed passes as it is."""
    if found.kind not in ("classmethod", "staticmethod"):
        return {}
    calls = list(_constructions(found.site.node, attribute))
    projected: dict[str, str] = {}
    for param in found.params:
        chains = {chain for call in calls for chain in _handed_on(call, param.name)}
        if len(chains) == 1 and chains != {param.name}:
            projected[param.name] = chains.pop()
    return projected


def _constructions(cls: ast.ClassDef, attribute: str) -> Iterator[ast.Call]:
    """The calls whose result the class's methods assign to the attribute."""
    for node in ast.walk(cls):
        if isinstance(node, ast.Assign) and any(ast.unparse(t) == f"self.{attribute}" for t in node.targets):
            value = node.value
            choices = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
            yield from (c for c in choices if isinstance(c, ast.Call))


def _handed_on(call: ast.Call, name: str) -> Iterator[str]:
    """What a call passes of `name`: the keyword of that name, else the first positional argument that begins so."""
    named = [k.value for k in call.keywords if k.arg == name]
    for value in named or call.args:
        chain = ast.unparse(value).removeprefix("self.")
        if chain.partition(".")[0] == name and all(part.isidentifier() for part in chain.split(".")):
            yield chain
            return
