"""What the body of a class binds: Python itself says what is there afterwards."""

from __future__ import annotations

import pytest

from shimgen.index.extract import definitions_of

BOUND = [
    "(x := 3)",
    "if (x := 3): pass",
    "if 0: pass\nelif (x := 3): pass",
    "while (x := 0): pass",
    "y = (x := 3)",
    "y: (x := int) = 3",
    "y: (x := int)",
    "def f(self, a=(x := 3)): pass",
    "def f(self, *, a: (x := 3)) -> None: pass",
    "def f(self) -> (x := 3): pass",
    "@(x := staticmethod)\ndef f(): pass",
    "class y((x := object)): pass",
    "class y(metaclass=(x := type)): pass",
    "assert (x := 3)",
    "y = 1 and (x := 3)",
    "y = (x := 3) if 1 else 4",
    "y = lambda a=(x := 3): a",
    "with (x := open('/dev/null')): pass",
    "with open('/dev/null') as x: pass",
    "match 3:\n    case 3 if (x := 4): pass",
    "match (x := 3):\n    case _: pass",
    "try: y = 1\nfinally: x = 3",
    "try: 1 / 0\nexcept (x := ZeroDivisionError): pass",
    "for y in (1,): pass\nelse: x = 3",
    "locals()['x'] = 3",
    "vars()['x'] = 3",
    "locals().update(x=3)",
    "for y in ('x',): locals()[y] = 3",
    "exec('x = 3')",
    "print(x := 3, end='')",
    "async def x(self): pass",
]
NOT_BOUND = [
    "y = lambda: (x := 3)",
    "def f(self): x = 3",
    "def f(self): return (x := 3)",
    "y = [x for x in (1,)]",
    "try: 1 / 0\nexcept ZeroDivisionError as x: pass",
    "global x\nx = 3",
    "global x\ndef x(self): pass",
    "if 1:\n    global x\nx = 3",
    "x = 3\ndel x",
    "match 3:\n    case 3: pass",
    "y = ':= locals()'",
]
PERHAPS = [
    "y = 0 and (x := 3)",
    "y = 4 if 1 else (x := 3)",
    "x = 3\ntry: 1 / 0\nexcept ZeroDivisionError as x: pass",
    "match 3:\n    case 4 if (x := 5): pass",
    "try: pass\nexcept (x := ValueError): pass",
]


def class_of(body: str) -> str:
    return "class C:\n" + "".join(f"    {line}\n" for line in body.split("\n"))


def executed(body: str) -> bool:
    names: dict[str, object] = {}
    exec(compile(class_of(body), "body", "exec", dont_inherit=True), names)  # noqa: S102
    return "x" in vars(names["C"])


def scopes(body: str) -> list[str]:
    """Under which conditions the facts have the member, one for each binding; "" for always."""
    facts = definitions_of(class_of(body).encode())
    (cls,) = (c for c in facts.classes if c.name == "C")
    functions = [function.scope for function in cls.functions if function.name == "x"]
    attributes = [attribute.scope for attribute in cls.attributes if attribute.name == "x"]
    return [*functions, *attributes, *(store.branch for store in facts.stores if store.target == "C.*")]


@pytest.mark.parametrize("body", BOUND)
def test_what_python_binds_is_a_member(body: str) -> None:
    assert executed(body)
    assert scopes(body)


@pytest.mark.parametrize("body", NOT_BOUND)
def test_what_python_does_not_bind_is_none(body: str) -> None:
    assert not executed(body)
    assert scopes(body) == []


@pytest.mark.parametrize("body", PERHAPS)
def test_what_python_may_bind_is_a_member_under_a_condition(body: str) -> None:
    assert not executed(body)
    assert all(scopes(body))
    assert scopes(body)


def test_a_name_that_a_class_binds_in_its_module_is_the_module_s() -> None:
    facts = definitions_of(b"class C:\n    global x\n    x = 3\n    class D:\n        x = 4\n")
    assert [store.target for store in facts.stores] == ["x"]
    assert {c.name: [a.name for a in c.attributes] for c in facts.classes} == {"C": ["D"], "C.D": ["x"]}


def test_a_walrus_of_a_module_is_an_assignment() -> None:
    facts = definitions_of(b"if (x := A):\n    pass\ny = B or (z := C)\n")
    assert [(s.target, s.value and s.value.text, s.branch) for s in facts.stores] == [
        ("x", "A", ""),
        ("z", "C", "if"),
        ("y", "", ""),
    ]
