"""The life of a patch through upgrades, by the commands, on the miniature stack."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from shimgen.cli.main import shimgen
from tests.gitrepo import Repo, make_repo, only_default_settings

__all__ = ["only_default_settings"]

FIXTURES = Path(__file__).parents[1] / "fixtures"
MODELS = "python/sglang/srt/models"
PICTURE, PLAIN = f"{MODELS}/picture.py", f"{MODELS}/plain.py"
WRAPPER = "PictureForConditionalGeneration"
OWN = b"    def get_embed_and_head(self):\n        return self.language_model.get_embed_and_head()\n\n"
PLACE = b"    def pad_input_ids(self"


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A committed copy of fixtures/mini, tagged v1, and an empty folder beside it as the working directory."""
    monkeypatch.setenv("SHIMGEN_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "ops").mkdir()
    monkeypatch.chdir(tmp_path / "ops")
    shutil.copytree(FIXTURES / "mini" / "before", tmp_path / "mini")
    repo = make_repo(tmp_path / "mini")
    repo.commit({}, message="v1")
    repo.git("tag", "v1")
    return repo


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(shimgen, [str(a) for a in arguments], prog_name="shimgen")
    assert "Traceback" not in result.output
    return result


def upstream_takes_over(mini: Repo) -> str:
    """Upstream writes one of the forwards itself: the commit, tagged v2."""
    commit = mini.commit({PICTURE: mini.read(PICTURE).replace(PLACE, OWN + PLACE)}, message="v2")
    mini.git("tag", "v2")
    return commit


def verdicts(*arguments: object) -> dict[str, str]:
    document = json.loads(run("upgrade", *arguments, "--json").stdout)
    return {row["member"]: row["verdict"] for row in document["members"] if row["wrapper"] == WRAPPER}


TAKEN_OVER = {"get_embed_and_head": "own", "set_eagle3_layers_to_capture": "needed", "set_embed_and_head": "needed"}


def test_upgrade_reads_two_revisions_and_moves_nothing(mini: Repo) -> None:
    upstream_takes_over(mini)
    mini.git("checkout", "--quiet", "v1")
    before = mini.snapshot()
    assert verdicts("v1", "v2", mini.path) == TAKEN_OVER
    assert verdicts("v1", "v1", mini.path) == dict.fromkeys(TAKEN_OVER, "needed")
    assert mini.snapshot() == before


@pytest.mark.parametrize("shims", [("v1",), ("v2",), ("v1", "v2")])
def test_upgrade_does_not_see_shims_that_stand(mini: Repo, shims: tuple[str, ...]) -> None:
    """The same answer whether shims were committed to either revision, and stale ones are no upstream's own."""
    if "v1" in shims:
        assert run("apply", mini.path).exit_code == 0
        mini.commit({}, message="v1 with shims")
        mini.git("tag", "--force", "v1")
    upstream_takes_over(mini)
    if "v2" in shims:
        assert run("apply", mini.path).exit_code == 0
        mini.commit({}, message="v2 with shims")
        mini.git("tag", "--force", "v2")
    assert verdicts("v1", "v2", mini.path) == TAKEN_OVER


def test_upgrade_to_where_shims_are_committed_is_no_news(mini: Repo) -> None:
    assert run("apply", mini.path).exit_code == 0
    mini.commit({}, message="v2")
    result = run("upgrade", "v1", "HEAD", mini.path, "--exit-code")
    assert (result.exit_code, "3 needed, unchanged" in result.stdout) == (0, True)


def test_upgrade_exit_code_and_formats(mini: Repo) -> None:
    upstream_takes_over(mini)
    assert run("upgrade", "v1", "v2", mini.path).exit_code == 0
    assert run("upgrade", "v1", "v2", mini.path, "--exit-code").exit_code == 1
    assert run("upgrade", "v2", "v2", mini.path, "--exit-code").exit_code == 0
    narrow = ["--member", "set_embed_and_head", "--exit-code"]
    assert run("upgrade", "v1", "v2", mini.path, *narrow).exit_code == 0
    assert run("upgrade", "v1", "v2", mini.path, "--format", "markdown").stdout.startswith("### sglang: v1 (")
    assert "  upstream's own now  get_embed_and_head" in run("upgrade", "v1", "v2", mini.path).stdout
    shown = [run("upgrade", "v1", "v2", mini.path, *words).stdout for words in (["--json"], ["--format", "json"])]
    first, second = (json.loads(document)["members"] for document in shown)
    assert first == second


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["v1", "v3"], 3, "has no revision 'v3'"),
        (["--", "-v3", "v1"], 3, "has no revision '-v3'"),
        (["v1", "v1", "--at", "v1"], 2, "leave out --at"),
        (["v1", "v1", "--json", "--format", "markdown"], 2, "contradict"),
        (["v1", "v1", "--wrapper", "PictureForCausalLM"], 2, f'did you mean "{WRAPPER}"'),
        (["v1"], 2, "Missing argument 'NEW'"),
    ],
)
def test_upgrade_errors(mini: Repo, words: list[str], code: int, says: str) -> None:
    if len(words) == 1:
        result = run("upgrade", *words)
    else:
        place = words.index("v3") + 1 if "v3" in words else 3 if words[0] == "--" else 2
        result = run("upgrade", *words[:place], mini.path, *words[place:])
    assert (result.exit_code, result.stdout) == (code, "")
    assert says in result.stderr


def test_upgrade_without_git(mini: Repo) -> None:
    shutil.rmtree(mini.path / ".git")
    result = run("upgrade", "v1", "v2", mini.path)
    assert result.exit_code == 3
    assert "is not a git checkout, so it has no revision 'v1'" in result.stderr
    assert "next: name a git work tree" in result.stderr
