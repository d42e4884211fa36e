"""A series as files, reviewed and brought back; applying on a branch, as commits, and not at all."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run
from tests.gitrepo import Repo
from tests.test_carried import NOTE, RUNNER, SHAPES, TWO, carry, edited, stack
from tests.test_life import OWN, PICTURE, PLACE, PLAIN, WRAPPER

__all__ = ["stack"]


@pytest.fixture
def named(stack: Repo) -> Repo:
    """The miniature stack, whose git knows who commits."""
    stack.git("config", "user.name", "Ada Opérateur")
    stack.git("config", "user.email", "ada@example.org")
    return stack


def written(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def test_a_series_in_files(named: Repo) -> None:
    carry(named, "ours.patch", *TWO)
    carry(named, "late.patch", (RUNNER, b"class ", b"LATE = 1\n\n\nclass "), when="after")
    result = run("patch", named.path, "-o", "out")
    assert result.exit_code == 0, result.output
    files = written("out")
    patches = [
        "0001-Carry-ours-patch.patch",
        f"0002-{WRAPPER}-forward-3-members-to.patch",
        "0003-Carry-late-patch.patch",
    ]
    assert list(files) == ["0000-cover-letter.txt", *patches, "series", "series.json"]
    assert result.stdout.split() == [f"out/{name}" for name in files]
    assert files["series"].decode().splitlines() == patches
    assert (
        b"From: Ada =?utf-8?" in files[patches[0]]
        or b"From: Ada Op\xc3\xa9rateur <ada@example.org>" in files[patches[0]]
    )
    assert b"ours.patch applies (our GPUs)" in files["0000-cover-letter.txt"]
    manifest = json.loads(files["series.json"])
    assert (manifest["schema"], manifest["profile"]) == ("shimgen-series/1", "sglang")
    assert manifest["baseline"]["id"] == named.git("rev-parse", "HEAD").decode().strip()
    assert [(row["file"], row["sha256"]) for row in manifest["patches"]] == [
        (name, hashlib.sha256(files[name]).hexdigest()) for name in patches
    ]
    before = {path: named.read(path) for path in (PICTURE, PLAIN, RUNNER)}
    named.git("am", "--quiet", *(str(Path("out", name).resolve()) for name in patches))
    assert {row["path"]: (row["before"], row["after"]) for row in manifest["files"]} == {
        path: tuple(hashlib.sha256(content).hexdigest() for content in (before[path], named.read(path)))
        for path in before
    }
    assert named.git("log", "-3", "--format=%s").decode().splitlines() == [
        "Carry late.patch",
        f"{WRAPPER}: forward 3 members to the delegate",
        "Carry ours.patch",
    ]
    assert run("check", named.path).exit_code == 0


def test_the_bytes_repeat(named: Repo) -> None:
    carry(named, "ours.patch", *TWO)
    for folder in ("one", "two"):
        assert run("patch", named.path, "-o", folder).exit_code == 0
    assert written("one") == written("two")
    date = named.git("log", "-1", "--format=%cD").strip()
    assert all(b"\nDate: " + date + b"\n" in content for name, content in written("one").items() if "patch" in name)


def test_a_shorter_series_takes_the_place_of_a_longer_one(named: Repo) -> None:
    carry(named, "ours.patch", NOTE)
    assert run("patch", named.path, "-o", "out").exit_code == 0
    Path("out/mine.txt").write_text("kept")
    Path("shimgen.toml").write_text("")
    assert run("patch", named.path, "-o", "out").exit_code == 0
    assert [name for name in written("out") if name.endswith(".patch")] == [
        f"0001-{WRAPPER}-forward-3-members-to.patch"
    ]
    assert Path("out/mine.txt").exists()


def reviewed(repo: Repo) -> None:
    carry(repo, "ours.patch", *TWO)
    assert run("patch", repo.path, "-o", "out").exit_code == 0


def test_a_reviewed_series_is_brought_back(named: Repo) -> None:
    before = named.snapshot()
    reviewed(named)
    Path("ours.patch").write_text("changed since, and not asked for")
    result = run("apply", named.path, "--series", "out")
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"{PICTURE}\n  0001-Carry-ours-patch.patch: added\n  0002-{WRAPPER}" in result.stdout
    manifest = json.loads(Path("out/series.json").read_text())
    for row in manifest["files"]:
        assert hashlib.sha256(named.read(row["path"])).hexdigest() == row["after"]
    again = run("apply", named.path, "--series", "out")
    assert (again.exit_code, again.stdout) == (0, "")
    assert run("revert", named.path).exit_code == 0
    assert named.snapshot() == before


def test_a_dry_run_of_a_reviewed_series(named: Repo) -> None:
    reviewed(named)
    before = named.snapshot()
    result = run("apply", named.path, "--series", "out", "--dry-run")
    assert (result.exit_code, PICTURE in result.stdout) == (0, True)
    assert named.snapshot() == before


@pytest.mark.parametrize(
    ("path", "content", "code", "says"),
    [
        (PLAIN, b"# changed\n", 3, f"and {PLAIN} is not as it was there; nothing was changed"),
        (PLAIN, None, 3, f"and {PLAIN} is not here"),
        (RUNNER, b"# changed\n", 3, "and Python files that it does not touch differ here"),
    ],
)
def test_a_series_refuses_a_checkout_that_drifted(
    named: Repo, path: str, content: bytes | None, code: int, says: str
) -> None:
    reviewed(named)
    if content is None:
        named.git("rm", "--quiet", path)
        named.git("commit", "--quiet", "-m", "v2")
    else:
        named.commit({path: named.read(path) + content}, message="v2")
    before = named.snapshot()
    result = run("apply", named.path, "--series", "out")
    assert (result.exit_code, result.stdout) == (code, "")
    assert says in result.stderr
    assert named.snapshot() == before


def test_a_series_refuses_a_checkout_in_which_a_part_of_it_stands(named: Repo) -> None:
    reviewed(named)
    before = named.read(PLAIN)
    assert run("apply", named.path, "--series", "out").exit_code == 0
    named.write({PLAIN: before})
    result = run("apply", named.path, "--series", "out")
    assert (result.exit_code, "has this series already, and others do not" in result.stderr) == (3, True)


def edit_manifest(**changes: Any) -> None:
    path = Path("out/series.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def spoil(what: str) -> None:
    first = sorted(Path("out").glob("*.patch"))[0]
    if what == "patch":
        first.write_bytes(first.read_bytes().replace(b"OURS", b"MINE"))
    elif what == "missing":
        first.unlink()
    elif what == "extra":
        Path("out/0009-more.patch").write_text("")
    elif what == "list":
        Path("out/series").write_text("")
    elif what == "manifest":
        Path("out/series.json").unlink()
    elif what == "text":
        Path("out/series.json").write_text("{}")
    elif what == "schema":
        edit_manifest(schema="shimgen-series/9")
    elif what == "files":
        files = json.loads(Path("out/series.json").read_text())["files"]
        edit_manifest(files=files[:1])
    elif what == "no files":
        edit_manifest(files=[])
    elif what == "odd name":
        files = json.loads(Path("out/series.json").read_text())["files"]
        edit_manifest(files=[{**row, "path": "a\0b.py"} for row in files])
    else:
        files = json.loads(Path("out/series.json").read_text())["files"]
        edit_manifest(files=[{**row, "after": "0" * 64} for row in files])


@pytest.mark.parametrize(
    ("what", "code", "says"),
    [
        ("patch", 4, "0001-Carry-ours-patch.patch is not as the series was written"),
        ("missing", 4, "0001-Carry-ours-patch.patch is missing from the series in out"),
        ("extra", 4, "0009-more.patch is no part of the series in out"),
        ("list", 4, "out/series lists other patches than series.json"),
        ("manifest", 2, "out holds no series: series.json cannot be read"),
        ("text", 2, "out/series.json describes no series"),
        ("schema", 2, "its schema is 'shimgen-series/9'"),
        ("files", 4, "which series.json does not name"),
        ("no files", 4, "which series.json does not name"),
        ("odd name", 3, "is not here"),
        ("after", 4, "do not lead to what series.json says"),
    ],
)
def test_a_series_that_was_changed_is_refused(named: Repo, what: str, code: int, says: str) -> None:
    reviewed(named)
    spoil(what)
    before = named.snapshot()
    result = run("apply", named.path, "--series", "out")
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert says in result.stderr
    assert named.snapshot() == before


# -- branches and commits --------------------------------------------------------------------------------------


def log(repo: Repo, *words: str) -> list[str]:
    return repo.git("log", "--format=%s", *words).decode().splitlines()


def test_one_commit_for_each_patch_of_the_series(named: Repo) -> None:
    carry(named, "ours.patch", *TWO)
    named.write({"staged.txt": b"mine\n", RUNNER: named.read(RUNNER) + b"\n# mine\n"})
    named.git("add", "staged.txt")
    start = named.git("rev-parse", "HEAD")
    result = run("apply", named.path, "--commit", "--branch", "shims")
    assert result.exit_code == 0, result.output
    assert log(named, "v1..") == [f"{WRAPPER}: forward 3 members to the delegate", "Carry ours.patch"]
    ids = named.git("log", "--format=%H", "--reverse", "v1..").decode().split()
    assert [line.split()[:4] for line in result.stdout.splitlines()[-2:]] == [
        ["committed", "on", "shims", commit[:12]] for commit in ids
    ]
    assert named.git("symbolic-ref", "HEAD") == b"refs/heads/shims\n"
    assert named.git("rev-parse", "main") == start
    assert (
        named.git("log", "-1", "--format=%an <%ae>|%cn").decode() == "Ada Opérateur <ada@example.org>|Ada Opérateur\n"
    )
    assert named.git("status", "--porcelain").decode().splitlines() == [f" M {RUNNER}", "A  staged.txt"]
    assert named.git("diff", "--name-only", "HEAD~1", "HEAD").decode().split() == [PICTURE]
    again = run("apply", named.path, "--commit", "--branch", "shims")
    assert (again.exit_code, again.stdout, len(log(named, "v1.."))) == (0, "", 2)


def test_the_commits_are_those_of_the_mails(named: Repo) -> None:
    reviewed(named)
    named.git("branch", "mails")
    assert run("apply", named.path, "--commit", "--branch", "ours").exit_code == 0
    named.git("checkout", "--quiet", "mails")
    named.git("am", "--quiet", *(str(path.resolve()) for path in sorted(Path("out").glob("*.patch"))))
    shown = [named.git("log", "--format=%s%n%b%ad%n%an", "-p", f"v1..{name}") for name in ("ours", "mails")]
    assert shown[0] == shown[1]


def test_one_commit_for_all(named: Repo) -> None:
    carry(named, "ours.patch", *TWO)
    assert run("apply", named.path, "--commit=one").exit_code == 0
    assert log(named, "v1..") == ["Forward members to delegates"]
    body = named.git("log", "-1", "--format=%b").decode()
    assert f"* Carry ours.patch\n* {WRAPPER}: forward 3 members to the delegate\n" in body
    assert named.git("status", "--porcelain") == b""
    assert run("apply", named.path, "--commit=one").stdout == ""


def test_what_was_applied_before_is_committed(named: Repo) -> None:
    carry(named, "ours.patch", *TWO)
    assert run("apply", named.path).exit_code == 0
    assert len(log(named)) == len(log(named, "v1"))
    assert run("apply", named.path, "--commit").exit_code == 0
    assert log(named, "v1..") == [f"{WRAPPER}: forward 3 members to the delegate", "Carry ours.patch"]
    assert named.git("status", "--porcelain") == b""


def test_committed_shims_are_renewed_by_a_commit(named: Repo) -> None:
    assert run("apply", named.path, "--commit").exit_code == 0
    named.commit(edited(named, (PLAIN, b"embed, head)", b"embed, head, tied=0)")), message="v2")
    assert run("apply", named.path, "--commit").exit_code == 0
    assert log(named, "-1") == [f"{WRAPPER}: forward 1 member to the delegate"]
    named.commit({PICTURE: named.read(PICTURE).replace(PLACE, OWN + PLACE, 1)}, message="v3")
    assert run("apply", named.path, "--commit").exit_code == 0
    assert log(named, "-1") == [f"{PICTURE}: write the shims as they are due now"]
    assert run("check", named.path).exit_code == 0


def test_commits_of_shims_and_carried_patches_on_top_of_the_pin_hold(named: Repo, tmp_path: Path) -> None:
    carry(named, "ours.patch", *TWO)
    toml = Path("shimgen.toml").read_text()
    Path("shimgen.toml").unlink()
    assert run("init", named.path).exit_code == 0
    Path("shimgen.toml").write_text(Path("shimgen.toml").read_text() + toml)
    assert run("apply", "--commit").exit_code == 0
    assert run("apply").exit_code == 0
    named.git("clone", "--quiet", str(named.path), str(tmp_path / "clone"))
    result = run("apply", tmp_path / "clone")
    assert (result.exit_code, result.stdout) == (0, "")


def test_a_branch_without_commits(named: Repo) -> None:
    assert run("apply", named.path, "--branch", "shims").exit_code == 0
    assert named.git("symbolic-ref", "HEAD") == b"refs/heads/shims\n"
    assert named.git("status", "--porcelain").decode() == f" M {PICTURE}\n"
    named.git("checkout", "--quiet", "main")
    assert named.git("status", "--porcelain").decode() == f" M {PICTURE}\n"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--branch", "main..x"], 2, "'main..x' is no name for a branch"),
        (["--branch", "-x"], 2, "'-x' is no name for a branch"),
        (["--branch", "taken"], 2, "there is a branch taken already"),
        (["--commit=two"], 2, "'two' is not one of"),
        (["--commit", "--at", "HEAD"], 2, "--at reads a revision"),
    ],
)
def test_what_no_branch_or_commit_can_be_made_of(named: Repo, words: list[str], code: int, says: str) -> None:
    named.git("branch", "taken")
    before = named.snapshot()
    result = run("apply", named.path, *words)
    assert (result.exit_code, says in result.stderr) == (code, True), result.output
    assert named.snapshot() == before
    assert log(named, "v1..") == []


def test_git_has_to_know_who_commits(stack: Repo) -> None:
    stack.git("config", "user.useConfigOnly", "true")
    before = stack.snapshot()
    result = run("apply", stack.path, "--commit")
    assert (result.exit_code, "next: git config user.name NAME" in result.stderr) == (4, True)
    assert stack.snapshot() == before


def test_no_hook_and_no_filter_of_the_checkout_runs(named: Repo, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for hook in ("pre-commit", "post-commit", "post-checkout", "reference-transaction", "post-index-change"):
        path = named.path / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {mark}\n")
        path.chmod(0o755)
    named.git("config", "filter.evil.clean", f"touch {mark}; cat")
    (named.path / ".git" / "info").mkdir(exist_ok=True)
    (named.path / ".git" / "info" / "attributes").write_text("*.py filter=evil\n")
    assert run("apply", named.path, "--commit", "--branch", "shims").exit_code == 0
    assert not mark.exists()
    assert log(named, "v1..") == [f"{WRAPPER}: forward 3 members to the delegate"]


def test_a_dry_run_writes_nothing(named: Repo) -> None:
    carry(named, "ours.patch", (SHAPES, b"64", b"128"))
    before = named.snapshot()
    result = run("apply", named.path, "--dry-run", "--commit", "--branch", "shims")
    assert result.exit_code == 0
    assert f"{SHAPES}\n  ours.patch: added\n{PICTURE}\n" in result.stdout
    assert "note: a dry run: nothing was written\n" in result.stderr
    assert named.snapshot() == before
    assert (log(named, "v1.."), named.git("branch", "--format=%(refname:short)")) == ([], b"main\n")
    assert not os.path.lexists(named.path / ".git" / "shimgen")


def test_commits_need_git(named: Repo, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    named.git("archive", "--format=tar", "--output", str(tmp_path / "x.tar"), "HEAD")
    os.system(f"tar -xf {tmp_path / 'x.tar'} -C {tmp_path / 'copy'}")  # noqa: S605
    for words in (["--commit"], ["--branch", "x"]):
        result = run("apply", tmp_path / "copy", *words)
        assert (result.exit_code, "is no git work tree" in result.stderr) == (2, True), result.output


# -- kills -----------------------------------------------------------------------------------------------------


def test_killed_at_twenty_random_moments_of_a_whole_series(named: Repo) -> None:
    """Untouched or complete, and the next run says which; then everything can be done, and taken back."""
    carry(named, "ours.patch", *TWO, (SHAPES, b"64", b"128"), (RUNNER, b"class ", b"LATE = 1\n\n\nclass "))
    root = Path(__file__).parents[1]
    path = os.pathsep.join([str(root / "src"), str(root)])
    command = [sys.executable, "-m", "tests.killing_apply", str(named.path), "20", "5"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert found.pop("operations") > 15
    assert found["killed"] > 10
    assert found.get("before", 0) + found.get("complete", 0) == 20
    assert (found["then complete"], found["reverted to before"]) == (20, 20)
    assert min(found["said nothing"], found["said An interrupted apply was taken back"]) > 0
    assert found["said An interrupted apply was completed"] > 0
