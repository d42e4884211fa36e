"""The work tree as it is on the disk: what differs from the commit is seen, also where git's index is no help."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from shimgen.checkout import open_checkout
from shimgen.model.errors import BaselineError
from shimgen.model.source import Tree, blob_id
from tests.gitrepo import Repo, make_repo

A = b"a = 1\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make_repo(tmp_path / "repo", {"a.py": A, "b.py": b"b = 1\n", "sub/c.py": b"c = 1\n", "data.txt": b"x\n"})


def tree_of(repo: Repo) -> Tree:
    return open_checkout(repo.path).tree()


def edit(repo: Repo) -> None:
    repo.write({"a.py": b"a = 22\n"})


def edit_keeping_size(repo: Repo) -> None:
    repo.write({"a.py": b"a = 2\n"})


def edit_keeping_size_and_time(repo: Repo) -> None:
    before = (repo.path / "a.py").stat()
    repo.write({"a.py": b"a = 2\n"})
    os.utime(repo.path / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def edit_assumed_unchanged(repo: Repo) -> None:
    repo.git("update-index", "--assume-unchanged", "a.py")
    edit(repo)


def stage(repo: Repo) -> None:
    edit(repo)
    repo.git("add", "a.py")


def stage_and_take_back(repo: Repo) -> None:
    stage(repo)
    repo.write({"a.py": A})


def intend_to_add(repo: Repo) -> None:
    repo.git("rm", "--quiet", "--cached", "a.py")
    repo.git("add", "--intent-to-add", "a.py")


def conflict(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit({"a.py": b"side\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit({"a.py": b"main\n"})
    repo.refuses("merge", "side")


@pytest.mark.parametrize(
    "change",
    [
        edit,
        edit_keeping_size,
        edit_keeping_size_and_time,
        edit_assumed_unchanged,
        stage,
        stage_and_take_back,
        intend_to_add,
        conflict,
    ],
)
def test_a_changed_file_is_dirty_and_read_from_the_disk(repo: Repo, change: Callable[[Repo], None]) -> None:
    change(repo)
    tree = tree_of(repo)
    assert tree.baseline.dirty == ("a.py",)
    assert tree.read("a.py") == repo.read("a.py")
    assert tree.blobs["a.py"] == blob_id(repo.read("a.py"))


def touch(repo: Repo) -> None:
    os.utime(repo.path / "a.py", ns=(1, 1))


def rewrite(repo: Repo) -> None:
    (repo.path / "a.py").unlink()
    repo.write({"a.py": A})


def make_executable(repo: Repo) -> None:
    (repo.path / "a.py").chmod(0o755)


def edit_text(repo: Repo) -> None:
    repo.write({"data.txt": b"y\n", "new.txt": b"", "new.pyi": b""})


def ignore_new(repo: Repo) -> None:
    repo.write({".git/info/exclude": b"new.py\n", "new.py": b""})


def move_index_back(repo: Repo) -> None:
    os.utime(repo.path / ".git/index", ns=(1, 1))


@pytest.mark.parametrize("change", [touch, rewrite, make_executable, edit_text, ignore_new, move_index_back])
def test_what_does_not_change_python_source_is_not_dirty(repo: Repo, change: Callable[[Repo], None]) -> None:
    before = tree_of(repo)
    change(repo)
    after = tree_of(repo)
    assert (after.baseline, after.blobs) == (before.baseline, before.blobs)


def test_a_new_file_counts_and_is_dirty(repo: Repo) -> None:
    repo.write({"sub/new.py": b"new\n"})
    tree = tree_of(repo)
    assert tree.baseline.dirty == ("sub/new.py",)
    assert tree.read("sub/new.py") == b"new\n"
    assert tree.blobs["sub/new.py"] == blob_id(b"new\n")


def test_a_deleted_file_is_dirty_and_not_there(repo: Repo) -> None:
    (repo.path / "a.py").unlink()
    tree = tree_of(repo)
    assert tree.baseline.dirty == ("a.py",)
    assert "a.py" not in tree.blobs
    with pytest.raises(KeyError):
        tree.read("a.py")


def test_a_file_in_the_place_of_a_folder_hides_what_was_in_it(repo: Repo) -> None:
    (repo.path / "sub/c.py").unlink()
    (repo.path / "sub").rmdir()
    repo.write({"sub": b""})
    assert tree_of(repo).baseline.dirty == ("sub/c.py",)


def test_a_link_is_not_followed(repo: Repo) -> None:
    (repo.path / "link.py").symlink_to("b.py")
    repo.git("add", "link.py")
    repo.commit({})
    (repo.path / "a.py").unlink()
    (repo.path / "a.py").symlink_to("b.py")
    (repo.path / "untracked.py").symlink_to("b.py")
    tree = tree_of(repo)
    assert set(tree.blobs) == {"b.py", "sub/c.py"}
    assert tree.baseline.dirty == ("a.py",)


def test_a_sparse_checkout_is_read_from_objects(repo: Repo) -> None:
    repo.git("sparse-checkout", "set", "--no-cone", "/a.py")
    assert not (repo.path / "sub").exists()
    tree = tree_of(repo)
    assert tree.baseline.dirty == ()
    assert tree.load(("a.py", "sub/c.py")) == {"a.py": A, "sub/c.py": b"c = 1\n"}


def test_a_sparse_index_is_expanded(repo: Repo) -> None:
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "other")
    assert tree_of(repo).read("sub/c.py") == b"c = 1\n"


@pytest.mark.parametrize("form", [("index.version", "4"), ("core.splitIndex", "true"), ("core.checkStat", "minimal")])
def test_any_form_of_index_is_read(repo: Repo, form: tuple[str, str]) -> None:
    repo.git("config", *form)
    repo.git("update-index", "--force-write-index")
    repo.write({"a.py": b"a = 2\n"})
    tree = tree_of(repo)
    assert (set(tree.blobs), tree.baseline.dirty) == ({"a.py", "b.py", "sub/c.py"}, ("a.py",))


def test_a_submodule_is_another_repository(repo: Repo, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "other", {"inner.py": b""})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "module.py")
    repo.git("commit", "--quiet", "--message", "module")
    repo.write({"module.py/inner.py": b"changed\n"})
    assert set(tree_of(repo).blobs) == {"a.py", "b.py", "sub/c.py"}
    assert tree_of(repo).baseline.dirty == ()
    assert set(open_checkout(repo.path / "module.py").tree().blobs) == {"inner.py"}


@pytest.mark.parametrize(
    "name", ["new\nline.py", 'quo"te.py', "tab\t.py", "été.py", " space .py", "-x.py", ":(top)x.py"]
)
@pytest.mark.parametrize("rev", [None, "HEAD"])
def test_odd_names_are_read(repo: Repo, name: str, rev: str | None) -> None:
    repo.commit({name: b"odd\n"})
    tree = open_checkout(repo.path, rev).tree()
    assert tree.read(name) == b"odd\n"
    assert tree.baseline.dirty == ()


def test_a_name_that_is_not_utf8_is_read(repo: Repo) -> None:
    name = os.fsdecode(b"latin\xe9.py")
    repo.commit({name: b"odd\n"})
    assert tree_of(repo).read(name) == b"odd\n"
    assert open_checkout(repo.path, "HEAD").tree().read(name) == b"odd\n"


def test_a_file_written_while_it_is_analysed_is_not_mixed_in(repo: Repo) -> None:
    tree = tree_of(repo)
    repo.write({"a.py": b"a = 3333\n"})
    with pytest.raises(BaselineError, match=r"a\.py changed while shimgen was reading it"):
        tree.read("a.py")


def test_a_file_that_grows_while_it_is_read_is_said(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tree_of(repo)
    real = os.fdopen

    def grow(descriptor: int, mode: str) -> IO[bytes]:
        with (repo.path / "a.py").open("ab") as file:
            file.write(b"more\n")
        return real(descriptor, mode)

    monkeypatch.setattr(os, "fdopen", grow)
    with pytest.raises(BaselineError, match="changed while"):
        tree.read("a.py")


def test_a_file_deleted_while_it_is_analysed_is_said(repo: Repo) -> None:
    tree = tree_of(repo)
    (repo.path / "a.py").unlink()
    with pytest.raises(BaselineError, match="changed while"):
        tree.read("a.py")


def test_a_content_that_git_does_not_hold_is_said(repo: Repo) -> None:
    tree = open_checkout(repo.path, "HEAD").tree()
    blob = tree.blobs["a.py"]
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(BaselineError, match=f"does not hold the file content {blob}"):
        tree.read("a.py")


def test_reading_writes_nothing(repo: Repo) -> None:
    touch(repo)
    before = {path: path.stat().st_mtime_ns for path in (repo.path / ".git").rglob("*")}
    tree_of(repo).load(tree_of(repo).blobs)
    assert {path: path.stat().st_mtime_ns for path in (repo.path / ".git").rglob("*")} == before


def test_dirty_files_are_told_for_the_paths_asked(repo: Repo) -> None:
    repo.write({"a.py": b"x\n", "b.py": b"x\n"})
    assert open_checkout(repo.path).dirty_files(("sub/c.py", "b.py")) == ("b.py",)


@pytest.mark.parametrize("kind", ["tracked", "untracked", "directory"])
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    folder = tmp_path / "plain" if kind == "directory" else repo.path
    Repo(folder).write({"new.py" if kind == "untracked" else "a.py": b"other\n"})

    real = os.open

    def refuse(path: str, *arguments: int) -> int:
        if str(path).endswith(".py"):
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments)

    checkout = open_checkout(folder)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(BaselineError, match=r"\.py cannot be read: Permission denied"):
        checkout.tree()
