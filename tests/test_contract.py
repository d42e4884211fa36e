"""What scripts and operators count on: exit codes that are true, files that are as before when they say so, and
sentences that name the cause and what to type."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shimgen.checkout import commits, files
from shimgen.checkout.command import GitError, git
from shimgen.cli.document import write
from shimgen.model.errors import GenerateError
from tests.commands import run
from tests.gitrepo import Repo
from tests.test_life import MODELS, PICTURE, PLAIN, WRAPPER

PATCH = ("patch", "-o", "out")


@pytest.fixture
def named(mini: Repo) -> Repo:
    """The miniature stack, whose git knows who commits."""
    mini.git("config", "user.name", "Ada")
    mini.git("config", "user.email", "ada@example.org")
    return mini


def process(*words: object, redirect: str = "") -> tuple[int, str]:
    """Exit code and stderr of `shimgen`, started by a shell that redirects its streams."""
    command = f'exec "$0" -m shimgen "$@" {redirect}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def state(repo: Repo) -> tuple[str, ...]:
    """All that apply may change, and must not when it fails: files, index, branches."""
    said = (["status", "--porcelain"], ["for-each-ref"], ["symbolic-ref", "--quiet", "HEAD"], ["diff"])
    return tuple(repo.git(*words).decode() for words in said)


# Where git does not take the change, everything is as before


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/heads/new.lock"])
@pytest.mark.parametrize("words", [("--commit",), ("--branch", "new"), ("--branch", "new", "--commit=one")])
def test_a_commit_that_git_does_not_take_changes_nothing(named: Repo, lock: str, words: tuple[str, ...]) -> None:
    locked = named.path / ".git" / lock
    before = state(named)
    locked.touch()
    result = run("apply", named.path, *words)
    locked.unlink()
    if result.exit_code == 0:  # the lock was on something that is not changed
        assert (lock, "--branch" in words) in {("refs/heads/main.lock", True), ("refs/heads/new.lock", False)} | {
            ("index.lock", "--commit" not in " ".join(words))
        }
        return
    assert result.exit_code == 4, result.output
    assert result.stderr.count("\n") == 2, "one sentence and one command"
    assert "lock" in result.stderr and "; nothing was changed" in result.stderr
    assert state(named) == before
    assert not (named.path / ".git" / "shimgen").exists()
    assert run("apply", named.path, *words).exit_code == 0


def test_a_commit_that_fails_leaves_what_an_earlier_run_applied(named: Repo) -> None:
    assert run("apply", named.path, "--member", "get_embed_and_head").exit_code == 0
    before = state(named)
    (named.path / ".git" / "HEAD.lock").touch()
    assert run("apply", named.path, "--branch", "new").exit_code == 4
    (named.path / ".git" / "HEAD.lock").unlink()
    assert state(named) == before
    assert run("revert", named.path).exit_code == 0
    assert named.git("status", "--porcelain") == b""


def test_what_git_says_is_a_sentence(named: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(folder: Path, *words: str, **given: Any) -> bytes:
        if words[0] == "hash-object":
            raise GitError("warning: odd\nfatal: unable to write loose object file: No space left on device\nadvice")
        return git(folder, *words, **given)

    monkeypatch.setattr(commits, "git", full)
    result = run("apply", named.path, "--commit=one")
    assert result.exit_code == 4
    assert "git failed: unable to write loose object file: No space left on device\n  next: git status" in result.stderr


# Streams


@pytest.mark.parametrize("redirect", ["2>&-", "<&-", "2>/dev/full", "2>&- <&-"])
def test_a_stream_that_is_closed_is_no_error(mini: Repo, redirect: str) -> None:
    assert process("diff", mini.path, redirect=redirect) == (0, "") or redirect == "<&-"
    assert process("check", mini.path, redirect=redirect)[0] == 1
    assert process("apply", mini.path, redirect=redirect)[0] == 0
    assert process("revert", mini.path, redirect=redirect)[0] == 0


@pytest.mark.parametrize("words", [("apply",), PATCH, ("init",)])
def test_without_a_stdout_nothing_is_begun(mini: Repo, words: tuple[str, ...]) -> None:
    code, said = process(*words, mini.path, redirect=">&-")
    assert (code, said) == (4, "shimgen: there is no stdout to write the result to\n")
    assert mini.git("status", "--porcelain") == b""
    assert list(Path().iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is always full")
@pytest.mark.parametrize("words", [("apply",), PATCH, ("init",), ("revert",)])
def test_a_result_that_cannot_be_told_is_not_said_to_be_nothing(mini: Repo, words: tuple[str, ...]) -> None:
    """Exit code 4 means that nothing was changed, and here something was."""
    if words == ("revert",):
        run("apply", mini.path)
    code, said = process(*words, mini.path, "--quiet", redirect=">/dev/full")
    assert code == 141
    assert said == "shimgen: the command did its work, but cannot write the result to stdout: No space left on device\n"


# Arguments


@pytest.mark.parametrize(
    "words",
    [
        ("scan", ""),
        ("check", "--at", ""),
        ("check", "--at="),
        ("apply", "--wrapper", ""),
        ("scan", "--config", ""),
        ("upgrade", "", "HEAD"),
        ("pin", ""),
        ("patch", "-o", ""),
        ("", "scan"),
    ],
)
def test_a_variable_without_value_is_not_taken_for_something_else(mini: Repo, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert "Error: an argument is empty: " in result.stderr
    assert result.stdout == ""


def test_a_name_that_may_be_in_a_file_that_was_left_out(mini: Repo) -> None:
    """As in the middle of a merge."""
    content = mini.read(PICTURE)
    mini.write({PICTURE: b"<<<<<<< ours\n" + content})
    for words in (("check", "--wrapper", WRAPPER), ("explain", WRAPPER)):
        result = run(*words[:2], *words[2:], mini.path) if words[0] == "explain" else run(*words, mini.path)
        assert result.exit_code == 2
        assert f"left out: {PICTURE}:1: does not parse" in result.stderr


def test_a_folder_below_the_source_leads_to_the_top(mini: Repo) -> None:
    below = (mini.path / PICTURE).parent
    result = run("scan", below)
    assert result.exit_code == 2
    assert f"(the repository begins at {mini.path})" in result.stderr
    assert "at v1" in run("upgrade", "v1", "v1", below).stderr


# Configuration


def test_a_configuration_keeps_its_place_and_mode(mini: Repo, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "stack.toml", Path("shimgen.toml")
    link.symlink_to(real)
    assert run("init", mini.path, "--force").exit_code == 0
    real.chmod(0o600)
    assert run("pin").exit_code == 0
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in real.parent.iterdir()) == ["stack.toml"]


@pytest.mark.parametrize(
    "words", [("init", "--force", "--config", "."), ("init", "--config", "."), ("pin", "--config", ".")]
)
def test_a_folder_is_no_configuration(mini: Repo, words: tuple[str, ...]) -> None:
    result = run(*words, *([mini.path] if words[0] == "init" else []))
    assert result.exit_code in {2, 4}
    assert "internal error" not in result.stderr
    assert "--config" in result.stderr.splitlines()[-1], "the next command names it again"


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    """As /dev/null, to which root may write."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(GenerateError, match="it is not a regular file"):
        write(tmp_path / "pipe", {})
    assert (tmp_path / "pipe").is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_broken_configuration_is_kept_when_a_new_one_is_forced(mini: Repo) -> None:
    Path("shimgen.toml").write_text("profile = 'sglang'\n[[accept]\nreason = 'years of work'\n")
    assert "next: correct the file" in run("check").stderr
    result = run("init", mini.path, "--force")
    assert result.exit_code == 0
    assert "years of work" in Path("shimgen.toml.old").read_text()
    assert "is kept as shimgen.toml.old" in result.stderr


# Names that cannot be written


@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are UTF-8 there")
def test_a_name_that_is_not_utf8_is_a_sentence(mini: Repo) -> None:
    odd = os.fsdecode(os.fsencode(PICTURE.removesuffix(".py")) + b"\xff.py")
    mini.git("mv", PICTURE, odd)
    mini.git("commit", "--quiet", "--message", "odd")
    result = run("patch", mini.path, "-o", "out")
    assert result.exit_code == 4
    assert "cannot be written as utf-8\n  next: rename it" in result.stderr
    assert not Path("out").exists()


# Series


def test_a_series_that_is_not_needed_any_more_goes(mini: Repo) -> None:
    assert run("patch", mini.path, "-o", "out").exit_code == 0
    Path("out", "mine.txt").touch()
    assert run("apply", mini.path).exit_code == 0
    result = run("patch", mini.path, "-o", "out")
    assert "the series in out is an earlier one" in result.stderr
    assert Path("out", "series.json").is_file(), "it is what stands there, and may be brought to another clone"
    assert run("revert", mini.path).exit_code == 0
    result = run("patch", mini.path, "-o", "out", "--member", "start_layer")
    assert "note: nothing was written: nothing is missing in the checkout\n" in result.stderr
    assert [path.name for path in Path("out").iterdir()] == ["mine.txt"]


def test_a_series_of_another_is_left_alone(mini: Repo) -> None:
    theirs = {"series": "mine.patch\n", "mine.patch": "work\n"}
    Path("out").mkdir()
    for name, content in theirs.items():
        Path("out", name).write_text(content)
    result = run("patch", mini.path, "-o", "out")
    assert result.exit_code == 2
    assert "holds a series that is not shimgen's" in result.stderr
    assert {path.name: path.read_text() for path in Path("out").iterdir()} == theirs


@pytest.mark.parametrize("number", [1, 3])
def test_a_series_is_written_whole_or_not_at_all(mini: Repo, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    assert run("patch", mini.path, "-o", "out", "--member", "get_embed_and_head").exit_code == 0
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    calls: list[Path] = []
    real = files.write_new

    def full(path: Path, content: bytes, mode: int = 0o644) -> None:
        calls.append(path)
        if len(calls) == number:
            raise OSError(28, "No space left on device", str(path))
        real(path, content, mode)

    monkeypatch.setattr(files, "write_new", full)
    result = run("patch", mini.path, "-o", "out")
    assert result.exit_code == 4
    assert "No space left on device; nothing was changed\n  next: make room" in result.stderr
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before


def test_a_file_that_does_not_fit_leaves_nothing_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError) as caught:
        files.write_new(tmp_path / "new", b"content")
    assert caught.value.filename == str(tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


# Revert


def test_a_revert_of_nothing_says_so(mini: Repo) -> None:
    patch = run("diff", mini.path, "--quiet").stdout_bytes
    mini.git("apply", given=patch)
    result = run("revert", mini.path)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "note: nothing to revert" in result.stderr


def test_what_was_reverted_is_in_the_object(mini: Repo) -> None:
    run("apply", mini.path)
    found = json.loads(run("revert", mini.path, "--json").stdout)
    assert found["proof"] is None
    assert (found["patches"], found["files"]) == ([], [PICTURE])


# Reading


@pytest.mark.parametrize("kind", ["git", "directory"])
def test_a_folder_that_cannot_be_read_is_named(
    mini: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Never left out in silence."""
    closed = (mini.path / PICTURE).parent
    if kind == "directory":
        (mini.path / ".git").rename(tmp_path / "git")

    def refuse(real: Callable[..., object]) -> Callable[..., object]:
        def stand_in(path: str, *rest: object, **named: object) -> object:
            inside = f"{path}/".startswith(f"{closed}/")
            if inside and (kind == "directory" or str(path) != str(closed)):
                raise PermissionError(13, "Permission denied", path)
            return real(path, *rest, **named)

        return stand_in

    monkeypatch.setattr(os, "scandir", refuse(os.scandir))
    if kind == "git":
        monkeypatch.setattr(os, "lstat", refuse(os.lstat))
    result = run("scan", mini.path)
    assert result.exit_code == 3, result.output
    assert "cannot be read: Permission denied\n  next: ls -ld " in result.stderr


# Where a fault stands


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('profile = "sglan"', ['  profile: there is no profile "sglan"; did you mean "sglang"?']),
        ('[stack]\nextends = "sglan"', ['  stack.extends: there is no profile "sglan"; did you mean "sglang"?']),
        ("[stack.recipes.head]", ["  stack.recipes.head: Object missing required field `member`"]),
        ('[scope]\nwrappers = ["Pictures"]', ['{file}: scope.wrappers: "Pictures" matches nothing here']),
        ('[scope]\nmembers = ["get_embed"]', ['{file}: scope.members: "get_embed" matches nothing here']),
        ('[scope]\ninterfaces = ["eagle"]', ['{file}: scope.interfaces: "eagle" matches nothing here']),
    ],
)
def test_a_fault_of_the_file_is_said_to_be_there(mini: Repo, table: str, says: list[str]) -> None:
    Path("shimgen.toml").write_text(table)
    result = run("check", mini.path)
    assert result.exit_code == 2
    for text in says:
        assert text.format(file=Path("shimgen.toml").absolute()) in result.stderr
    assert result.stderr.endswith("  next: correct the file and run the command again\n")
    assert "--wrapper" not in result.stderr


def test_a_fault_of_the_command_line_is_said_to_be_there(mini: Repo) -> None:
    Path("shimgen.toml").write_text('[scope]\nwrappers = ["Picture*"]\n')
    result = run("check", mini.path, "--wrapper", "Pictures")
    assert result.exit_code == 2
    assert result.stderr.startswith('shimgen: --wrapper "Pictures" matches nothing here')
    assert result.stderr.endswith("  next: shimgen scan --verbose\n")


def test_that_nothing_was_compared_is_said(mini: Repo) -> None:
    """A [stack] without profile extends the generic one, which knows no stack: an open gate is then no good news."""
    Path("shimgen.toml").write_text('[stack]\nignore = ["x"]\n')
    for command in ("check", "scan", "apply"):
        result = run(command, mini.path)
        assert result.exit_code == 0
        assert "note: the profile generic sees no wrapper here, so nothing was compared" in result.stderr
    assert len(json.loads(run("check", mini.path, "--json").stdout)["notes"]) == 1


def test_a_bare_repository_is_worked_with_by_revisions(mini: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    mini.git("clone", "--quiet", "--bare", str(mini.path), str(bare))
    assert run("init", bare).exit_code == 3
    assert run("init", bare, "--at", "main").exit_code == 0
    assert run("pin", "HEAD").exit_code == 0
    assert run("check", "--at", "main").exit_code == 1
    assert run("patch", "--at", "main", "-o", tmp_path / "series").exit_code == 0
    mini.git("am", "--quiet", *map(str, sorted((tmp_path / "series").glob("*.patch"))))
    assert run("check", mini.path).exit_code == 0


# What is not there


def test_a_revision_without_python_files(mini: Repo) -> None:
    mini.git("switch", "--quiet", "--orphan", "empty")
    mini.commit({"README": b""})
    result = run("scan", mini.path, "--at", "HEAD")
    assert result.exit_code == 3
    assert "has no Python files at" in result.stderr
    assert "next: git ls-tree" in result.stderr


def test_a_work_tree_whose_python_files_were_deleted(mini: Repo) -> None:
    for path in mini.path.rglob("*.py"):
        path.unlink()
    result = run("scan", mini.path)
    assert (result.exit_code, "has no Python files" in result.stderr) == (3, True)


def test_a_pin_by_digest_alone(mini: Repo) -> None:
    Path("shimgen.toml").write_text(f'[pin]\ndigest = "{"0" * 40}"\n')
    assert "pins digest 000000000000, and commit" in run("check", mini.path).stderr
    result = run("apply", mini.path)
    assert result.exit_code == 3
    assert result.stderr.endswith("  next: shimgen pin\n")


def test_a_pinned_commit_of_which_git_has_lost_a_part(mini: Repo) -> None:
    assert run("init", mini.path).exit_code == 0
    tree = mini.git("rev-parse", "HEAD:python").decode().strip()
    mini.commit({"python/sglang/version.py": b"__version__ = '2'\n"}, message="v2")
    (mini.path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    result = run("apply", mini.path)
    assert result.exit_code == 3
    assert "which this repository does not have" in result.stderr


def test_an_acceptance_until_a_release_where_none_is_known(mini: Repo, tmp_path: Path) -> None:
    shutil.copytree(mini.path / "python", tmp_path / "plain" / "python")
    row = '[[accept]]\nwrapper = "*"\nmember = "*"\nreason = "later"\nuntil = "0.5.11"\n'
    Path("shimgen.toml").write_text(row)
    assert run("check", tmp_path / "plain").exit_code == 0


def test_a_folder_in_the_place_of_a_file_of_the_series(mini: Repo, tmp_path: Path) -> None:
    (tmp_path / "out" / "series.json").mkdir(parents=True)
    result = run("patch", mini.path, "-o", tmp_path / "out")
    assert result.exit_code == 4
    assert f"cannot write {tmp_path}/out/series.json: Is a directory; nothing was changed" in result.stderr
    assert [path.name for path in (tmp_path / "out").iterdir() if path.suffix == ".patch"] == []


def test_a_configuration_that_cannot_be_written(mini: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", refuse)
        result = run("init", mini.path)
    assert result.exit_code == 4
    assert f"cannot write {Path('shimgen.toml').absolute()}: No space left on device" in result.stderr
    assert list(Path.cwd().iterdir()) == []


def test_verify_prints_what_failed_and_ends_with_4(mini: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    from shimgen.verify import reanalysis

    monkeypatch.setattr(reanalysis, "_compiles", lambda path, content: "it does not")
    result = run("verify", mini.path, "--json")
    assert result.exit_code == 4
    proof = json.loads(result.stdout)["proof"]
    assert proof["failed"] > 0
    assert {check["detail"] for check in proof["checks"] if not check["passed"]} == {"it does not"}
    before = mini.snapshot()
    assert (run("apply", mini.path).exit_code, mini.snapshot()) == (4, before)


def test_a_gate_is_open_when_all_that_is_left_cannot_be_written(mini: Repo) -> None:
    """A default that means nothing in the wrapper's module stops the forwards, however many they are."""
    wants = [f"want_{number}" for number in range(12)]
    calls = "".join(f"    model_runner.model.{name}()\n" for name in wants)
    methods = "".join(f"    def {name}(self, limit=LIMIT):\n        return limit\n\n" for name in wants)
    place = b"    def get_embed_and_head(self)"
    plain = mini.read(PLAIN).replace(place, methods.encode() + place, 1) + b"\n\nLIMIT = 7\n"
    worker = MODELS.replace("models", "model_executor/wants.py")
    mini.commit({PLAIN: plain, worker: f"def ask(model_runner):\n{calls}".encode()})
    scope = [word for name in wants for word in ("--member", name)]
    gate = run("check", *scope, "--wrapper", WRAPPER, mini.path)
    assert (gate.exit_code, run("diff", *scope, mini.path).stdout) == (0, "")
    assert "0 gaps could be closed, 12 refused" in gate.stdout
    codes = [run(command, "--severity", "all", mini.path).exit_code for command in ("check", "apply", "check")]
    assert codes == [1, 0, 0]
