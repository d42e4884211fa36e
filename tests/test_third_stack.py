"""A stack that no shipped profile knows: the profile is the example of docs/profiles.md, and nothing else is."""

from __future__ import annotations

import json
import py_compile
import re
from pathlib import Path

import pytest

from tests import commands
from tests.commands import miniature
from tests.gitrepo import Repo

ROOT = Path(__file__).parents[1]
SEEING = "ember/models/seeing.py"


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The miniature stack, and beside it the page's example as shimgen.toml in the working directory."""
    repo = miniature("third", tmp_path, monkeypatch)
    (example,) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "profiles.md").read_text(encoding="utf-8"), re.S)
    Path("shimgen.toml").write_text(f'checkout = "../third"\n{example}', encoding="utf-8")
    return repo


def run(*arguments: str) -> str:
    result = commands.run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_wrappers_demands_and_decisions_are_found(stack: Repo) -> None:
    document = json.loads(run("scan", "--severity", "all", "--json"))
    held = {w["class"]: [c["class"] for c in w["delegate"]["candidates"]] for w in document["wrappers"]}
    assert held == {"SeeingNet": ["TextNet"], "HearingNet": ["ShortNet"]}
    assert [d["member"] for d in document["demands"]] == ["CanDraft", "tap", "window"]
    decided = {(g["wrapper"], g["member"]): (g["decision"], g["reason"]) for g in document["gaps"]}
    assert decided == {
        ("HearingNet", "CanDraft"): ("refuse", "ShortNet does not support CanDraft either"),
        ("HearingNet", "window"): ("refuse", "ShortNet does not have window either"),
        ("SeeingNet", "CanDraft"): ("recipe", None),
        ("SeeingNet", "tap"): ("forward", None),
        ("SeeingNet", "window"): ("forward", None),
    }


def test_the_patch_is_applied_and_taken_back(stack: Repo) -> None:
    before = stack.read(SEEING)
    run("apply")
    after = stack.read(SEEING).decode()
    py_compile.compile(str(stack.path / SEEING), cfile=str(stack.path.parent / "compiled"), doraise=True)
    assert "class SeeingNet(nn.Module, CanDraft):" in after
    assert "return self.speech.window()" in after
    assert "class HearingNet(nn.Module):" in after
    assert "\n0 gaps could be closed, 2 refused" in run("check")
    run("revert")
    assert stack.read(SEEING) == before
