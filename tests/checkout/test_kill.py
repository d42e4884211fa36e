"""Killed at any moment, a checkout is as before or complete once the next command has looked at it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shimgen.checkout import apply_changes, open_checkout, origins, recover, revert
from shimgen.checkout.journal import Entry, Record, write_pending
from shimgen.model.domain import FileChange
from shimgen.model.errors import GenerateError
from shimgen.patch import undo
from tests.gitrepo import Repo, make_repo

ROOT = Path(__file__).parents[2]
TAKEN_BACK = "An interrupted {} was taken back: no file had been changed yet."
COMPLETED = "An interrupted {} was completed: 4 files."


def found_after_kills(folder: Path, kind: str, phase: str, step: int = 1) -> dict[str, int]:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    command = [sys.executable, "-m", "tests.checkout.killing", str(folder), kind, phase, str(step)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, int] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("kind", ["git", "directory"])
@pytest.mark.parametrize(("phase", "step"), [("apply", 1), ("revert", 3)])
def test_killed_before_any_file_operation(tmp_path: Path, kind: str, phase: str, step: int) -> None:
    found = found_after_kills(tmp_path, kind, phase, step)
    assert found.pop("moments") > 30
    assert set(found) == {
        "before",
        "after",
        "nothing to recover",
        TAKEN_BACK.format(phase),
        COMPLETED.format(phase),
    }


def test_killed_while_recovering(tmp_path: Path) -> None:
    found = found_after_kills(tmp_path, "git", "recover")
    assert found.pop("moments") > 15
    assert set(found) == {"after", "nothing to recover", COMPLETED.format("apply")}


def test_killed_at_any_time(tmp_path: Path) -> None:
    found = found_after_kills(tmp_path, "git", "anytime")
    assert found["moments"] + 1 == found.get("before", 0) + found.get("after", 0)
    assert not any(name.startswith(("neither", "revert left")) for name in found)


def interrupted(repo: Repo, *entries: Entry) -> None:
    """Leave a checkout as a kill in the middle of an apply of `entries` leaves it."""
    place = open_checkout(repo.path).place
    place.state.mkdir(exist_ok=True)
    write_pending(place, Record("apply", entries))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make_repo(tmp_path, {"a.py": b"a\n", "b.py": b"b\n"})


ENTRIES = (Entry("a.py", b"a\n", b"a\nshim\n"), Entry("b.py", b"b\n", b"b\nshim\n"))


def test_the_next_apply_first_ends_what_was_begun(repo: Repo) -> None:
    interrupted(repo, *ENTRIES)
    repo.write({"a.py": ENTRIES[0].after})
    apply_changes(open_checkout(repo.path), [FileChange("b.py", ENTRIES[1].after, b"more\n")])
    assert repo.read("b.py") == b"more\n"
    assert revert(open_checkout(repo.path), undo) == ("a.py", "b.py")
    assert (repo.read("a.py"), repo.read("b.py")) == (b"a\n", b"b\n")


def test_a_file_edited_in_between_is_not_overwritten(repo: Repo) -> None:
    interrupted(repo, *ENTRIES)
    repo.write({"a.py": ENTRIES[0].after, "b.py": b"mine\n"})
    with pytest.raises(GenerateError) as caught:
        recover(open_checkout(repo.path))
    assert caught.value.message == ("an interrupted apply cannot be completed, because b.py was edited in between")
    assert caught.value.hint == "git checkout -- b.py (or undo the edit), then run the command again"
    assert (repo.read("a.py"), repo.read("b.py")) == (ENTRIES[0].after, b"mine\n")
    repo.write({"b.py": b"b\n"})
    assert recover(open_checkout(repo.path)) == "An interrupted apply was completed: 2 files."
    assert [*origins(open_checkout(repo.path))] == ["a.py", "b.py"]


@pytest.mark.parametrize("edited", [{"a.py": b"mine\n"}, {"a.py": b"mine\n", "b.py": b"mine\n"}])
def test_edits_before_any_file_was_moved_are_nobodys_trouble(repo: Repo, edited: dict[str, bytes]) -> None:
    interrupted(repo, *ENTRIES)
    repo.write(edited)
    start = repo.snapshot()
    assert recover(open_checkout(repo.path)) == TAKEN_BACK.format("apply")
    assert (repo.snapshot(), recover(open_checkout(repo.path))) == (start, None)


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "link/x.py", ".git/hooks/x"])
def test_a_record_planted_in_a_checkout_leads_nowhere(tmp_path: Path, path: str) -> None:
    inner = Repo(tmp_path / "inner")
    inner.write({"a.py": b"a\n", "../outside.py": b"x\n", "../real/x.py": b"x\n"})
    (inner.path / "link").symlink_to(tmp_path / "real")
    interrupted(inner, Entry("a.py", b"", b"a\n"), Entry(path, b"x\n", b"planted\n"))
    with pytest.raises(GenerateError):
        recover(open_checkout(inner.path))
    assert (tmp_path / "outside.py").read_bytes() == (tmp_path / "real/x.py").read_bytes() == b"x\n"


def test_a_revision_is_read_without_recovering(repo: Repo) -> None:
    interrupted(repo, *ENTRIES)
    repo.write({"a.py": ENTRIES[0].after})
    assert recover(open_checkout(repo.path, "HEAD")) is None
    assert repo.read("b.py") == b"b\n"
