"""Two revisions of a pretend stack, and what becomes of each member, wrapper and demand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import jsonschema
import pytest

from shimgen.gaps import Side, compare, compare_demands, find_gaps
from shimgen.gaps.demanded import spell
from shimgen.model.domain import Scope
from shimgen.model.facts import CallShape
from shimgen.model.source import Baseline
from shimgen.model.upgrade import DemandChange, Revision, Upgrade
from shimgen.report import upgrade_json
from shimgen.report.upgrade import asked, detail, label, text
from shimgen.report.upgrade_markdown import markdown
from tests.stack import PROFILE, analyse, index

ENGINE = """\
class Worker:
    def start(self):
        self.target.model.get_pair()
        if hasattr(self.target.model, "warm_up"):
            self.target.model.warm_up(1)
"""
BASE = """\
import torch.nn as nn


class Body(nn.Module):
    def forward(self, ids, batch):
        return ids


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = Body()
        self.lm_head = Body()

    def forward(self, ids, batch):
        return self.lm_head(self.model(ids, batch))

    def get_pair(self):
        return self.model, self.lm_head

    def set_pair(self, pair):
        self.model = pair

    def warm_up(self, size):
        return size


EntryClass = [Model]
"""
WRAP = """\
import torch.nn as nn

from models.base import Model


class Wrap(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.inner = Model(config.text)

    def forward(self, ids, batch):
        return self.inner(ids, batch)


EntryClass = Wrap
"""
OLD = {"engine/run.py": ENGINE, "models/base.py": BASE, "models/wrap.py": WRAP}
NEW_WRAPPER = WRAP.replace("Wrap", "Other")
OWN = "    def get_pair(self):\n        return self.inner.get_pair()\n\n    def forward(self, ids"
MIXIN = (
    "from models.base import Model\n\n\nclass Paired:\n    def get_pair(self):\n        return self.inner.get_pair()\n"
)


def side(files: Mapping[str, str]) -> Side:
    sources = {path: content.encode() for path, content in files.items()}
    wrappers, demands, _ = analyse(sources)
    program = index(sources)
    return Side(program, wrappers, demands, find_gaps(program, PROFILE, wrappers, demands))


def changed(edits: Mapping[str, object]) -> dict[str, str]:
    """OLD after some edits: a path is exchanged (a text), edited (a pair, old and new) or deleted (None)."""
    files = dict(OLD)
    for path, edit in edits.items():
        if isinstance(edit, tuple):
            assert edit[0] in files[path]
            files[path] = files[path].replace(*edit)
        elif edit is None:
            del files[path]
        else:
            files[path] = str(edit)
    return files


def upgraded(new: Mapping[str, str], old: Mapping[str, str] = OLD, scope: Scope | None = None) -> Upgrade:
    before, after = side(old), side(new)
    chosen = scope or Scope()
    members, wrappers = compare(before, after, PROFILE, chosen)
    demands = compare_demands(before.demands, after.demands, chosen)
    revisions = (Revision("v1", Baseline("git", "1" * 40)), Revision("v2", Baseline("git", "2" * 40)))
    return Upgrade("pretend", *revisions, members, wrappers, demands)


def member_lines(found: Upgrade) -> list[str]:
    return [f"{f.wrapper.name}.{f.member}: {label(f)}: {detail(f)}".removesuffix(": ") for f in found.members]


SAME = ["Wrap.get_pair: needed, unchanged", "Wrap.set_pair: needed, unchanged"]
COMPLETING = "Wrap.set_pair: no longer demanded: nothing else of eagle is forwarded now"


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param({}, SAME, id="nothing"),
        pytest.param(
            {"models/base.py": ("import torch.nn as nn", "import torch.nn as nn  # moved\n")}, SAME, id="lines"
        ),
        pytest.param(
            {"models/base.py": ("def set_pair(self, pair)", "def set_pair(self, pair, tied=False)")},
            [
                SAME[0],
                "Wrap.set_pair: signature changed: self.inner.set_pair(self, pair) -> "
                "self.inner.set_pair(self, pair, tied=False)",
            ],
            id="signature",
        ),
        pytest.param(
            {"models/base.py": ("    def get_pair(self)", "    @property\n    def get_pair(self)")},
            [
                "Wrap.get_pair: signature changed: self.inner.get_pair(self) -> self.inner.get_pair property",
                SAME[1],
            ],
            id="kind",
        ),
        pytest.param(
            {"models/wrap.py": ("self.inner", "self.text")},
            [
                "Wrap.get_pair: signature changed: self.inner.get_pair(self) -> self.text.get_pair(self)",
                "Wrap.set_pair: signature changed: self.inner.set_pair(self, pair) -> self.text.set_pair(self, pair)",
            ],
            id="delegate",
        ),
        pytest.param(
            {"models/wrap.py": ("    def forward(self, ids", OWN)},
            ["Wrap.get_pair: upstream's own now: Wrap models/wrap.py:11", COMPLETING],
            id="own",
        ),
        pytest.param(
            {
                "models/wrap.py": WRAP.replace("from models.base import Model\n", MIXIN).replace(
                    "nn.Module", "Paired, nn.Module"
                )
            },
            ["Wrap.get_pair: base took over: Paired models/wrap.py:7", COMPLETING],
            id="base",
        ),
        pytest.param(
            {"models/base.py": ("get_pair", "get_both")},
            ["Wrap.get_pair: target gone: Model does not have get_pair either", COMPLETING],
            id="target",
        ),
        pytest.param(
            {"engine/run.py": ("self.target.model.get_pair()", "pass")},
            ["Wrap.get_pair: no longer demanded: the engine no longer demands it", COMPLETING],
            id="undemanded",
        ),
        pytest.param(
            {"engine/run.py": ("get_pair()", "get_pair(5)")},
            [
                "Wrap.get_pair: refused now: the call at engine/run.py:3 does not bind to (self)",
                COMPLETING,
            ],
            id="refused",
        ),
        pytest.param(
            {"engine/run.py": ("self.target.model.get_pair()", 'getattr(self.target.model, "get_pair", None)')},
            [
                "Wrap.get_pair: out of scope now: its severity is silent now",
                "Wrap.set_pair: out of scope now: its severity is silent now",
            ],
            id="severity",
        ),
        pytest.param(
            {"models/wrap.py": None},
            ["Wrap.get_pair: wrapper gone: the class is gone", "Wrap.set_pair: wrapper gone: the class is gone"],
            id="gone",
        ),
        pytest.param(
            {"models/wrap.py": WRAP.replace("self.inner = Model(config.text)", "self.inner = nn.Linear(1, 1)")},
            [
                "Wrap.get_pair: wrapper gone: the class is no longer a wrapper that the engine can hold",
                "Wrap.set_pair: wrapper gone: the class is no longer a wrapper that the engine can hold",
            ],
            id="left",
        ),
        pytest.param({"models/wrap.py": None, "models/vision/wrap.py": WRAP}, SAME, id="moved"),
        pytest.param(
            {"models/other.py": NEW_WRAPPER},
            [
                "Other.get_pair: needed, new: the wrapper is new",
                "Other.set_pair: needed, new: the wrapper is new",
                *SAME,
            ],
            id="new",
        ),
    ],
)
def test_the_fate_of_members(edits: Mapping[str, object], expected: list[str]) -> None:
    found = upgraded(changed(edits))
    assert member_lines(found) == expected
    assert bool(found.pending) is (expected != SAME)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({"models/wrap.py": ("    def forward(self, ids", OWN)}, "upstream had it before, from Wrap models/wrap.py:11"),
        ({"models/base.py": ("def get_pair", "def get_both")}, "refused before: Model does not have get_pair either"),
        ({"engine/run.py": ("self.target.model.get_pair()", "pass")}, "demanded now"),
        ({"models/wrap.py": ("Model(config.text)", "nn.Linear(1, 1)")}, "the class was no wrapper before"),
        ({"models/wrap.py": None}, "the wrapper is new"),
    ],
)
def test_why_a_shim_is_needed_now(edits: Mapping[str, object], expected: str) -> None:
    """The same edits the other way round: the edited stack is the old one."""
    found = {fate.member: fate for fate in upgraded(OLD, changed(edits)).members}
    assert (label(found["get_pair"]), found["get_pair"].why) == ("needed, new", expected)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({}, []),
        ({"models/wrap.py": None}, ["gone Wrap models/wrap.py"]),
        ({"models/wrap.py": None, "models/far.py": WRAP}, ["moved Wrap models/far.py before models/wrap.py"]),
        (
            {"models/wrap.py": None, "models/far.py": WRAP, "models/near.py": WRAP},
            ["new Wrap models/far.py", "new Wrap models/near.py", "gone Wrap models/wrap.py"],
        ),
        ({"models/far.py": WRAP}, ["new Wrap models/far.py"]),
        ({"models/other.py": NEW_WRAPPER}, ["new Other models/other.py"]),
        ({"models/wrap.py": ("Model(config.text)", "nn.Linear(1, 1)")}, ["no longer a wrapper Wrap models/wrap.py"]),
    ],
)
def test_wrappers_that_come_and_go(edits: Mapping[str, object], expected: list[str]) -> None:
    shown = [
        f"{c.fate.value} {c.cls.name} {c.cls.path}" + (f" before {c.old.path}" if c.old else "")
        for c in upgraded(changed(edits)).wrappers
    ]
    assert shown == expected


def demand_line(change: DemandChange) -> str:
    name = f"{change.before} -> {change.member}" if change.before else change.member
    return f"{change.fate.value} {name} [{', '.join(change.interfaces)}] {asked(change)}"


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({}, []),
        ({"engine/run.py": ("class Worker", "# moved\nclass Worker")}, []),
        ({"engine/run.py": ("warm_up(1)", "warm_up(2)")}, []),
        (
            {"engine/run.py": ("get_pair()", "get_pair()\n        self.target.model.shut_down(1, now=True)")},
            ["new shut_down [core] crash, (_, now=_), target, engine/run.py:4"],
        ),
        ({"engine/run.py": ("self.target.model.get_pair()", "pass")}, ["gone get_pair [eagle] crash, (), target"]),
        (
            {"engine/run.py": ("warm_up(1)", "warm_up(*sizes)")},
            ["calls warm_up [core] silent, (_) -> (*_), target, engine/run.py:4 and 1 more"],
        ),
        (
            {"engine/run.py": ("get_pair()", "get_pair()\n        self.target.model.warm_up(1)")},
            ["calls warm_up [core] silent -> crash, (_), target, engine/run.py:4 and 2 more"],
        ),
        (
            {"engine/run.py": ("warm_up", "warm_up_all")},
            ["renamed warm_up -> warm_up_all [core] silent, (_), target, engine/run.py:4 and 1 more"],
        ),
        (
            {"engine/run.py": ("warm_up", "prepare")},
            [
                "new prepare [core] silent, (_), target, engine/run.py:4 and 1 more",
                "gone warm_up [core] silent, (_), target",
            ],
        ),
        (
            {
                "engine/run.py": ENGINE[: ENGINE.index("        if")],
                "engine/far.py": ENGINE.replace("warm_up", "warm_up_all"),
            },
            [
                "gone warm_up [core] silent, (_), target",
                "new warm_up_all [core] silent, (_), target, engine/far.py:4 and 1 more",
            ],
        ),
        ({"engine/run.py": ("get_pair()", "get_pair()\n        self.draft.model.note = 1")}, []),
    ],
)
def test_the_demand_diff(edits: Mapping[str, object], expected: list[str]) -> None:
    assert [demand_line(change) for change in upgraded(changed(edits)).demands] == sorted(
        expected, key=lambda line: line.split(" [")[0].split()[-1]
    )


@pytest.mark.parametrize(
    ("scope", "members", "demands"),
    [
        (Scope(), {"get_pair", "set_pair"}, {"warm_up"}),
        (Scope(severity="all"), {"get_pair", "set_pair", "warm_up"}, {"warm_up"}),
        (Scope(members=("get_pair",)), {"get_pair"}, set()),
        (Scope(interfaces=("eagle",)), {"get_pair", "set_pair"}, set()),
        (Scope(interfaces=("core",), severity="all"), {"warm_up"}, {"warm_up"}),
        (Scope(wrappers=("Other*",)), set(), {"warm_up"}),
    ],
)
def test_scope(scope: Scope, members: set[str], demands: set[str]) -> None:
    found = upgraded(changed({"engine/run.py": ("warm_up(1)", "warm_up()")}), scope=scope)
    assert {fate.member for fate in found.members} == members
    assert {change.member for change in found.demands} == demands


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (CallShape(), "()"),
        (CallShape(2, ("key",)), "(_, _, key=_)"),
        (CallShape(0, (), True, True), "(*_, **_)"),
        (CallShape(1, ("a", "b"), True, True), "(_, *_, a=_, b=_, **_)"),
    ],
)
def test_a_call_is_spelled(shape: CallShape, expected: str) -> None:
    assert spell(shape) == expected


MUCH = {
    "engine/run.py": ENGINE.replace("get_pair()", "get_pair()\n        self.target.model.shut_down()"),
    "models/wrap.py": WRAP.replace("    def forward(self, ids", OWN),
    "models/other.py": NEW_WRAPPER,
    "models/base.py": BASE.replace("set_pair(self, pair)", "set_pair(self, pair, *, _tied_=None)"),
}


def test_the_text() -> None:
    assert text(upgraded(MUCH)) == (
        "Other  models/other.py:6\n"
        "  needed, new         get_pair  the wrapper is new\n"
        "  needed, new         set_pair  the wrapper is new\n"
        "\n"
        "Wrap  models/wrap.py:6\n"
        "  upstream's own now  get_pair  Wrap models/wrap.py:11\n"
        "  no longer demanded  set_pair  nothing else of eagle is forwarded now\n"
        "\n"
        "wrappers\n"
        "  new                  Other  models/other.py:6\n"
        "\n"
        "demands\n"
        "  core\n"
        "    new       shut_down  crash, (), target, engine/run.py:4\n"
        "\n"
        "2 shims at v2, 2 refused, new, 1 upstream's own now, 1 no longer demanded, 2 needed, new\n"
        "pretend v1 (111111111111) -> v2 (222222222222)\n"
    )


def test_the_text_in_full_has_refusals() -> None:
    shown = text(upgraded(MUCH), verbose=True)
    assert "  refused, new        shut_down  Model does not have shut_down either\n" in shown


def test_the_text_of_nothing() -> None:
    assert text(upgraded(OLD, scope=Scope(members=("warm_up",)))) == (
        "0 shims at v2\npretend v1 (111111111111) -> v2 (222222222222)\n"
    )


def test_the_markdown() -> None:
    signature = dict(OLD) | {"models/base.py": MUCH["models/base.py"], "engine/run.py": MUCH["engine/run.py"]}
    assert markdown(upgraded(signature)) == (
        "### pretend: v1 (111111111111) → v2 (222222222222)\n"
        "\n"
        "2 shims at v2, 1 signature changed, 1 refused, new, 1 needed, unchanged\n"
        "\n"
        "| wrapper | member | verdict | evidence |\n"
        "| --- | --- | --- | --- |\n"
        "| `Wrap` | `set_pair` | signature changed | self.inner.set\\_pair(self, pair) -\\> "
        "self.inner.set\\_pair(self, pair, \\*, \\_tied\\_=None) |\n"
        "\n"
        "<details><summary>1 shim needed as before</summary>\n"
        "\n"
        "| wrapper | members |\n"
        "| --- | --- |\n"
        "| `Wrap` | `get_pair` |\n"
        "\n"
        "</details>\n"
        "\n"
        "| interface | demand | is | how |\n"
        "| --- | --- | --- | --- |\n"
        "| core | `shut_down` | new | crash, (), target, engine/run.py:4 |\n"
    )


SCHEMA = json.loads((Path(__file__).parents[1] / "docs" / "shimgen-upgrade-1.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("files", [MUCH, OLD, changed({"models/wrap.py": None, "models/far.py": WRAP})])
def test_json_is_valid(files: Mapping[str, str]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    document = json.loads(upgrade_json.render(upgraded(files)))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(upgrade_json.render(upgraded(OLD, files))))


def test_json_says_what_is_pending() -> None:
    document = json.loads(upgrade_json.render(upgraded(MUCH)))
    rows = {(m["wrapper"], m["member"]): (m["verdict"], m["was"], m["pending"]) for m in document["members"]}
    assert rows == {
        ("Other", "get_pair"): ("needed", None, True),
        ("Other", "set_pair"): ("needed", None, True),
        ("Other", "shut_down"): ("refused", None, False),
        ("Wrap", "get_pair"): ("own", "forward", True),
        ("Wrap", "set_pair"): ("undemanded", "forward", True),
        ("Wrap", "shut_down"): ("refused", None, False),
    }
    assert document["demands"][0]["old"] is None
    assert document["demands"][0]["new"] == {"severity": "crash", "uses": ["()"]}
