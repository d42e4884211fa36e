"""The benchmark of speed: what it measures is what it says. No time is tested."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from benchmarks import releases, trees
from benchmarks.speed import MARKER, Goal
from benchmarks.tables import ROOT, replaced
from benchmarks.timing import Case, environment, held_by, medians, megabytes, seconds

MODEL = """class Other:
    def forward(self):
        return 0


class Model:
    kind = "model"

    def forward(self, x):
        y = x
        return y

LIMIT = 1
"""
BIG = 64_000_000
HOLD = f"held = bytearray({BIG}); print('ready', flush=True); import sys; sys.stdin.read()"
FAIL = "import sys; print('no such thing', file=sys.stderr); sys.exit(2)"
ABOVE = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD!r}])"


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_cases_take_turns_and_the_median_counts() -> None:
    times = {"a": [3.0, 1.0, 2.0], "b": [9.0, 9.0, 1.0]}
    log: list[str] = []
    cases = [Case(name, (), prepare=partial(log.append, f"prepare {name}")) for name in times]

    def run(case: Case) -> float:
        log.append(case.name)
        return times[case.name].pop(0)

    assert medians(cases, 3, run) == {"a": 2.0, "b": 9.0}
    assert log == ["prepare a", "a", "prepare b", "b"] * 3


def test_the_time_is_that_of_the_whole_process() -> None:
    began = time.perf_counter()
    found = seconds(Case("sleeps", python("import time; time.sleep(0.05)")))
    assert 0.05 <= found <= time.perf_counter() - began


@pytest.mark.parametrize("measure", [seconds, megabytes])
def test_a_command_that_fails_is_an_error_with_its_words(measure: Callable[[Case], float]) -> None:
    with pytest.raises(RuntimeError, match=r"the case: .* failed: no such thing"):
        measure(Case("the case", python(FAIL)))


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="the system tells no shares of memory")
def test_memory_counts_what_processes_below_hold() -> None:
    with subprocess.Popen(python(ABOVE), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        assert BIG < held_by(process.pid) < BIG + 60_000_000
    assert held_by(process.pid) == 0


def test_the_peak_of_a_run_is_what_it_held_at_most() -> None:
    hold = f"import time; held = bytearray({BIG}); time.sleep(0.2)"
    assert 64 < megabytes(Case("holds", python(hold))) < 124


def test_settings_of_the_caller_do_not_reach_what_is_measured(tmp_path: Path) -> None:
    given = {"PATH": "/bin", "PYTHONDONTWRITEBYTECODE": "1", "GIT_DIR": "x", "SHIMGEN_CACHE_DIR": "mine"}
    assert environment(given, tmp_path) == {"PATH": "/bin", "SHIMGEN_CACHE_DIR": str(tmp_path)}


def test_goals_are_computed_from_the_figures() -> None:
    ratio = Goal("warm, of bare", 15, "warm", "bare")
    assert ratio.row({"warm": 0.3, "bare": 0.02}) == ("warm, of bare", "15", "15.00", "yes")
    assert ratio.row({"warm": 0.4, "bare": 0.02}) == ("warm, of bare", "15", "20.00", "**no**")
    assert ratio.row({"warm": 0.4}) == ("warm, of bare", "15", "not measured", "")
    assert Goal("peak", 150, "cold", unit=" MB").row({"cold": 88.6}) == ("peak", "150 MB", "88.60 MB", "yes")


def test_only_what_stands_between_the_markers_is_replaced() -> None:
    page = "before\n<!-- make x -->\nold\nolder\n<!-- end of make x -->\nafter\n"
    assert replaced(page, "make x", "new") == "before\n<!-- make x -->\nnew\n<!-- end of make x -->\nafter\n"


def test_the_page_of_benchmarks_has_a_place_for_the_tables() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert replaced(replaced(page, MARKER, "tables"), MARKER, "") == replaced(page, MARKER, "")


@pytest.mark.parametrize(
    "page",
    ["", "<!-- x -->\n", "<!-- end of x -->\n<!-- x -->\n", "<!-- x -->\n<!-- x -->\n<!-- end of x -->\n"],
    ids=["none", "no end", "wrong order", "two"],
)
def test_a_page_without_markers_is_left_alone(page: str) -> None:
    with pytest.raises(ValueError, match="<!-- x --> and below it one line <!-- end of x -->"):
        replaced(page, "x", "new")


def test_each_edit_changes_what_it_says() -> None:
    assert trees.comment(MODEL, 7) == f"{MODEL}# edit 7\n"
    assert trees.line(MODEL, 7) == MODEL.replace("        return y\n", "        edit = 7\n        return y\n")
    more = "\n    def edit_7(self):\n        return self.config\n"
    assert trees.method(MODEL, 7) == MODEL.replace("        return y\n", f"        return y\n{more}")


def test_edits_are_evenly_spaced() -> None:
    assert trees.spaced(range(100), 1) == [50]
    assert trees.spaced(range(100), 4) == [12, 37, 62, 87]
    assert trees.spaced("ab", 10) == ["a", "b"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tiny stack in git: the files that SGLang is recognised by, and twenty models."""
    tree = tmp_path / "tree"
    anchors = [f"sglang/{name}" for name in trees.PROFILE.recognise]
    for name in [*anchors, *(f"sglang/srt/models/m{number:02}.py" for number in range(20))]:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(MODEL)
    (tree / "sglang/srt/models/empty.py").write_text("")
    releases.commit_all(tree, "all")
    return tree


def git(tree: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=tree, check=True, capture_output=True, text=True).stdout


def test_an_edited_checkout_has_the_last_edit_only(tree: Path) -> None:
    paths = trees.spaced(trees.model_files(tree), 2)
    between: list[str] = []
    look = lambda: between.append(git(tree, "diff", "--name-only"))  # noqa: E731
    edits = [trees.Edited(tree, [path], trees.comment, look) for path in paths]
    edits[0]()
    first = (tree / paths[0]).read_text()
    edits[1]()
    assert git(tree, "diff", "--name-only").split() == [paths[1]]
    edits[0]()
    assert git(tree, "diff", "--name-only").split() == [paths[0]]
    assert (tree / paths[0]).read_text() != first, "the same edit would be in the cache"
    assert between == ["", "", ""]


def test_parts_nest_and_keep_what_the_stack_is_recognised_by(tree: Path, tmp_path: Path) -> None:
    quarter, half = (trees.part(tree, share, tmp_path / str(share)) for share in (0.25, 0.5))
    smaller, larger = (set(git(path, "ls-files").split()) for path in (quarter, half))
    whole = len(git(tree, "ls-files").split())
    assert smaller < larger
    assert (len(smaller), len(larger)) == (round(whole * 0.25), round(whole * 0.5))
    assert {f"sglang/{name}" for name in trees.PROFILE.recognise} <= smaller


def test_only_files_with_a_model_are_edited(tree: Path) -> None:
    found = trees.model_files(tree)
    assert "sglang/srt/models/m00.py" in found
    assert "sglang/srt/models/empty.py" not in found
    assert "sglang/srt/server_args.py" not in found
