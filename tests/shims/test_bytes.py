"""What a file is made of survives: line ends, marks, encodings, indentation; and shims come out as they went in."""

from __future__ import annotations

import ast

import pytest

from shimgen.shims import find_shims, remove_shims
from tests.shims.hand import run

FULL = b"""class Full:
    def alpha(self, a=1):
        return a

    @property
    def beta(self):
        return 1
"""
WRAPPER = "class Wrapper:\n    def __init__(self):\n        self.model = Full()\n"
GAPS = ("Wrapper.model -> Full: alpha", "Wrapper.model -> Full: beta")


def after(before: bytes, gaps: tuple[str, ...] = GAPS) -> bytes:
    """The wrapper's file with the shims; checks on the way that they come out again one by one and together."""
    changes, refused = run({"full.py": FULL, "wrapper.py": before}, gaps)
    assert not refused
    result = changes[0].after
    found = find_shims(result)
    assert [s.member for s in found] == sorted(s.member for s in changes[0].shims)
    assert remove_shims(result, found) == before
    step = result
    for shim in found:
        step = remove_shims(step, [s for s in find_shims(step) if s.member == shim.member])
    assert step == before
    return result


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("tail", ["", "END", "END\n\nX = 1", "ENDEND"])
def test_line_ends(end: str, tail: str) -> None:
    before = (WRAPPER.removesuffix("\n") + tail.replace("END", "\n")).replace("\n", end).encode()
    result = after(before)
    assert result.count(end.encode()) - before.count(end.encode()) == 9
    assert result.replace(end.encode(), b"").count(b"\n") + result.replace(end.encode(), b"").count(b"\r") == 0
    assert result.endswith(end.encode()) == before.endswith(end.encode())
    head = WRAPPER.removesuffix("\n").replace("\n", end).encode()
    assert result.startswith(head)


def test_mixed_line_ends_follow_the_neighbour() -> None:
    before = b"import x\r\n" + WRAPPER.encode()
    result = after(before)
    assert result.count(b"\r\n") == 1


@pytest.mark.parametrize(
    "before",
    [
        b"\xef\xbb\xbf" + WRAPPER.encode(),
        b"x = 1\n\x0c\n" + WRAPPER.encode() + b"\x0c\nclass Next:\n    pass\n",
        b"x = '\xe2\x80\xa8'\n" + WRAPPER.encode() + "# – ü\n".encode(),
        b"# -*- coding: latin-1 -*-\nx = '\xfc'\n" + WRAPPER.encode(),
        WRAPPER.encode() + b"    \n\t\n",
    ],
    ids=["byte order mark", "form feed", "line separator", "latin-1", "spaces on empty lines"],
)
def test_other_bytes_stay(before: bytes) -> None:
    result = after(before)
    assert ast.parse(result)
    assert result.startswith(before[: before.index(b"Full()") + 6])


def test_a_letter_that_the_encoding_lacks_is_refused() -> None:
    full = "class Full:\n    def алфа(self):\n        return 1\n".encode()
    before = b"# coding: latin-1\n" + WRAPPER.encode()
    changes, refused = run({"full.py": full, "wrapper.py": before}, ["Wrapper.model -> Full: алфа"])
    assert not changes
    assert "written in iso-8859-1" in refused[0].sentence


@pytest.mark.parametrize("unit", ["\t", "  ", "   ", "        "])
def test_indentation_is_the_class_s_own(unit: str) -> None:
    before = WRAPPER.replace("    ", unit).encode()
    lines = after(before).decode().splitlines()
    assert f"{unit}def alpha(self, a=1):" in lines
    assert f"{unit}{unit}return self.model.alpha(a)" in lines


def test_a_body_indented_otherwise_than_its_class() -> None:
    before = WRAPPER.replace("        ", "      ").encode()
    assert b"\n    def alpha(self, a=1):\n      return self.model.alpha(a)\n" in after(before)


@pytest.mark.parametrize(
    "before",
    [
        WRAPPER + "    def f(self):\n    \treturn 1\n",
        WRAPPER.replace("    ", "\t") + "\tdef f(self):\n\t    return 1\n",
        WRAPPER.replace("    ", "\t").replace("\t\t", "\t  "),
        WRAPPER.replace("        ", "    \t"),
        WRAPPER.replace("        ", " \t   ").replace("    ", " \t"),
    ],
)
def test_mixed_indentation_is_refused(before: str) -> None:
    changes, refused = run({"full.py": FULL, "wrapper.py": before.encode()}, GAPS[:1])
    assert not changes
    assert refused[0].sentence.endswith("its indentation mixes tabs and spaces")


def test_markers_that_are_not_ours() -> None:
    text = (
        'class Wrapper:\n    """\n    # shimgen: forwards to self.model (Full)"""\n'
        "    def alpha(self):\n        return 1\n\n"
        "    # shimgen: forwards to nobody\n    if True:\n        pass\n\n"
        "    # shimgen: another remark\n    def beta(self):\n        return 1\n"
    )
    assert find_shims(text.encode()) == ()
    assert find_shims(b"# shimgen: forwards to self.model\nclass Broken(:\n") == ()


def test_what_a_found_shim_says() -> None:
    result = after(WRAPPER.encode())
    alpha, beta = find_shims(result)
    assert (alpha.cls, alpha.class_line, alpha.member, alpha.line) == ("Wrapper", 1, "alpha", 5)
    assert beta.text == (
        "    # shimgen: forwards to self.model (Full)\n"
        "    @property\n    def beta(self):\n        return self.model.beta\n"
    )
    assert result[alpha.start : alpha.end].decode() == "\n" + alpha.text


def test_edited_shims_come_out_whole() -> None:
    """A person may have formatted or extended a shim; the setter belongs to it, a neighbour does not."""
    text = (
        "class Wrapper:\n    x = 1\n    # shimgen: forwards to self.model (Full)\n    @property\n    def beta(self):\n"
        "        # edited\n        return self.model.beta\n\n    @beta.setter\n    def beta(self, value):\n"
        "        self.model.beta = value\n\n    def gamma(self):\n        return 1\n"
    )
    found = find_shims(text.encode())
    assert [s.member for s in found] == ["beta"]
    assert (
        remove_shims(text.encode(), found) == b"class Wrapper:\n    x = 1\n\n    def gamma(self):\n        return 1\n"
    )
