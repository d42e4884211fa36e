"""What a dotted name means in a file, across imports: against what Python makes of the same files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from shimgen.index import Index
from shimgen.model.profile import Profile
from shimgen.model.source import memory_tree

PROFILE = Profile(name="pretend", package="pkg")
FILES = {
    "pkg/__init__.py": "",
    "pkg/base.py": "class A:\n    class Inner:\n        pass\n\n    value = 1\n\nclass B:\n    pass\n\n_hidden = A\n",
    "pkg/spaces/deep/low.py": "from ...base import A\n",
    "pkg/spaces/near.py": "from .deep import low\nfrom . import deep\n",
    "pkg/other.py": "class A:\n    pass\n\nclass C:\n    pass\n",
    "pkg/again.py": "from pkg.round import D, E\n\nclass F:\n    pass\n",
    "pkg/round.py": "class E:\n    pass\n\nD = E\nfrom pkg.again import F\n",
    "pkg/star_one.py": "from pkg.star_two import *\n",
    "pkg/star_two.py": "class G:\n    pass\n\nfrom pkg.star_one import *\n",
    "pkg/pack/__init__.py": "from .inner import A\nfrom .same import same\n",
    "pkg/pack/inner.py": "from ..base import A\nfrom . import same\n",
    "pkg/pack/same.py": "class same:\n    class H:\n        pass\n",
}
# The lines of a file, a name in it, and the class that it stands for, "" for none.
ROWS = [
    ("from pkg.base import A", "A", "pkg.base.A"),
    ("from pkg.base import A", "A.Inner", "pkg.base.A.Inner"),
    ("from pkg.base import A", "A.Outer", ""),
    ("from pkg import base as under", "under.A.Inner", "pkg.base.A.Inner"),
    ("import pkg.base", "pkg.base.B", "pkg.base.B"),
    ("import pkg.spaces.deep.low", "pkg.spaces.deep.low.A", "pkg.base.A"),
    ("import pkg.spaces.deep.low as at", "at.A", "pkg.base.A"),
    ("from pkg.spaces import near", "near.low.A", "pkg.base.A"),
    ("from pkg.spaces import near", "near.deep.low.A", "pkg.base.A"),
    ("from pkg import spaces\nimport pkg.spaces.near", "spaces.near.low.A", "pkg.base.A"),
    ("from pkg import spaces", "spaces.gone", ""),
    ("from .base import A as First", "First", "pkg.base.A"),
    ("from pkg.base import A\nfrom pkg.other import A", "A", "pkg.other.A"),
    ("from pkg.base import A\nSecond = A\nThird = Second", "Third.Inner", "pkg.base.A.Inner"),
    ("from pkg.base import *", "A", "pkg.base.A"),
    ("from pkg.base import _hidden", "_hidden", "pkg.base.A"),
    ("from pkg.base import *\nfrom pkg.other import *", "A", "pkg.other.A"),
    ("from pkg.other import *\nfrom pkg.base import *", "A", "pkg.base.A"),
    ("from pkg.other import *\nfrom pkg.base import *", "C", "pkg.other.C"),
    ("import pkg.round\nfrom pkg.again import F", "F", "pkg.again.F"),
    ("import pkg.round\nfrom pkg import again", "again.D", "pkg.round.E"),
    ("from pkg.star_one import *", "G", "pkg.star_two.G"),
    ("from pkg.star_one import *", "H", ""),
    ("from pkg.pack import A", "A", "pkg.base.A"),
    ("from pkg import pack", "pack.inner.A.Inner", "pkg.base.A.Inner"),
    ("from pkg.pack import same", "same.H", "pkg.pack.same.same.H"),
    ("import pkg.pack.same", "pkg.pack.same.same", ""),
    ("import pkg.base as low, pkg.other as high", "high.A", "pkg.other.A"),
    ("from pkg.base import A\n\nclass A(A):\n    pass", "A", "pkg.at.A"),
    ("def keep(cls):\n    return cls\n\nclass A:\n    pass\n\nA = keep(A)", "A", "pkg.at.A"),
]


def index(lines: str) -> Index:
    files = {**FILES, "pkg/at.py": lines + "\n"}
    return Index(memory_tree({path: text.encode() for path, text in files.items()}), PROFILE)


@pytest.mark.parametrize(("lines", "name", "means"), ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_a_name_means_what_it_means_to_python(lines: str, name: str, means: str) -> None:
    program = index(lines)
    found = program.resolve("pkg/at.py", name)
    ref = found.ref
    assert (f"{program.module_name(ref.path)}.{ref.name}" if ref is not None else "") == means


def test_the_table_is_what_python_says(tmp_path: Path) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    for number, (lines, _, _) in enumerate(ROWS):
        (tmp_path / "pkg" / f"row{number}.py").write_text(lines + "\n")
    script = (
        "import importlib, sys\n"
        "for number, name in enumerate(sys.argv[1:]):\n"
        "    try:\n"
        "        found = eval(name, vars(importlib.import_module(f'pkg.row{number}')))\n"
        "        print(f'{found.__module__}.{found.__qualname__}')\n"
        "    except (NameError, AttributeError):\n"
        "        print()\n"
    )
    words = [sys.executable, "-c", script, *(name for _, name, _ in ROWS)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    found = [re.sub(r"^pkg\.row\d+\.", "pkg.at.", line) for line in done.stdout.split("\n")[:-1]]
    assert found == [means for _, _, means in ROWS]
