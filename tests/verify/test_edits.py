"""An edit only inserts shims; whatever else it does is seen."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from shimgen.model.domain import FileChange
from shimgen.model.source import memory_tree
from shimgen.source import read
from shimgen.verify.edits import only_inserted
from shimgen.verify.members import member
from shimgen.verify.reanalysis import served, static
from tests.verify.made import MODULE, PROVIDERS, change, check, failures
from tests.verify.samples import SAMPLES

PAIR = SAMPLES["no parameters"]
EDIT = change(PAIR.gap, PAIR.text)


def edited(old: str, new: str, before: str = MODULE, shim: FileChange = EDIT) -> FileChange:
    """The right edit of `before`, and besides `old` exchanged for `new` in it."""
    right = change(shim.shims[0].gap, shim.shims[0].text.replace("    ", "", 1).replace("\n    ", "\n"), before)
    assert old in right.after.decode()
    return replace(right, after=right.after.decode().replace(old, new, 1).encode())


RIGHT = {
    "as it is": EDIT,
    "import of one name grows": edited("typing import List, Optional", "typing import Any, List, Optional"),
    "import breaks into lines": edited(
        "from typing import List, Optional", "from typing import (\n    Any,\n    List,\n    Optional,\n)"
    ),
    "import for the type checker": edited(
        "\n\nclass Wrapper", "\nif TYPE_CHECKING:\n    from stack.other import Thing\n\n\nclass Wrapper"
    ),
    "lone pass": change(PAIR.gap, PAIR.text, "class Wrapper:\n\n"),
    "no final newline": change(PAIR.gap, PAIR.text, "class Wrapper:\n    x = 1\n"),
    "byte order mark": change(PAIR.gap, PAIR.text, "\ufeffclass Wrapper:\n    x = 1\n"),
    "warning in the old code": change(PAIR.gap, PAIR.text, 'class Wrapper:\n    x = "\\d"\n'),
}
WITHOUT_NEWLINE = replace(RIGHT["no final newline"], before=b"class Wrapper:\n    x = 1")
PASS = replace(RIGHT["lone pass"], before=b"class Wrapper:\n    pass\n")
DOCUMENTED = b'class Wrapper:\n    """Only words."""\n'
RIGHT |= {
    "no final newline": WITHOUT_NEWLINE,
    "lone pass": PASS,
    "lone pass after a docstring": replace(
        change(PAIR.gap, PAIR.text, DOCUMENTED.decode()), before=DOCUMENTED + b"    pass\n"
    ),
    "old line ends": FileChange(
        EDIT.path,
        EDIT.before.replace(b"\n", b"\r"),
        EDIT.after.replace(b"\n", b"\r"),
        (replace(EDIT.shims[0], text=EDIT.shims[0].text.replace("\n", "\r")),),
    ),
    "another encoding": replace(
        change(PAIR.gap, PAIR.text, "# coding: latin-1\nclass Wrapper:\n    x = 'ü'\n"),
        before="# coding: latin-1\nclass Wrapper:\n    x = 'ü'\n".encode("latin-1"),
        after=("# coding: latin-1\nclass Wrapper:\n    x = 'ü'\n" + EDIT.shims[0].text).encode("latin-1"),
    ),
    "form feed": change(PAIR.gap, PAIR.text, "import os\n\f\nclass Wrapper:\n    x = 1\n"),
    "windows line ends": FileChange(
        EDIT.path,
        EDIT.before.replace(b"\n", b"\r\n"),
        EDIT.after.replace(b"\n", b"\r\n"),
        (replace(EDIT.shims[0], text=EDIT.shims[0].text.replace("\n", "\r\n")),),
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_edit(name: str) -> None:
    assert failures(check(RIGHT[name])) == {}


WRONG = {
    "line changed": (edited("FullModel(config)", "FullModel(config, 1)"), "line 12 is not as it was"),
    "line dropped": (edited("        return self.language_model(x)\n", "        pass\n"), "line 15 is not as it was"),
    "line end changed": (edited("Wrapper(Module):\n", "Wrapper(Module):\r\n"), "line 8 is not as it was"),
    "comment dropped": (edited("# note\n", "", "# note\n" + MODULE), "line 1 is not as it was: # note"),
    "lines swapped": (
        edited("        self.a = 1\n        self.b = 2\n", "        self.b = 2\n        self.a = 1\n", MODULE.replace(
            "        self.language_model", "        self.a = 1\n        self.b = 2\n        self.language_model"
        )),
        "is not as it was",
    ),
    "blank lines lost": (edited("\n\n\nclass", "\n\nclass"), "is not as it was"),
    "another line added": (edited("\n\nclass", "\nVALUE = 1\n\nclass"), "no part of a shim: VALUE = 1"),
    "import dropped": (edited("List, Optional", "Optional"), "the import of typing.List is gone"),
    "import renamed": (edited("List, Optional", "List as L, Optional"), "the import of typing.List is gone"),
    "module import dropped": (edited("import typing\n", ""), "the import of typing is gone"),
    "pass that is not alone": (edited("    pass\n", "", MODULE + "    pass\n\n"), "is not as it was"),
    "inside a string": (
        replace(change(PAIR.gap, PAIR.text, 'class Wrapper:\n    x = """\n'), before=b'class Wrapper:\n    x = "\n"\n'),
        "does not compile",
    ),
    "from another file": (replace(EDIT, before=EDIT.before + b"\n"), "does not start from the checkout's file"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_edit(name: str) -> None:
    edit, said = WRONG[name]
    tree = memory_tree({EDIT.path: EDIT.before if name == "from another file" else edit.before, **PROVIDERS})
    found = failures(static(tree, edit, served([PAIR.gap])))
    assert any(said in detail for detail in found.values()), found


def test_a_shim_that_cuts_a_function_in_two_is_seen() -> None:
    before = "class Wrapper:\n    def f(self):\n        return 1\n        return 2\n"
    body = "    def pair(self):\n        return self.language_model.pair()\n"
    after = before.replace("        return 2\n", body + "        return 2\n")
    edit = replace(EDIT, before=before.encode(), after=after.encode(), shims=(replace(EDIT.shims[0], text=body),))
    assert "Wrapper is changed by more than a shim" in failures(check(edit)).values() or "in place" in failures(
        check(edit)
    )


def plain(edit: FileChange) -> bool:
    after, (shim,) = read(edit.after), edit.shims
    return only_inserted(edit.before, after, [(shim.text, member(shim, after))])


def test_a_plain_edit_is_known_by_its_bytes() -> None:
    assert plain(EDIT)
    assert plain(RIGHT["windows line ends"])
    assert not plain(RIGHT["import of one name grows"])


@pytest.mark.parametrize("name", sorted(WRONG.keys() - {"inside a string"}))
def test_a_wrong_edit_is_not_plain(name: str) -> None:
    assert not plain(WRONG[name][0])


def test_what_shares_a_line_with_a_shim_is_not_plain() -> None:
    first, last = b"class Wrapper:\n    x = 1\n", "    pair = 2; other = 3\n"
    edit = FileChange(EDIT.path, first, first + last.encode(), (replace(EDIT.shims[0], text=last),))
    assert not plain(edit)
    assert plain(replace(edit, after=first + b"    pair = 2\n", shims=(replace(EDIT.shims[0], text="    pair = 2\n"),)))


def test_a_comment_of_a_shim_that_ends_a_string_is_not_plain() -> None:
    before = b'class Wrapper:\n    x = """\n    # """\n    y = 1\n'
    text = '    # """\n    pair = 2\n'
    after = before.replace(b'    # """\n', text.encode() + b'    # """\n')
    assert not plain(FileChange(EDIT.path, before, after, (replace(EDIT.shims[0], text=text),)))
