"""Lists of bases and of imported names: they grow as black would have written them, and shrink to what they were."""

from __future__ import annotations

import ast

import black
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shimgen.shims.headers import bases_of, names_of
from shimgen.shims.lists import Edit, applied
from shimgen.shims.refusal import RefusedError
from shimgen.source import read

NAMES = st.lists(st.from_regex(r"[A-Z][a-z]{0,24}", fullmatch=True), min_size=1, max_size=9, unique=True)
LIMIT = 60


def _class(code: str) -> ast.ClassDef:
    node = ast.parse(code).body[0]
    assert isinstance(node, ast.ClassDef)
    return node


def _formatted(code: str) -> str:
    return black.format_str(code, mode=black.Mode(line_length=LIMIT))


@given(names=NAMES, magic=st.booleans())
def test_bases_grow_as_black_writes_them_and_shrink_again(names: list[str], magic: bool) -> None:
    plain = _formatted(f"class C({', '.join(names)}{',' if magic else ''}):\n    pass\n")
    source = read(plain.encode())
    edits, was = bases_of(source, _class(plain)).grown([(len(names), b"New")], LIMIT)
    grown = applied(source.data, edits)
    assert grown.decode() == _formatted(grown.decode())
    assert [ast.unparse(base) for base in _class(grown.decode()).bases] == [*names, "New"]
    back = bases_of(read(grown), _class(grown.decode())).shrunk([b"New"], was)
    assert applied(grown, back) == source.data


@given(names=NAMES, position=st.integers(0, 9), ends=st.sampled_from(("\n", "\r\n")))
def test_imports_grow_and_shrink_again(names: list[str], position: int, ends: str) -> None:
    plain = _formatted(f"from here import {', '.join(names)}\n").replace("\n", ends)
    source = read(plain.encode())
    node = source.tree.body[0]
    assert isinstance(node, ast.ImportFrom)
    edits, was = names_of(source, node).grown([(min(position, len(names)), b"New")], LIMIT)
    grown = applied(source.data, edits)
    after = read(grown).tree.body[0]
    assert isinstance(after, ast.ImportFrom)
    assert [a.name for a in after.names] == [*names[:position], "New", *names[position:]]
    assert grown.decode() == _formatted(grown.decode().replace("\r", "")).replace("\n", ends)
    back = names_of(read(grown), after).shrunk([b"New"], was)
    assert applied(grown, back) == source.data


KEPT = {
    "comments": ("class C(A, B):  # why\n    x = 1\n", "class C(A, B, New):  # why\n    x = 1\n"),
    "comments inside": (
        "class C(\n    A,  # one, two\n    B,\n    # three\n):\n    x = 1\n",
        "class C(\n    A,  # one, two\n    B,\n    New,\n    # three\n):\n    x = 1\n",
    ),
    "two in a row": ("class C(A,\n        B):\n    x = 1\n", "class C(A,\n        B, New):\n    x = 1\n"),
    "comma on one line": ("class C(A, B,):\n    x = 1\n", "class C(A, B, New,):\n    x = 1\n"),
    "subscripts and calls": ("class C(A[x, y], B):\n    x = 1\n", "class C(A[x, y], B, New):\n    x = 1\n"),
    "tabs": ("class C(\n\tA,\n\tB,\n):\n\tx = 1\n", "class C(\n\tA,\n\tB,\n\tNew,\n):\n\tx = 1\n"),
    "odd spaces": ("class  C (A , B ) :\n    x = 1\n", "class  C (A , B, New ) :\n    x = 1\n"),
    "letters of many bytes": ("class C(Größe, B):\n    x = 1\n", "class C(Größe, B, New):\n    x = 1\n"),
    "too long, with a comment": (
        f"class C({'A' * 50},  # long\n        B):\n    x = 1\n",
        f"class C({'A' * 50},  # long\n        B, New):\n    x = 1\n",
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_other_layouts_are_kept(name: str) -> None:
    before, expected = KEPT[name]
    source = read(before.encode())
    edits, was = bases_of(source, _class(before)).grown([(9, b"New")], LIMIT)
    grown = applied(source.data, edits)
    assert (grown.decode(), was) == (expected, "")
    assert applied(grown, bases_of(read(grown), _class(expected)).shrunk([b"New"], was)) == source.data


@pytest.mark.parametrize(
    "code", ["class C:\n    x = 1\n", "class C():\n    x = 1\n", "class C(metaclass=M):\n    x = 1\n"]
)
def test_a_class_without_bases_is_refused(code: str) -> None:
    with pytest.raises(RefusedError):
        bases_of(read(code.encode()), _class(code))


def test_edits_at_one_place_keep_their_order() -> None:
    assert applied(b"ac", [Edit(1, 1, b"1"), Edit(1, 1, b"2"), Edit(0, 1, b"b")]) == b"b12c"
