"""Carried patches on the miniature stack, by the commands: each of their states, before and after the shims."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run
from tests.gitrepo import Repo
from tests.test_life import MODELS, PICTURE, PLAIN, WRAPPER

RUNNER = "python/sglang/srt/model_executor/model_runner.py"
SHAPES = "python/configs/shapes.json"
NOTE = (PLAIN, b"from torch import nn\n", b"from torch import nn\n\nOURS = True\n")
SIGNATURE = (PLAIN, b"def set_embed_and_head(self, embed, head)", b"def set_embed_and_head(self, embed, head, tied=0)")
TWO = (NOTE, (PICTURE, b"        self.vision_tower = nn", b"        self.ours = OURS\n        self.vision_tower = nn"))


@pytest.fixture
def stack(mini: Repo) -> Repo:
    """The miniature stack with a file besides that is no Python."""
    mini.commit({SHAPES: b'{"tile": 64}\n'}, message="v1")
    mini.git("tag", "--force", "v1")
    return mini


def edited(repo: Repo, *edits: tuple[str, bytes, bytes]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for path, old, new in edits:
        content = found.get(path) or repo.read(path)
        assert old in content
        found[path] = content.replace(old, new)
    return found


def carry(repo: Repo, name: str, *edits: tuple[str, bytes, bytes], when: str = "before") -> None:
    """Write a patch of these edits, as git prints it, and name it in shimgen.toml; the checkout stays as it is."""
    before = {path: repo.read(path) for path, _, _ in edits}
    repo.git("add", "--all")
    repo.write(edited(repo, *edits))
    Path(name).write_bytes(repo.git("diff"))
    repo.write(before)
    repo.git("reset", "--quiet")
    with Path("shimgen.toml").open("a") as stream:
        stream.write(f'[[carried]]\npatch = "{name}"\nreason = "our GPUs"\nwhen = "{when}"\n')


def states(repo: Repo, command: str = "check") -> list[tuple[str, str, bool]]:
    document: dict[str, Any] = json.loads(run(command, repo.path, "--json").stdout)
    return [(row["patch"], row["state"], row["stands"]) for row in document["carried"]]


def shims(content: bytes) -> int:
    return content.count(b"# shimgen: ")


def test_a_patch_that_applies_rides_with_the_shims(stack: Repo) -> None:
    before = stack.snapshot()
    carry(stack, "ours.patch", *TWO, (SHAPES, b"64", b"128"))
    assert states(stack) == [("ours.patch", "applies", False)]
    patch = run("diff", stack.path, "--quiet").stdout_bytes
    assert patch.count(b"\ndiff --git") + 1 == 3
    result = run("apply", stack.path)
    assert result.exit_code == 0, result.output
    assert result.stdout == (
        f"{SHAPES}\n  ours.patch: added\n{PICTURE}\n  ours.patch: added\n"
        f"  {WRAPPER}: added get_embed_and_head, set_eagle3_layers_to_capture, set_embed_and_head\n"
        f"{PLAIN}\n  ours.patch: added\n"
    )
    assert stack.git("diff") == patch
    assert (shims(stack.read(PICTURE)), b"self.ours = OURS" in stack.read(PICTURE)) == (3, True)
    assert stack.read(SHAPES) == b'{"tile": 128}\n'
    assert states(stack) == [("ours.patch", "applies", True)]
    check = run("check", stack.path)
    assert (check.exit_code, "ours.patch: carried: is in the checkout" in check.stdout) == (0, True)
    again = run("apply", stack.path)
    assert (again.exit_code, again.stdout, run("diff", stack.path, "--quiet").stdout) == (0, "", "")
    assert run("revert", stack.path).exit_code == 0
    assert stack.snapshot() == before


def test_the_gate_is_closed_while_a_carried_patch_is_missing(stack: Repo) -> None:
    assert run("apply", stack.path).exit_code == 0
    assert run("check", stack.path).exit_code == 0
    carry(stack, "ours.patch", NOTE)
    result = run("check", stack.path)
    assert result.exit_code == 1
    assert "ours.patch: carried: applies, and is not in the checkout\n" in result.stdout
    assert "1 of 1 carried patches not in the checkout\n" in result.stdout
    assert run("apply", stack.path).stdout == f"{PLAIN}\n  ours.patch: added\n"
    assert run("check", stack.path).exit_code == 0


def test_a_patch_that_upstream_took_over_is_left_out(stack: Repo) -> None:
    carry(stack, "ours.patch", *TWO)
    stack.commit(edited(stack, *TWO), message="v2")
    assert states(stack) == [("ours.patch", "already there", True)]
    result = run("apply", stack.path)
    assert result.exit_code == 0
    assert "note: the carried patch ours.patch: is already there, in whole\n" in result.stderr
    assert stack.git("diff", "--name-only").decode().split() == [PICTURE]
    assert (run("check", stack.path).exit_code, run("apply", stack.path).stdout) == (0, "")


def test_a_patch_of_which_upstream_took_a_part(stack: Repo) -> None:
    carry(stack, "ours.patch", *TWO)
    stack.commit(edited(stack, NOTE), message="v2")
    assert states(stack) == [("ours.patch", "partly there", False)]
    result = run("apply", stack.path)
    assert result.exit_code == 0
    assert "note: the carried patch ours.patch: 1 of 2 hunks are already there, the others apply\n" in result.stderr
    assert (stack.read(PLAIN).count(b"OURS = True"), stack.read(PICTURE).count(b"self.ours = OURS")) == (1, 1)
    assert run("check", stack.path).exit_code == 0


@pytest.mark.parametrize("shimmed", [False, True])
def test_a_conflict_leaves_everything_as_it_was(stack: Repo, shimmed: bool) -> None:
    carry(stack, "ours.patch", *TWO)
    carry(stack, "other.patch", (RUNNER, b"class ", b"OTHER = 1\n\n\nclass "))
    stack.commit(edited(stack, (PLAIN, b"from torch import nn\n", b"from torch import nn as layers\n")), message="v2")
    if shimmed:
        toml = Path("shimgen.toml").read_bytes()
        Path("shimgen.toml").write_text("")
        run("apply", stack.path)
        Path("shimgen.toml").write_bytes(toml)
    before = stack.snapshot()
    for command in (["diff"], ["apply"], ["patch", "-o", "out"]):
        result = run(command[0], stack.path, *command[1:])
        assert (result.exit_code, result.stdout) == (4, "")
        assert (
            f"shimgen: the carried patch ours.patch conflicts; {PLAIN}:5, hunk 1: expected 'from torch import nn' "
            "there, and 'from torch import nn as layers' stands there; nothing was changed\n"
        ) in result.stderr
        assert "next: make ours.patch anew for this source, or take it out of shimgen.toml\n" in result.stderr
    assert stack.snapshot() == before
    assert not Path("out").exists()
    assert states(stack) == [("ours.patch", "conflicts", False), ("other.patch", "applies", False)]
    check = run("check", stack.path)
    assert (check.exit_code, "ours.patch: carried: conflicts; " in check.stdout) == (1, True)


def test_shims_are_made_on_what_patches_before_them_changed(stack: Repo) -> None:
    carry(stack, "ours.patch", SIGNATURE)
    assert run("apply", stack.path).exit_code == 0
    assert b"def set_embed_and_head(self, embed, head, tied=0)" in stack.read(PICTURE)
    assert run("check", stack.path).exit_code == 0


def test_a_patch_before_the_shims_that_comes_later_renews_them(stack: Repo) -> None:
    before = stack.snapshot()
    assert run("apply", stack.path).exit_code == 0
    carry(stack, "ours.patch", SIGNATURE)
    assert run("check", stack.path).exit_code == 1
    assert run("apply", stack.path).exit_code == 0
    assert b"def set_embed_and_head(self, embed, head, tied=0)" in stack.read(PICTURE)
    assert run("check", stack.path).exit_code == 0
    assert run("revert", stack.path).exit_code == 0
    assert stack.snapshot() == before


def test_a_patch_after_the_shims_may_change_them(stack: Repo) -> None:
    before = stack.snapshot()
    assert run("apply", stack.path).exit_code == 0
    call = b"        return self.language_model.get_embed_and_head()\n"
    carry(stack, "log.patch", (PICTURE, call, b"        print('asked')\n" + call), when="after")
    assert run("revert", stack.path).exit_code == 0
    assert run("apply", stack.path).exit_code == 0
    assert b"print('asked')\n" + call in stack.read(PICTURE)
    assert states(stack) == [("log.patch", "applies", True)]
    assert (run("apply", stack.path).stdout, run("check", stack.path).exit_code) == ("", 0)
    assert run("revert", stack.path).exit_code == 0
    assert stack.snapshot() == before


def test_a_patch_that_is_carried_no_longer_is_taken_out(stack: Repo) -> None:
    clean = stack.snapshot()
    carry(stack, "ours.patch", *TWO, (SHAPES, b"64", b"128"))
    assert run("apply", stack.path).exit_code == 0
    Path("shimgen.toml").write_text("")
    assert run("apply", stack.path).exit_code == 0
    assert (stack.read(PLAIN), stack.read(SHAPES)) == (clean[PLAIN][0], clean[SHAPES][0])
    assert (shims(stack.read(PICTURE)), b"OURS" in stack.read(PICTURE)) == (3, False)
    assert (run("check", stack.path).exit_code, run("apply", stack.path).stdout) == (0, "")


def test_a_clone_to_which_the_series_was_committed_has_all_of_it(stack: Repo, tmp_path: Path) -> None:
    carry(stack, "ours.patch", *TWO)
    assert run("apply", stack.path).exit_code == 0
    stack.commit({}, message="ours")
    stack.git("clone", "--quiet", str(stack.path), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    assert states(clone) == [("ours.patch", "already there", True)]
    assert (run("check", clone.path).exit_code, run("apply", clone.path).stdout) == (0, "")


def test_patches_lie_on_one_another_in_the_order_of_the_file(stack: Repo) -> None:
    carry(stack, "one.patch", NOTE)
    first = stack.read(PLAIN)
    stack.write(edited(stack, NOTE))
    carry(stack, "two.patch", (PLAIN, b"OURS = True\n", b"OURS = False\n"))
    stack.write({PLAIN: first})
    assert run("apply", stack.path).exit_code == 0
    assert b"OURS = False\n" in stack.read(PLAIN)
    assert [stands for _, _, stands in states(stack)] == [True, True]
    assert run("apply", stack.path).stdout == ""


def test_a_changed_file_of_another_kind_is_not_overwritten(stack: Repo) -> None:
    carry(stack, "ours.patch", (SHAPES, b"64", b"128"))
    stack.write({SHAPES: b'{"tile": 64}\n\n'})
    before = stack.snapshot()
    result = run("apply", stack.path)
    assert (result.exit_code, f"{SHAPES} has uncommitted changes" in result.stderr) == (3, True)
    assert stack.snapshot() == before


def test_from_a_directory_of_the_checkout_and_without_git(stack: Repo, tmp_path: Path) -> None:
    """A patch is relative to the top of the repository; the checkout may begin elsewhere."""
    carry(stack, "ours.patch", *TWO)
    inner = stack.path / "python"
    assert run("apply", inner).exit_code == 0
    expected = stack.read(PICTURE)
    assert run("revert", inner).exit_code == 0
    shutil.copytree(inner / "sglang", tmp_path / "site" / "sglang")
    assert run("apply", tmp_path / "site").exit_code == 0
    assert (tmp_path / "site" / PICTURE.removeprefix("python/")).read_bytes() == expected
    assert run("check", tmp_path / "site").exit_code == 0


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (None, 2, "the carried patch ours.patch cannot be read: No such file or directory"),
        (b"words", 4, "ours.patch holds no patch"),
        (b"--- a/gone.py\n+++ b/gone.py\n@@ -1 +1 @@\n-a\n+b\n", 4, "gone.py, hunk 1: there is no such file"),
        (
            b"diff --git a/x b/x\nindex 7898192..6178079 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
            4,
            "ours.patch changes the link x",
        ),
        (b"diff --git a/x.py b/x.py\n--- a/x.py\n@@ -1 +1 @@\n-a\n+b\n", 4, "does not begin with '+++ '"),
        (b"--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+b\n", 4, "ours.patch adds new.py"),
    ],
)
def test_patches_that_cannot_be_carried(stack: Repo, content: bytes | None, code: int, says: str) -> None:
    Path("shimgen.toml").write_text('[[carried]]\npatch = "ours.patch"\n')
    if content is not None:
        Path("ours.patch").write_bytes(content)
    before = stack.snapshot()
    result = run("apply", stack.path)
    assert (result.exit_code, result.stdout) == (code, "")
    assert says in result.stderr
    assert stack.snapshot() == before


def test_a_patch_that_breaks_a_file_is_refused(stack: Repo) -> None:
    carry(stack, "ours.patch", (f"{MODELS}/sound.py", b"class Sound", b"class class Sound"))
    before = stack.snapshot()
    result = run("apply", stack.path)
    assert (result.exit_code, "would no longer be valid Python" in result.stderr) == (4, True)
    assert stack.snapshot() == before


@pytest.mark.parametrize("when", ["before", "after"])
def test_upgrade_says_how_a_patch_fares_at_both_revisions(stack: Repo, when: str) -> None:
    carry(stack, "ours.patch", NOTE, when=when)
    carry(stack, "other.patch", (SHAPES, b"64", b"128"), when=when)
    stack.commit({**edited(stack, NOTE), SHAPES: b'{"tile": 96}\n'}, message="v2")
    words = ["upgrade", "v1", "HEAD", stack.path]
    rows = json.loads(run(*words, "--json").stdout)["carried"]
    assert [(row["new"]["patch"], row["old"]["state"], row["new"]["state"]) for row in rows] == [
        ("ours.patch", "applies", "already there"),
        ("other.patch", "applies", "conflicts"),
    ]
    there = "is already there, in whole (before: applies)"
    shown = run(*words).stdout
    assert f"\ncarried patches\n  ours.patch  {there}\n  other.patch  conflicts; {SHAPES}:1, hunk 1" in shown
    assert f"| `ours.patch` | {there} |" in run(*words, "--format", "markdown").stdout
    assert run(*words, "--exit-code").exit_code == 1
    assert run("upgrade", "v1", "v1", stack.path, "--exit-code").exit_code == 0
