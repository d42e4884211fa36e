"""What the delegate's class is given of the config is read from the constructor's call."""

from __future__ import annotations

import ast

import pytest

from shimgen.source import ClassSite
from shimgen.verify.cases import projection
from shimgen.verify.members import Member

CONSTRUCTORS = {
    "part by position": ("self.lm = Full(config.text_config, quant)", {"config": "config.text_config"}),
    "part by name": ("self.lm = Full(quant=config.quant, config=config.text_config)", {"config": "config.text_config"}),
    "part further in": ("self.lm = Full(config.a.b)", {"config": "config.a.b"}),
    "through self": ("self.lm = Full(self.config.text_config)", {"config": "config.text_config"}),
    "by a local name": ("text = config.a; self.lm = Full(text.b)", {"config": "config.a.b"}),
    "by a local name of the same": ("text = self.config.a; self.lm = Full(config=text)", {"config": "config.a"}),
    "by a name assigned twice": ("text = config.a; text = config.b; self.lm = Full(text)", {}),
    "all of it": ("self.lm = Full(config)", {}),
    "nothing of it": ("self.lm = Full(other)", {}),
    "both ways the same": ("self.lm = Full(config.t) if x else Half(config.t)", {"config": "config.t"}),
    "both ways another": ("self.lm = Full(config.t) if x else Half(config.u)", {}),
    "computed": ("self.lm = Full(config.get('text'))", {}),
    "another attribute": ("self.vision = Full(config.text_config)", {}),
    "no call": ("self.lm = None", {}),
}


def member(kind: str, constructor: str) -> Member:
    """A member of that kind in a class with that constructor."""
    text = f"class W:\n    def __init__(self, config):\n        {constructor}\n    def m(cls, config): pass\n"
    cls = ast.parse(text).body[0]
    assert isinstance(cls, ast.ClassDef)
    function = cls.body[1]
    assert isinstance(function, ast.FunctionDef)
    return Member(ClassSite(cls.name, cls, ()), (function,), (function,), kind, function)


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_projection(name: str) -> None:
    constructor, expected = CONSTRUCTORS[name]
    assert projection(member("classmethod", constructor), "lm") == expected


def test_members_of_instances_project_nothing() -> None:
    assert projection(member("method", "self.lm = Full(config.text_config)"), "lm") == {}
