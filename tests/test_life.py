"""The life of a patch through upgrades, by the commands, on the miniature stack."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.commands import FIXTURES, run
from tests.gitrepo import Repo

MODELS = "python/sglang/srt/models"
PICTURE, PLAIN = f"{MODELS}/picture.py", f"{MODELS}/plain.py"
WRAPPER = "PictureForConditionalGeneration"
OWN = b"    def get_embed_and_head(self):\n        return self.language_model.get_embed_and_head()\n\n"
PLACE = b"    def pad_input_ids(self"


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


def test_a_revision_that_holds_another_stack(mini: Repo) -> None:
    mini.git("rm", "-rq", "python")
    shutil.copytree(FIXTURES / "declared" / "before", mini.path, dirs_exist_ok=True)
    mini.commit({}, message="v2")
    result = run("upgrade", "v1", "HEAD", mini.path)
    assert (result.exit_code, result.stderr) == (2, (
        "shimgen: v1 holds sglang and HEAD holds vllm\n"
        "  next: compare two revisions of one stack, or name its --profile\n"
    ))  # fmt: skip
    result = run("scan", mini.path, "--profile", "sglang")
    assert result.exit_code == 2
    assert "holds no sglang: sglang/srt/server_args.py is not there\n  next: name the folder" in result.stderr


def test_upgrade_without_git(mini: Repo) -> None:
    shutil.rmtree(mini.path / ".git")
    result = run("upgrade", "v1", "v2", mini.path)
    assert result.exit_code == 3
    assert "is not a git checkout, so it has no revision 'v1'" in result.stderr
    assert "next: name a git work tree" in result.stderr


# -- pins -----------------------------------------------------------------------------------------------------


def test_a_pin_is_written_and_all_else_stays(mini: Repo) -> None:
    assert run("init", mini.path).exit_code == 0
    first = Path("shimgen.toml").read_text()
    mine = first.replace("[pin]", "# ours\n[pin] # what we run").replace('revision = "v1"', 'revision = "v1" # stable')
    Path("shimgen.toml").write_text(mine + '\n[[accept]] # known\nwrapper = "W"\nmember = "m"\nreason = "r"\n')
    commit = upstream_takes_over(mini)
    result = run("pin")
    assert result.exit_code == 0, result.output
    assert result.stdout == (
        f"pinned sglang, commit {commit[:12]} (v2) (before: commit {mini.git('rev-parse', 'v1').decode()[:12]} (v1))\n"
        "next: shimgen apply\n"
    )
    text = Path("shimgen.toml").read_text()
    for kept in (
        "# ours\n[pin] # what we run",
        'revision = "v2" # stable',
        "[[accept]] # known",
        f'commit = "{commit}"',
    ):
        assert kept in text
    assert run("pin", "v1").exit_code == 0
    again = Path("shimgen.toml").read_text()
    assert again == mine + '\n[[accept]] # known\nwrapper = "W"\nmember = "m"\nreason = "r"\n'


def test_the_digest_of_a_pin_is_that_of_the_files_wherever_they_are(mini: Repo, tmp_path: Path) -> None:
    assert run("init", mini.path).exit_code == 0
    shutil.copytree(mini.path, tmp_path / "copy", ignore=shutil.ignore_patterns(".git"))
    assert run("apply", tmp_path / "copy").exit_code == 0
    assert run("apply", tmp_path / "copy").exit_code == 0
    assert run("revert", tmp_path / "copy").exit_code == 0
    (tmp_path / "copy" / PLAIN).write_bytes(mini.read(PLAIN) + b"\n")
    result = run("apply", tmp_path / "copy")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "(v1), and the checkout is not in git and has other files, digest " in result.stderr
    assert "next: shimgen pin\n" in result.stderr


def test_apply_and_check_say_how_the_checkout_differs_from_the_pin(mini: Repo) -> None:
    assert run("init", mini.path).exit_code == 0
    mini.commit({"notes.md": b"x"})
    commit = upstream_takes_over(mini)
    old = mini.git("rev-parse", "v1").decode()[:12]
    says = (
        f"shimgen.toml pins commit {old} (v1), and the checkout is commit {commit[:12]} (v2), 2 commits after it; "
        "1 Python file differs"
    )
    command = f"shimgen upgrade {old} HEAD, then shimgen pin"
    result = run("apply")
    assert (result.exit_code, result.stdout) == (3, "")
    assert says in result.stderr
    assert f"next: {command}\n" in result.stderr
    for name in ("check", "diff", "scan"):
        assert f"note: {says}; next: {command}\n" in run(name).stderr
    assert json.loads(run("check", "--json").stdout)["notes"] == [f"{says}; next: {command}"]
    assert run("upgrade", old, "HEAD", mini.path).exit_code == 0
    assert run("pin").exit_code == 0
    assert run("apply").exit_code == 0
    assert json.loads(run("check", "--json").stdout)["notes"] == []


def test_a_pin_that_the_repository_does_not_have(mini: Repo) -> None:
    assert run("init", mini.path).exit_code == 0
    text = Path("shimgen.toml").read_text()
    old = mini.git("rev-parse", "v1").decode().strip()
    Path("shimgen.toml").write_text(
        "".join(line for line in text.splitlines(True) if "digest" not in line).replace(old, "f" * 40)
    )
    result = run("apply")
    assert result.exit_code == 3
    assert "which this repository does not have" in result.stderr
    assert "next: git fetch --tags, or shimgen pin\n" in result.stderr


def test_a_pinned_commit_that_is_elsewhere_with_the_same_files_holds(mini: Repo) -> None:
    assert run("init", mini.path).exit_code == 0
    mini.git("checkout", "--quiet", "--orphan", "other")
    mini.commit({"notes.md": b"x"}, message="the same source")
    assert run("apply").exit_code == 0


def test_shims_committed_on_top_of_the_pin_are_no_difference(mini: Repo) -> None:
    assert run("init", mini.path).exit_code == 0
    assert run("apply").exit_code == 0
    mini.commit({}, message="shims")
    result = run("apply")
    assert (result.exit_code, result.stdout, "pins" in result.stderr) == (0, "", False)
    assert run("check").stderr == ""
    mini.commit({PICTURE: mini.read(PICTURE) + b"\n\nMORE = 1\n"}, message="and more")
    assert run("apply").exit_code == 3


def test_a_pin_does_not_hold_what_was_not_committed(mini: Repo) -> None:
    note = "note: the commit that the pin names lacks the changes of 1 file\n"
    mini.write({PLAIN: mini.read(PLAIN) + b"\nOURS = 1\n"})
    assert [run("init", mini.path).stderr, run("pin").stderr] == [note, note]
    mini.git("checkout", PLAIN)
    assert run("pin").stderr == ""


def test_a_folder_in_the_place_of_a_revision(mini: Repo) -> None:
    """Of all other commands the first argument is CHECKOUT."""
    assert run("init", mini.path).exit_code == 0
    result = run("pin", mini.path)
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"shimgen: {mini.path} is a folder, and the first argument of pin is a revision",
        f"  next: shimgen pin HEAD {mini.path}",
    ]
    assert run("pin", "HEAD", mini.path).exit_code == 0


def test_pin_needs_a_file_and_a_revision(mini: Repo) -> None:
    result = run("pin", "v1", mini.path)
    assert (result.exit_code, "next: shimgen init CHECKOUT" in result.stderr) == (2, True)
    assert run("init", mini.path).exit_code == 0
    before = Path("shimgen.toml").read_text()
    result = run("pin", "v9")
    assert (result.exit_code, "has no revision 'v9'" in result.stderr) == (3, True)
    assert Path("shimgen.toml").read_text() == before


# -- accepted gaps ---------------------------------------------------------------------------------------------

SILENT = "SoundForConditionalGeneration"


def accept(member: str, until: str = "", wrapper: str = WRAPPER) -> str:
    limit = f"until = {until}\n" if until else ""
    return f'[[accept]]\nwrapper = "{wrapper}"\nmember = "{member}"\nreason = "we know"\n{limit}'


@pytest.mark.parametrize(
    ("rows", "code", "says"),
    [
        (accept("*"), 0, ["accepted: we know"]),
        (accept("get_*") + accept("set_*", '"0.9"'), 0, ["accepted: we know"]),
        (accept("*", '"v1"'), 1, [f'[[accept]] "{WRAPPER}", "*" held until v1 and counts no longer']),
        (accept("*", '"2.0"'), 0, ["accepted: we know"]),
        (accept("*", "2000-01-01"), 1, ["held until 2000-01-01 and counts no longer"]),
        (
            accept("*") + accept("gone"),
            0,
            [f'[[accept]] "{WRAPPER}", "gone" is about no gap here, and can be taken out'],
        ),
    ],
)
def test_accepted_gaps(mini: Repo, rows: str, code: int, says: list[str]) -> None:
    mini.git("tag", "--force", "v1.0")
    Path("shimgen.toml").write_text(rows.replace('"0.9"', '"2.0"'))
    mini.git("tag", "--delete", "v1")
    result = run("check", mini.path)
    assert result.exit_code == code, result.output
    for part in says:
        assert part in result.stdout
    states = {row["state"] for row in json.loads(run("check", mini.path, "--json").stdout)["accepts"]}
    assert states == {"expired"} if code else states <= {"holds", "idle"}


def test_an_acceptance_of_what_is_out_of_scope_is_not_idle(mini: Repo) -> None:
    Path("shimgen.toml").write_text(accept("get_embed_and_head", wrapper=SILENT))
    result = run("check", mini.path, "--wrapper", WRAPPER)
    assert "is about no gap" not in result.stdout


# -- interrupted runs ------------------------------------------------------------------------------------------


def interrupt(mini: Repo) -> None:
    """Leave the checkout as a kill between two moves of an apply leaves it."""
    assert run("apply", mini.path).exit_code == 0
    state = mini.path / ".git" / "shimgen"
    (state / "0001.zip").rename(state / "pending.zip")


@pytest.mark.parametrize("command", ["scan", "check", "diff"])
def test_commands_that_read_tell_of_an_interrupted_run(mini: Repo, command: str) -> None:
    assert "interrupted" not in run(command, mini.path).stderr
    interrupt(mini)
    before = mini.snapshot()
    result = run(command, mini.path)
    assert "note: an interrupted apply has changed some files and others not" in result.stderr
    assert (mini.path / ".git" / "shimgen" / "pending.zip").exists()
    assert mini.snapshot() == before


@pytest.mark.parametrize("command", ["apply", "revert"])
def test_commands_that_write_end_an_interrupted_run_first(mini: Repo, command: str) -> None:
    before = mini.snapshot()
    interrupt(mini)
    after = mini.snapshot()
    result = run(command, mini.path)
    assert "note: An interrupted apply was completed: 1 files." in result.stderr
    assert mini.snapshot() == (after if command == "apply" else before)
    assert "interrupted" not in run("check", mini.path).stderr


def test_the_whole_life(mini: Repo) -> None:
    """From one release to the next, as the README tells it."""
    upstream_takes_over(mini)
    mini.git("checkout", "--quiet", "v1")
    assert run("init", mini.path).exit_code == 0
    assert run("apply").exit_code == 0
    assert verdicts("v1", "v2") == TAKEN_OVER
    assert run("revert").exit_code == 0
    mini.git("checkout", "--quiet", "v2")
    assert run("apply").exit_code == 3
    assert run("pin").exit_code == 0
    assert run("apply").exit_code == 0
    added = [line for line in mini.git("diff").decode().splitlines() if line.startswith("+    def ")]
    assert [line.split("(")[0].split()[-1] for line in added] == ["set_eagle3_layers_to_capture", "set_embed_and_head"]
    assert run("check").exit_code == 0
