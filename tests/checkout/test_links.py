"""Symbolic links: never followed, and told of wherever a checkout is read from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shimgen import pipeline
from shimgen.checkout import open_checkout
from shimgen.config import Settings
from shimgen.profiles import load
from shimgen.report import json as report
from shimgen.report.text import notes
from tests.gitrepo import Repo, make_repo

TOLD = {
    "gone.py": "is a symbolic link to nothing.py, which is no Python file of the checkout, and is not followed",
    "out.py": "is a symbolic link to ../shared.py, outside of the checkout, and is not followed",
    "sub/in.py": "is a symbolic link to ../a.py, which is looked at in its own place",
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make_repo(tmp_path / "repo", {"a.py": b"a = 1\n", "sub/c.py": b"c = 1\n"})


def lay_links(folder: Path) -> None:
    (folder.parent / "shared.py").write_bytes(b"class Shared: pass\n")
    (folder / "sub").mkdir(exist_ok=True)
    (folder / "gone.py").symlink_to("nothing.py")
    (folder / "out.py").symlink_to("../shared.py")
    (folder / "sub/in.py").symlink_to("../a.py")


def told(path: Path, rev: str | None = None) -> dict[str, str]:
    tree = open_checkout(path, rev).tree()
    assert not {link.path for link in tree.links} & set(tree.blobs)
    return {link.path: link.reason for link in tree.links}


def test_links_on_the_disk_are_told_of_committed_or_not(repo: Repo) -> None:
    lay_links(repo.path)
    assert told(repo.path) == TOLD
    repo.git("add", "-A")
    repo.commit({})
    assert told(repo.path) == TOLD
    assert open_checkout(repo.path).tree().baseline.dirty == ()


def test_links_of_a_revision_are_told_of(repo: Repo) -> None:
    lay_links(repo.path)
    repo.git("add", "-A")
    repo.commit({})
    for path in TOLD:
        (repo.path / path).unlink()
    assert told(repo.path) == {}
    assert told(repo.path, "HEAD") == TOLD
    assert told(repo.path, "HEAD~1") == {}


def test_links_of_a_folder_without_git_are_told_of(tmp_path: Path) -> None:
    (tmp_path / "stack").mkdir()
    (tmp_path / "stack/a.py").write_bytes(b"")
    lay_links(tmp_path / "stack")
    (tmp_path / "stack/whole.py").symlink_to(tmp_path / "stack/a.py")
    shown = f"is a symbolic link to {tmp_path}/stack/a.py, which is looked at in its own place"
    assert told(tmp_path / "stack") == {**TOLD, "whole.py": shown}


def test_a_folder_that_became_a_link_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (repo.path / "sub").rename(outside)
    (repo.path / "sub").symlink_to(outside)
    assert told(repo.path) == {"sub/c.py": "lies behind the symbolic link sub, which is not followed"}
    assert open_checkout(repo.path).tree().baseline.dirty == ("sub/c.py",)


def test_a_link_that_is_a_file_on_the_disk_is_left_out(repo: Repo) -> None:
    lay_links(repo.path)
    repo.git("add", "-A")
    repo.commit({})
    (repo.path / "out.py").unlink()
    (repo.path / "out.py").write_bytes(b"../shared.py")
    assert told(repo.path)["out.py"] == "is a symbolic link in git and none on the disk"


def test_a_folder_of_links_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("/nowhere/a.py")
    with pytest.raises(Exception, match="has no Python files, but symbolic links, which are not followed"):
        open_checkout(tmp_path).tree()


WRAPPER = b"""
from models.lm import Model

class Wrap:
    def __init__(self, config):
        self.inner = Model(config)

EntryClass = Wrap
"""


def test_text_and_json_say_which_files_are_left_out_also_of_what_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHIMGEN_CACHE_DIR", str(tmp_path / "cache"))
    stack = tmp_path / "stack"
    (stack / "models").mkdir(parents=True)
    (stack / "models/wrap.py").write_bytes(WRAPPER)
    outside = tmp_path / "lm.py"
    outside.write_bytes(b"class Model:\n    def get(self): pass\n")
    (stack / "models/lm.py").symlink_to(outside)
    settings = Settings(checkout=stack, profile=load("generic"))
    reason = f"is a symbolic link to {outside}, outside of the checkout, and is not followed"
    for _ in range(2):
        found = pipeline.analyse(settings)
        assert notes(found.stats) == (f"left out models/lm.py: {reason}",)
        document = json.loads(report.render(found))
        assert document["skipped"] == [{"path": "models/lm.py", "line": 0, "reason": reason}]
    (stack / "models/lm.py").unlink()
    assert pipeline.analyse(settings).stats.skipped == ()
