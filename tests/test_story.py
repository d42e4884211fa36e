"""The commands on a miniature stack in a git repository of its own, with the real pipeline.

What fixtures/mini lacks is written in fixtures/mini/after; what goes wrong changes nothing and says what to type.
"""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import Result

from tests.commands import FIXTURES, committed, run
from tests.gitrepo import Repo

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads((ROOT / "docs" / "shimgen-1.schema.json").read_text(encoding="utf-8"))
PICTURE = "python/sglang/srt/models/picture.py"
WRAPPER = "PictureForConditionalGeneration"
FORWARDED = ["get_embed_and_head", "set_eagle3_layers_to_capture", "set_embed_and_head"]


def git(tree: Path, *arguments: str) -> str:
    return Repo(tree).git(*arguments).decode()


def commit(tree: Path) -> str:
    return Repo(tree).commit({})


@pytest.fixture
def mini(mini: Repo) -> Path:
    return mini.path


def files(tree: Path) -> dict[str, bytes]:
    found = (path for path in sorted(tree.rglob("*")) if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(tree).as_posix(): path.read_bytes() for path in found}


def test_from_init_to_revert(mini: Path) -> None:
    before = files(mini)
    assert run("init", mini).exit_code == 0
    assert run("check").exit_code == 1
    patch = run("diff", "--quiet").stdout_bytes
    assert run("apply").exit_code == 0
    assert git(mini, "diff").encode() == patch
    assert files(mini) == {**before, **files(FIXTURES / "mini" / "after")}
    for again in ("diff", "apply"):
        assert (run(again, "--quiet").output, run(again).exit_code) == ("", 0)
    assert run("check").exit_code == 0
    assert run("revert").exit_code == 0
    assert files(mini) == before
    assert git(mini, "status", "--porcelain") == ""
    assert run("revert").exit_code == 0


def test_apply_again_with_a_wider_scope_from_a_directory_below(mini: Path) -> None:
    """What the first run wrote is shimgen's own, so it is no reason to stop the second; revert takes out both."""
    before = files(mini)
    inner = mini / "python"
    for words in (["--member", "get_embed_and_head"], []):
        written = files(mini)
        assert run("apply", inner, *words).exit_code == 0
        assert files(mini) != written
    result = run("revert", inner)
    assert (result.exit_code, result.stdout.split()) == (0, [PICTURE.removeprefix("python/")])
    assert files(mini) == before


def test_git_accepts_the_patch_in_every_way(mini: Path, tmp_path: Path) -> None:
    (tmp_path / "p.patch").write_bytes(run("diff", mini, "--quiet").stdout_bytes)
    assert git(mini, "status", "--porcelain") == "", "diff changes nothing"
    for words in (["--check"], ["--3way", "--check"], ["--index"], ["--check", "-R"], ["-R", "--index"]):
        git(mini, "apply", *words, str(tmp_path / "p.patch"))
    result = run("patch", mini, "-o", tmp_path / "series")
    assert result.exit_code == 0
    written = sorted((tmp_path / "series").glob("*.patch"))
    assert written
    git(mini, "am", "--quiet", *map(str, (p for p in written if "Subject: " in p.read_text())))
    assert files(mini)[PICTURE] == files(FIXTURES / "mini" / "after")[PICTURE]
    assert run("diff", mini, "--quiet").stdout == ""


def test_json_of_every_command(mini: Path, tmp_path: Path) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for words in (
        ["init"],
        ["scan", "--severity", "all"],
        ["check"],
        ["diff"],
        ["patch", "-o", tmp_path / "series"],
        ["explain", WRAPPER],
        ["explain", f"{WRAPPER}.get_embed_and_head"],
        ["verify"],
        ["apply"],
        ["verify"],
        ["revert"],
    ):
        result = (
            run(words[0], *words[1:2], mini, *words[2:], "--json")
            if words[0] == "explain"
            else run(words[0], mini, *words[1:], "--json")
        )
        assert result.exit_code in (0, 1), result.output
        validator.validate(json.loads(result.stdout))


def test_verify_executes_what_would_stand_and_what_stands(mini: Path) -> None:
    pending = run("verify", mini)
    assert pending.exit_code == 0
    assert pending.stdout.endswith("proven, 0 failed\n")
    count = int(pending.stdout.splitlines()[-1].split()[0])
    assert count >= len(FORWARDED)
    assert git(mini, "status", "--porcelain") == ""
    run("apply", mini)
    assert run("verify", mini).stdout == pending.stdout
    proof = json.loads(run("verify", mini, "--json").stdout)["proof"]
    assert (proof["proven"], proof["failed"]) == (count, 0)
    assert all(check["passed"] for check in proof["checks"])


def test_scan_lists_each_gap_with_its_decision(mini: Path) -> None:
    gaps = json.loads(run("scan", mini, "--json").stdout)["gaps"]
    found = {(gap["wrapper"], gap["member"]): gap["decision"] for gap in gaps}
    assert found == {
        **{(WRAPPER, member): "forward" for member in FORWARDED},
        ("SoundForConditionalGeneration", "get_embed_and_head"): "refuse",
        ("SoundForConditionalGeneration", "set_eagle3_layers_to_capture"): "refuse",
    }


def test_explain_leads_from_the_engine_to_the_provider(mini: Path) -> None:
    shown = run("explain", f"{WRAPPER}.get_embed_and_head", mini).stdout
    chain = (
        "python/sglang/srt/speculative/eagle_worker.py:10",
        "python/sglang/srt/models/picture.py:8",
        "PlainerForCausalLM",
        "PlainForCausalLM, for PlainerForCausalLM: method (self)  python/sglang/srt/models/plain.py:35",
        "decision   forward",
        "return self.language_model.get_embed_and_head()",
    )
    positions = [shown.find(part) for part in chain]
    assert -1 not in positions, shown
    assert positions == sorted(positions)


def test_a_revision_is_read_without_moving_the_work_tree(mini: Path) -> None:
    patch = run("diff", mini, "--quiet").stdout_bytes
    assert run("apply", mini).exit_code == 0
    commit(mini)
    assert run("diff", mini, "--quiet").stdout_bytes == b""
    assert run("diff", mini, "--at", "HEAD~1", "--quiet").stdout_bytes == patch
    assert run("diff", mini, "--at", "nowhere").exit_code in (2, 3)


def test_the_generic_profile(mini: Path, tmp_path: Path) -> None:
    tree = committed("generic", tmp_path).path
    assert run("apply", tree).exit_code == 0
    assert files(tree) == {**files(FIXTURES / "generic" / "before"), **files(FIXTURES / "generic" / "after")}


MODELS = "python/sglang/srt/models"
PLAIN = f"{MODELS}/plain.py"
WORKER = "python/sglang/srt/speculative/eagle_worker.py"
RUNNER = "python/sglang/srt/model_executor/model_runner.py"
ASKED = "self.target_worker.model_runner.model.get_embed_and_head()"
OWN = "    def get_embed_and_head(self):\n        return None\n\n    def pad_input_ids"
REFUSED = "today it would be refused: PlainerForCausalLM does not have get_embed_and_head either"


@pytest.mark.parametrize(
    ("edits", "stale"),
    [
        ([(PLAIN, "import nn", "import nn  # edited")], {}),
        ([(WORKER, ASKED, "None, None")], {}),
        (
            [(WORKER, ASKED, "None, None"), (RUNNER, "self.model.set_eagle3_layers_to_capture()", "pass")],
            {
                "get_embed_and_head": "the engine no longer demands get_embed_and_head",
                "set_eagle3_layers_to_capture": "the engine no longer demands set_eagle3_layers_to_capture",
                "set_embed_and_head": f"nothing that the engine can hold needs set_embed_and_head of {WRAPPER}",
            },
        ),
        (
            [(PLAIN, "def set_embed_and_head(self, embed, head)", "def set_embed_and_head(self, embed, head, tied=0)")],
            {"set_embed_and_head": "PlainForCausalLM.set_embed_and_head takes (self, embed, head, tied=0) now"},
        ),
        (
            [(PICTURE, "    def pad_input_ids", OWN)],
            {"get_embed_and_head": f"{WRAPPER} has get_embed_and_head without it, from {WRAPPER} ({PICTURE}:14)"},
        ),
        ([(PLAIN, "    def get_embed_and_head(self)", "    def get_pair(self)")], {"get_embed_and_head": REFUSED}),
        (
            [(PICTURE, "self.language_model", "self.text")],
            dict.fromkeys(FORWARDED, "it forwards to self.language_model, and the delegate is in self.text now"),
        ),
    ],
)
def test_check_finds_shims_that_would_not_be_written_today(
    mini: Path, edits: list[tuple[str, str, str]], stale: dict[str, str]
) -> None:
    assert run("apply", mini).exit_code == 0
    for path, old, new in edits:
        upstream, marker, shims = (mini / path).read_text().partition("    # shimgen")
        assert old in upstream
        (mini / path).write_text(upstream.replace(old, new) + marker + shims)
    commit(mini)
    result = run("check", mini, "--json")
    assert {row["member"]: row["reason"] for row in json.loads(result.stdout)["stale"]} == stale
    assert run("check", mini).exit_code == bool(stale)


def expect_error(result: Result, code: int, *says: str) -> None:
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert result.stderr.startswith("shimgen: ")
    assert "\n  next: " in result.stderr
    for part in says:
        assert part in result.stderr


@pytest.mark.parametrize("command", ["scan", "diff", "apply", "check", "init"])
def test_what_is_no_checkout(mini: Path, tmp_path: Path, command: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    for place in ("empty", "file", "nowhere"):
        expect_error(run(command, tmp_path / place), 3, place)


@pytest.mark.parametrize("command", ["scan", "diff", "apply", "check", "init"])
def test_no_stack_is_found(mini: Path, command: str) -> None:
    (mini / "python/sglang/srt/models/registry.py").unlink()
    commit(mini)
    expect_error(run(command, mini), 2, "sglang")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--wrapper", "PictureForCausalLM"], WRAPPER),
        (["--member", "get_embed_and_haed"], "get_embed_and_head"),
        (["--interface", "eagle"], "eagle3"),
        (["--profile", "sglan"], "sglang"),
    ],
)
@pytest.mark.parametrize("command", ["scan", "diff", "apply", "check"])
def test_an_unknown_name_comes_with_the_nearest(mini: Path, command: str, words: list[str], says: str) -> None:
    expect_error(run(command, mini, *words), 2, f'"{words[1]}"', f'did you mean "{says}"')
    assert git(mini, "status", "--porcelain") == ""


def test_another_commit_than_the_pinned_one(mini: Path) -> None:
    assert run("init", mini).exit_code == 0
    pinned = git(mini, "rev-parse", "HEAD").strip()
    (mini / "notes.py").write_text("")
    found = commit(mini)
    expect_error(run("apply"), 3, pinned[:7], found[:7])
    for command in ("scan", "diff"):
        assert f"note: shimgen.toml pins commit {pinned[:12]}" in run(command).stderr
    assert git(mini, "status", "--porcelain") == ""
    assert run("init", mini, "--force").exit_code == 0
    assert run("apply").exit_code == 0


def test_a_changed_file_that_would_be_touched(mini: Path) -> None:
    source = mini / PICTURE
    source.write_text(source.read_text() + "\n\nEXTRA = 1\n")
    before = files(mini)
    expect_error(run("apply", mini), 3, PICTURE)
    assert files(mini) == before


def test_a_changed_file_that_would_not_be_touched(mini: Path) -> None:
    (mini / "python/sglang/version.py").write_text('__version__ = "ours"\n')
    assert run("apply", mini).exit_code == 0
    assert run("revert", mini).exit_code == 0
    assert git(mini, "status", "--porcelain") == " M python/sglang/version.py\n"


@pytest.mark.parametrize("content", ["def broken(:\n", "x = '\0'\n", b"x = '\xff'\n"])
def test_a_file_that_does_not_parse_is_reported_and_the_rest_goes_on(mini: Path, content: str | bytes) -> None:
    broken = mini / "python/sglang/srt/models/broken.py"
    broken.write_bytes(b"from torch import nn  # EntryClass ForConditionalGeneration\n")
    with broken.open("ab") as stream:
        stream.write(content.encode() if isinstance(content, str) else content)
    commit(mini)
    result = run("scan", mini)
    assert result.exit_code == 0
    assert "note: left out python/sglang/srt/models/broken.py" in result.stderr
    assert WRAPPER in result.stdout
    assert run("apply", mini).exit_code == 0


def test_all_faults_of_a_configuration(mini: Path) -> None:
    Path("shimgen.toml").write_text('profil = "sglang"\n[scope]\nseverity = "fatal"\n')
    for command in ("scan", "diff", "apply", "check"):
        expect_error(run(command, mini), 2, "profil: unknown key", "scope.severity:")
