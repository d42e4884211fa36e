"""Real releases of SGLang as one history: what each upgrade says of Kimi-K2.5, and that it is so."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from benchmarks import releases
from tests.commands import run
from tests.gitrepo import Repo

VERSIONS = ("0.5.9", "0.5.10.post1", "0.5.11")
KIMI = "KimiK25ForConditionalGeneration"
KIMI_PATH = "sglang/srt/models/kimi_k25.py"
PAGE = (Path(__file__).parents[1] / "docs" / "upgrades.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo(releases.history(VERSIONS, tmp_path_factory.mktemp("chain") / "sglang"))


PAIRS = ((VERSIONS[0], VERSIONS[1]), (VERSIONS[1], VERSIONS[2]), (VERSIONS[0], VERSIONS[2]))


@pytest.fixture(scope="module")
def verdicts(chain: Repo) -> list[dict[str, str]]:
    """For each pair of releases: member -> verdict, of those that were a shim at the old one."""
    found = []
    for old, new in PAIRS:
        words = ["--wrapper", KIMI, "--severity", "all", "--json"]
        document = json.loads(run("upgrade", f"v{old}", f"v{new}", chain.path, *words).stdout)
        was = (row for row in document["members"] if row["was"] in ("forward", "recipe"))
        found.append({row["member"]: row["verdict"] for row in was})
    return found


def defined(chain: Repo, version: str) -> set[str]:
    """The members that the class itself defines there, read from its syntax."""
    tree = ast.parse(chain.git("show", f"v{version}:{KIMI_PATH}"))
    cls = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == KIMI)
    assert [ast.unparse(base) for base in cls.bases] == ["nn.Module"], "so nothing can come from a base"
    names = {node.name for node in cls.body if isinstance(node, ast.FunctionDef)}
    stores = (node for node in ast.walk(cls) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    return names | {node.attr for node in stores if ast.unparse(node.value) == "self"}


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_exactly_what_upstream_took_over_is_upstreams_own(
    chain: Repo, verdicts: list[dict[str, str]], number: int
) -> None:
    own = defined(chain, PAIRS[number][1])
    found = verdicts[number]
    assert found == {member: "own" if member in own else "needed" for member in found}
    assert set(found.values()) == ({"needed"} if number == 1 else {"needed", "own"})


def test_the_page_says_the_same(verdicts: list[dict[str, str]]) -> None:
    rows = [[cell.strip(" `") for cell in line.split("|")] for line in PAGE.splitlines() if line.startswith("| `")]
    words = {"own": "upstream's own now", "needed": "needed, unchanged"}
    told = [{member: words[verdict] for member, verdict in column.items()} for column in verdicts]
    expected = {member: [column.get(member, "") for column in told] for member in told[0]}
    assert {row[1]: row[4:7] for row in rows} == expected


@pytest.mark.parametrize("number", [0, 1])
def test_the_page_counts_the_verdicts_on_all_wrappers(chain: Repo, number: int) -> None:
    old, new = PAIRS[number]
    totals = run("upgrade", f"v{old}", f"v{new}", chain.path).stdout.splitlines()[-2].split(", ", 1)[1]
    rows = re.findall(r"^\| ([a-z][a-z', ]+) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.M)
    for verdict, *counts in rows:
        assert re.findall(rf"(\d+) {verdict}(?:,|$)", totals) == [n for n in [counts[number + 1]] if n != "0"]
    assert len(rows) == 6


def test_the_patch_of_the_old_release_fails_and_one_command_gives_the_new_one(chain: Repo, tmp_path: Path) -> None:
    scope = ["--wrapper", "Kimi*"]
    old = run("diff", chain.path, "--at", "v0.5.9", "--quiet", *scope).stdout_bytes
    (tmp_path / "old.patch").write_bytes(old)
    chain.git("clone", "--quiet", str(chain.path), str(tmp_path / "tree"))
    tree = Repo(tmp_path / "tree")
    assert f"patch failed: {KIMI_PATH}" in tree.refuses("apply", "--check", str(tmp_path / "old.patch"))
    expected = run("diff", tree.path, "--quiet", *scope).stdout_bytes
    assert run("apply", tree.path, "--quiet", *scope).exit_code == 0
    assert tree.git("diff") == expected != b""
    assert run("check", tree.path, *scope).exit_code == 0
