"""What a directory is: a git checkout, a part of one, or just files; and what cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shimgen.checkout import command, identify, open_checkout
from shimgen.model.errors import BaselineError
from tests.gitrepo import Repo, make_repo

FILES = {"python/pkg/a.py": b"a = 1\n", "python/pkg/b.py": b"b = 1\n", "setup.py": b"", "README.md": b"x\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make_repo(tmp_path / "repo", FILES)


def refused(path: Path, rev: str | None = None) -> tuple[str, str]:
    with pytest.raises(BaselineError) as caught:
        open_checkout(path, rev).tree()
    return caught.value.message, caught.value.hint


def test_a_work_tree_is_its_python_files_at_its_commit(repo: Repo) -> None:
    tree = open_checkout(repo.path).tree()
    commit = repo.git("rev-parse", "HEAD").decode().strip()
    assert (tree.baseline.kind, tree.baseline.id, tree.baseline.dirty) == ("git", commit, ())
    assert list(tree.blobs) == ["python/pkg/a.py", "python/pkg/b.py", "setup.py"]
    assert tree.blobs["python/pkg/a.py"] == repo.git("rev-parse", "HEAD:python/pkg/a.py").decode().strip()
    assert tree.load(tree.blobs) == {path: FILES[path] for path in tree.blobs}


def test_paths_are_relative_to_the_directory_given(repo: Repo) -> None:
    checkout = open_checkout(repo.path / "python")
    repo.write({"python/pkg/b.py": b"changed\n", "setup.py": b"changed\n", "python/new.py": b""})
    repo.git("add", "setup.py")
    tree = checkout.tree()
    assert list(tree.blobs) == ["new.py", "pkg/a.py", "pkg/b.py"]
    assert tree.baseline.dirty == ("new.py", "pkg/b.py")
    assert tree.read("pkg/b.py") == b"changed\n"
    assert checkout.prefix == "python/"


def test_a_path_through_a_symbolic_link_is_the_same_checkout(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo.path / "python")
    assert open_checkout(tmp_path / "link") == open_checkout(repo.path / "python")


def test_a_linked_work_tree_is_its_own_checkout(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "second"))
    (tmp_path / "second" / "setup.py").write_bytes(b"here only\n")
    assert open_checkout(tmp_path / "second").tree().baseline.dirty == ("setup.py",)
    assert open_checkout(repo.path).tree().baseline.dirty == ()
    assert open_checkout(tmp_path / "second").place != open_checkout(repo.path).place


@pytest.mark.parametrize("ignored", [True, False])
def test_a_repository_around_that_does_not_track_it_is_not_its_repository(repo: Repo, ignored: bool) -> None:
    repo.write({"venv/site-packages/pkg/a.py": b"a = 2\n", ".gitignore": b"venv/\n" if ignored else b""})
    checkout = open_checkout(repo.path / "venv/site-packages/pkg")
    assert checkout.tree().baseline.kind == "directory"
    assert checkout.tree().blobs.keys() == {"a.py"}
    assert checkout.place.state == repo.path / "venv/site-packages/pkg/.shimgen"


def test_variables_about_another_repository_are_not_heeded(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repo(tmp_path / "other", {"x.py": b""})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git/index"))
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    assert "setup.py" in open_checkout(repo.path).tree().blobs


@pytest.mark.parametrize("form", ["pipe", "device", "folder", "nowhere"])
def test_of_other_files_only_those_that_end_are_read(repo: Repo, form: str) -> None:
    target = repo.path / "pyproject.toml"
    if form == "pipe":
        os.mkfifo(target)
    elif form == "folder":
        target.mkdir()
    else:
        target.symlink_to("/dev/zero" if form == "device" else "nowhere")
    assert open_checkout(repo.path).read("pyproject.toml") is None
    assert open_checkout(repo.path).read("a\0b") is None


def test_a_revision_is_read_and_nothing_moves(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD").decode().strip()
    repo.git("tag", "v1")
    repo.commit({"python/pkg/a.py": b"a = 2\n", "python/pkg/c.py": b"c = 1\n"})
    repo.write({"python/pkg/a.py": b"dirty\n"})
    before = repo.snapshot()
    tree = open_checkout(repo.path / "python", "v1").tree()
    assert (tree.baseline.id, tree.baseline.dirty) == (first, ())
    assert tree.load(tree.blobs) == {"pkg/a.py": b"a = 1\n", "pkg/b.py": b"b = 1\n"}
    assert tree.load(()) == {}
    assert repo.snapshot() == before


def test_a_bare_repository_has_revisions_only(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    assert refused(tmp_path / "bare.git")[0].endswith("is a bare repository and has no work tree")
    assert "setup.py" in open_checkout(tmp_path / "bare.git", "main").tree().blobs


def test_same_content_in_two_files_is_loaded_for_both(repo: Repo) -> None:
    repo.commit({"x.py": b"same\n", "y.py": b"same\n"})
    assert open_checkout(repo.path, "HEAD").tree().load(("x.py", "y.py")) == {"x.py": b"same\n", "y.py": b"same\n"}


def test_what_is_not_a_checkout_is_refused_with_the_way_out(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_bytes(b"")
    fresh = make_repo(tmp_path / "fresh")
    fresh.write({"a.py": b""})
    fresh.git("add", ".")
    assert refused(tmp_path / "missing") == (f"{tmp_path / 'missing'} is not there", "shimgen scan CHECKOUT")
    assert refused(tmp_path / "file")[0] == f"{tmp_path / 'file'} is not a directory"
    assert refused(tmp_path / "empty")[0] == f"{tmp_path / 'empty'} has no Python files"
    assert refused(tmp_path / "empty", "v1")[0].endswith("is not a git checkout, so it has no revision 'v1'")
    assert refused(fresh.path) == (f"{fresh.path} has no commit yet, so there is no baseline", "git commit")
    assert refused(repo.path, "v9")[0] == f"{repo.path} has no revision 'v9'"
    assert refused(repo.path, "--all")[0] == f"{repo.path} has no revision '--all'"
    assert "is inside the git directory" in refused(repo.path / ".git")[0]


def test_a_repository_of_another_user_says_how_to_trust_it(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(command.FIXED, "GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    message, hint = refused(repo.path)
    assert "belongs to another user" in message
    assert hint == f"git config --global --add safe.directory {repo.path}"


def test_a_broken_configuration_is_said(repo: Repo) -> None:
    repo.write({".git/config": b"[core\n"})
    assert "bad config line 1" in refused(repo.path)[0]


def test_a_work_tree_set_elsewhere_is_refused(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    repo.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    assert refused(repo.path)[0].endswith(f"is inside the git directory {repo.path / '.git'}")


def test_without_git_a_directory_is_read_and_a_work_tree_refused(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.py").write_bytes(b"a = 1\n")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert open_checkout(tmp_path / "plain").tree().read("a.py") == b"a = 1\n"
    assert refused(repo.path / "python")[1] == "install git"


@pytest.mark.parametrize(
    ("package", "record", "kind", "version"),
    [
        ("site/sglang", "site/sglang-0.5.9.dist-info", "package", "0.5.9"),
        ("site/My_Pkg", "site/my.pkg-1.0+cu12.dist-info", "package", "1.0+cu12"),
        ("wheel", "wheel/sglang-0.5.9.dist-info", "package", "0.5.9"),
        ("site/sglang", "site/vllm-0.5.9.dist-info", "directory", ""),
        ("site/sglang", "site/sglang.txt", "directory", ""),
    ],
)
def test_an_installed_package_has_the_version_its_installer_recorded(
    tmp_path: Path, package: str, record: str, kind: str, version: str
) -> None:
    (tmp_path / package).mkdir(parents=True)
    (tmp_path / package / "a.py").write_bytes(b"")
    (tmp_path / record).mkdir()
    checkout = open_checkout(tmp_path / package)
    baseline = checkout.tree().baseline
    assert (baseline.kind, baseline.version, identify(checkout).version) == (kind, version, version)


def test_a_directory_is_identified_by_paths_and_contents(tmp_path: Path) -> None:
    ids = set()
    for number, files in enumerate(({"a.py": b"x"}, {"a.py": b"y"}, {"b.py": b"x"}, {"a.py": b"x", "c.txt": b""})):
        for name, content in files.items():
            (tmp_path / str(number)).mkdir(exist_ok=True)
            (tmp_path / str(number) / name).write_bytes(content)
        ids.add(open_checkout(tmp_path / str(number)).tree().baseline.id)
    assert len(ids) == 3


def test_a_directory_leaves_out_what_is_not_its_source(tmp_path: Path) -> None:
    for name in ("a.py", "sub/b.py", ".hidden/c.py", "__pycache__/d.py", "env/lib/e.py", "env/pyvenv.cfg", "sub/f.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "loop").symlink_to(".")
    assert set(open_checkout(tmp_path).tree().blobs) == {"a.py", "sub/b.py"}


def test_identity_names_tag_and_remote_without_password(repo: Repo) -> None:
    repo.git("tag", "v0.5.9")
    repo.git("remote", "add", "upstream", "https://example.org/other.git")
    repo.git("remote", "add", "origin", "https://user:secret@example.org:8443/stack.git")
    found = identify(open_checkout(repo.path))
    assert found.described == "v0.5.9"
    assert found.remote == "https://example.org:8443/stack.git"
    assert found.date.endswith("+0000")


@pytest.mark.parametrize("url", ["git@example.org:stack.git", "/srv/git/stack.git", "ssh://example.org/stack.git"])
def test_a_remote_without_password_is_shown_as_it_is(repo: Repo, url: str) -> None:
    repo.git("remote", "add", "any", url)
    assert identify(open_checkout(repo.path)).remote == url


def test_identity_of_every_form_of_repository(repo: Repo, tmp_path: Path) -> None:
    repo.git("remote", "add", "origin", "https://example.org/stack.git")
    repo.git("tag", "v1")
    repo.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "second"))
    for path in (repo.path / "python", tmp_path / "second"):
        found = identify(open_checkout(path))
        assert (found.described, found.remote) == ("v1", "https://example.org/stack.git")
    repo.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    assert identify(open_checkout(tmp_path / "bare.git", "main")).described == "v1"
    long = Repo(tmp_path / "long")
    long.path.mkdir()
    long.git("init", "--quiet", "--object-format=sha256", "--initial-branch=main")
    commit = long.commit({"a.py": b""})
    assert commit.startswith(identify(open_checkout(long.path)).described) and len(commit) == 64
