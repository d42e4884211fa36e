"""The real SGLang 0.5.9, from PyPI: what the README promises, on the thing itself."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from benchmarks import releases
from tests.commands import run
from tests.gitrepo import Repo
from tests.sarif import LOG

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
KIMI = "KimiK25ForConditionalGeneration"
KIMI_PATH = "sglang/srt/models/kimi_k25.py"
EAGLE = ["--interface", "eagle3", "--wrapper", KIMI]
pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture(scope="module")
def sglang(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return releases.checkout("0.5.9", tmp_path_factory.mktemp("release") / "sglang")


def git(tree: Path, *arguments: object) -> bytes:
    return Repo(tree).git(*map(str, arguments))


def added(patch: str) -> list[str]:
    """The added lines of a patch that begin a member."""
    return [line[1:].strip() for line in patch.splitlines() if re.match(r"\+\s+(async )?def ", line)]


def test_one_command_gives_every_forward_that_the_model_lacks(sglang: Path) -> None:
    result = run("diff", sglang, *EAGLE)
    assert (result.exit_code, result.stderr) == (0, "")
    assert sorted(added(result.stdout)) == [
        "def get_embed_and_head(self):",
        "def set_eagle3_layers_to_capture(self, layer_ids: Optional[List[int]] = None):",
        "def set_embed_and_head(self, embed, head):",
    ]
    calls = [line for line in result.stdout.splitlines() if line.startswith("+        ")]
    assert len(calls) == 3
    assert all(line.startswith("+        return self.language_model.") for line in calls)
    assert re.findall(r"^-(?!-- )", result.stdout, re.M) == [], "nothing is taken away"


def test_the_chain_of_evidence(sglang: Path) -> None:
    shown = run("explain", f"{KIMI}.get_embed_and_head", sglang).stdout
    for part in (
        "at 4 places, 4 without guard, role target",
        "sglang/srt/speculative/eagle_worker.py:157 ",
        "sglang/srt/speculative/eagle_worker_v2.py:194 ",
        "delegate   self.language_model",
        "candidate  DeepseekV3ForCausalLM",
        "provider   DeepseekV2ForCausalLM, for DeepseekV3ForCausalLM: method (self)",
        "  sglang/srt/models/deepseek_v2.py:2944\n",
        "decision   forward",
    ):
        assert part in shown


def test_everything_at_once(sglang: Path, tmp_path: Path) -> None:
    """One series for every wrapper: git takes it in every way, and it comes out again byte for byte."""
    tree = tmp_path / "tree"
    git(tmp_path, "clone", "--quiet", sglang, tree)
    patch = run("diff", tree, "--quiet").stdout_bytes
    (tmp_path / "p.patch").write_bytes(patch)
    for words in (["--check"], ["--3way"], ["-R", "--index"]):
        git(tree, "apply", *words, tmp_path / "p.patch")
    assert run("apply", tree, "--quiet").exit_code == 0
    assert git(tree, "diff") == patch
    touched = git(tree, "diff", "--name-only").decode().split()
    assert len(touched) > 10
    for path in touched:
        ast.parse((tree / path).read_bytes())
    for command in ("apply", "diff"):
        result = run(command, tree, "--quiet")
        assert (result.exit_code, result.output) == (0, "")
    assert run("check", tree).exit_code == 0
    assert run("revert", tree).exit_code == 0
    assert git(tree, "status", "--porcelain") == b""
    assert run("patch", tree, "-o", tmp_path / "series").exit_code == 0
    git(tree, "am", "--quiet", *sorted((tmp_path / "series").glob("*.patch")))
    assert git(tree, "diff", "origin/HEAD", "HEAD") == patch


def test_everything_of_every_severity(sglang: Path, tmp_path: Path) -> None:
    """What is written is no drift of its own, neither for heirs nor for candidates that lack the member."""
    tree = tmp_path / "tree"
    git(tmp_path, "clone", "--quiet", sglang, tree)
    drift = gaps(tree, "drift")
    assert drift
    assert run("apply", tree, "--severity", "all").exit_code == 0
    assert gaps(tree, "drift") == drift
    assert run("diff", tree, "--severity", "all", "--quiet").stdout == ""


def test_the_sarif_of_a_whole_release(sglang: Path) -> None:
    done = run("check", sglang, "--severity", "all", "--format", "sarif")
    assert done.exit_code == 1
    log = json.loads(done.stdout)
    jsonschema.validate(log, LOG)
    assert len(log["runs"][0]["results"]) > 100


def gaps(tree: Path, severity: str) -> list[tuple[str, str, str]]:
    """Class, member and reason of the gaps of a severity."""
    found = json.loads(run("scan", tree, "--severity", severity, "--json").stdout)["gaps"]
    return [(gap["wrapper"], gap["member"], re.sub(r":\d+", "", gap["reason"])) for gap in found]


def test_what_is_asked_of_drafts_is_demanded_of_no_target(sglang: Path) -> None:
    document = json.loads(run("scan", sglang, "--severity", "all", "--json").stdout)
    roles = {demand["member"]: demand["roles"] for demand in document["demands"]}
    assert roles["set_embed"] == ["draft"]
    assert not {"set_embed", "hot_token_id"} & {gap["member"] for gap in document["gaps"]}
    assert document["stats"]["files"] == 1404


def readme_blocks() -> Iterator[tuple[str, str]]:
    """The commands in the README's console block, and what it says that they print."""
    console = README.partition("```console\n")[2].partition("```")[0]
    for block in console.split("$ ")[1:]:
        command, _, output = block.partition("\n")
        yield command, output.strip("\n")


def without_figures(text: str) -> str:
    """Totals are measured anew by every release of shimgen; everything else is to be as printed."""
    return re.sub(
        r"\d[\d,.]*(?= (wrappers?|demanded|gaps?|to close|refused|files?|read|lines?|s$))", "N", text, flags=re.M
    )


def test_the_readme_shows_what_is_printed(sglang: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", sglang, "sglang")
    blocks = list(readme_blocks())
    assert [command.split()[1] for command, _ in blocks][:4] == ["init", "scan", "explain", "diff"]
    for command, output in blocks:
        printed = run(*command.split()[1:]).stdout.strip("\n")
        assert without_figures(printed) == without_figures(output), command
