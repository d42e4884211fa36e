"""Shims that are committed, edited around, merged and rebased between two runs: nothing of anybody else's is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import miniature, run
from tests.gitrepo import Repo

PICTURE = "python/sglang/srt/models/picture.py"
ONE, OTHER = ["--member", "get_embed_and_head"], ["--member", "set_eagle3_layers_to_capture"]
FORWARD = b"        return self.language_model.get_embed_and_head()\n"


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    return miniature("mini", tmp_path, monkeypatch)


def done(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def insert(content: bytes, where: bytes, text: bytes) -> bytes:
    assert content.count(where) == 1
    return content.replace(where, text + where)


@pytest.mark.parametrize(
    ("where", "text"),
    [(b"from torch import nn\n", b"# mine\n"), (b"    def load_weights", b"    # mine\n")],
    ids=["far", "near"],
)
def test_a_commit_between_two_runs_is_kept(mini: Repo, where: bytes, text: bytes) -> None:
    """The second run's file is not the first one's, so that what the first one found is nothing to go back to."""
    edited = insert(mini.read(PICTURE), where, text)
    done("apply", mini.path, *ONE)
    mini.commit({PICTURE: insert(mini.read(PICTURE), where, text)})
    done("apply", mini.path, *OTHER)
    assert b"# mine\n" in mini.read(PICTURE)
    stands = mini.read(PICTURE)
    assert done("apply", mini.path, *OTHER) == ""
    assert mini.read(PICTURE) == stands
    done("apply", mini.path)
    assert stands.count(b"# shimgen:") == 2
    done("revert", mini.path)
    assert mini.read(PICTURE) == edited


@pytest.mark.parametrize("how", ["rebase", "merge"])
def test_shims_that_were_brought_along_to_a_new_release(mini: Repo, how: str) -> None:
    done("apply", mini.path, *ONE)
    mini.git("switch", "--quiet", "--create", "local")
    mini.commit({}, message="shims")
    mini.git("switch", "--quiet", "main")
    release = mini.read(PICTURE).replace(b"input_ids\n", b"input_ids[0]\n").replace(b"config.patch_size", b"8")
    mini.commit({PICTURE: release}, message="v2")
    mini.git("switch", "--quiet", "local")
    mini.git(how, "--quiet", "main")
    assert FORWARD in mini.read(PICTURE)
    brought = mini.read(PICTURE)
    done("apply", mini.path)
    done("check", mini.path)
    stands = mini.read(PICTURE)
    assert stands.replace(b"# shimgen:", b"").count(b"def ") == release.count(b"def ") + 3
    assert done("apply", mini.path) == ""
    mini.commit({}, message="more shims")
    assert done("apply", mini.path) == ""
    assert mini.read(PICTURE) == stands != brought
    done("revert", mini.path)
    assert mini.read(PICTURE) == release


def test_what_was_applied_on_top_of_committed_shims_of_a_clone(mini: Repo) -> None:
    """The clone has no record of the first shims, and goes back from the second ones to the source without any."""
    bare = mini.read(PICTURE)
    done("apply", mini.path, *ONE)
    mini.commit({}, message="shims")
    clone = Repo(mini.path.parent / "clone")
    mini.git("clone", "--quiet", str(mini.path), str(clone.path))
    done("apply", clone.path)
    assert done("apply", clone.path) == ""
    clone.commit({"python/sglang/srt/models/plain.py": b""}, message="nothing is there to forward to any more")
    run("apply", clone.path, "--severity", "all")
    assert clone.read(PICTURE) == bare


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (FORWARD, b"        print(1)\n" + FORWARD),
        (b"def get_embed_and_head(self):\n" + FORWARD, b"\n"),
        (b"    def get_embed_and_head", b"    def renamed"),
        (b"class Picture", b"<<<<<<< HEAD\nclass Picture"),
    ],
    ids=["body", "deleted", "renamed", "does not parse"],
)
def test_a_shim_that_was_edited_is_not_taken_out(mini: Repo, old: bytes, new: bytes) -> None:
    done("apply", mini.path)
    edited = mini.read(PICTURE).replace(old, new, 1)
    assert edited != mini.read(PICTURE)
    mini.write({PICTURE: edited.replace(b"    def load_weights", b"    # near\n    def load_weights")})
    before = mini.snapshot()
    result = run("revert", mini.path)
    assert result.exit_code == 4
    assert f"{PICTURE}:" in result.stderr
    assert "by hand" in result.stderr
    assert mini.snapshot() == before


# What git holds in another form than the work tree


def converted(mini: Repo) -> None:
    """Check the wrapper's file out with the line ends that git does not store."""
    mini.git("config", "core.autocrlf", "true")
    (mini.path / PICTURE).unlink()
    mini.git("checkout", "--quiet", "--", PICTURE)
    assert b"\r\n" in mini.read(PICTURE)


def another_commit(mini: Repo) -> None:
    """Move the branch to a commit with another wrapper below shims that stand."""
    done("apply", mini.path)
    kept = mini.read(PICTURE)
    mini.commit({PICTURE: b"# rewritten\n"}, message="v2")
    mini.write({PICTURE: kept})


@pytest.mark.parametrize("prepare", [converted, another_commit])
def test_no_commit_undoes_what_git_holds(mini: Repo, prepare: Callable[[Repo], None]) -> None:
    prepare(mini)
    before, head = mini.snapshot(), mini.git("rev-parse", "HEAD")
    for how in ("--commit", "--commit=one"):
        result = run("apply", mini.path, how)
        assert result.exit_code == 4
        assert f"git has {PICTURE} in another form than the work tree" in result.stderr
        assert (mini.snapshot(), mini.git("rev-parse", "HEAD")) == (before, head)


def test_with_other_line_ends_shims_are_applied_and_the_series_is_a_mail_for_git(mini: Repo, tmp_path: Path) -> None:
    converted(mini)
    before = mini.snapshot()
    assert "\r" not in done("diff", mini.path)
    done("apply", mini.path)
    assert mini.read(PICTURE).count(b"\r\n") == mini.read(PICTURE).count(b"\n") == before[PICTURE][0].count(b"\n") + 12
    done("revert", mini.path)
    assert mini.snapshot() == before
    done("patch", mini.path, "-o", tmp_path / "series")
    mini.git("am", "--quiet", *map(str, sorted((tmp_path / "series").glob("*.patch"))))
    assert mini.git("show", "--numstat", "--format=").split()[:2] == [b"12", b"0"]
    done("check", mini.path)
