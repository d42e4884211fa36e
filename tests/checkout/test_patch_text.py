"""The patch is the one that git itself would print, and git takes it, forwards, backwards and as a mail."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shimgen.checkout import apply_changes, open_checkout, render_patch, revert
from shimgen.model.domain import FileChange
from shimgen.patch import Letter, read_patch, render, render_changes, render_series, undo
from tests.contents import pairs, paths
from tests.gitrepo import Repo, make_repo

LONG = b"".join(b"def f%d():\n    return %d\n\n\n" % (n, n) for n in range(12))
AFTER = LONG.replace(b"def f6", b"def new():\n    return 0\n\n\ndef f6")
CHANGE = FileChange("pkg/a.py", LONG, AFTER)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return make_repo(tmp_path_factory.mktemp("shared"), {"anchor.py": b"x = 1\n"})


def text_of(repo: Repo, *changes: FileChange, rev: str | None = None) -> bytes:
    return render_patch(open_checkout(repo.path, rev), changes, render_changes)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=pairs(), path=paths, executable=st.booleans())
def test_git_takes_the_patch_in_every_way(shared: Repo, pair: tuple[bytes, bytes], path: str, executable: bool) -> None:
    before, after = pair
    start = shared.commit({path: before}, executable)
    change = FileChange(path, before, after)
    text = text_of(shared, change)
    for patch in (text, render_changes([change], {path: "100755" if executable else "100644"})):
        shared.git("apply", "--check", "-", given=patch)
        shared.git("apply", "-", given=patch)
        assert shared.read(path) == after
        assert shared.git("diff") == text
        shared.git("apply", "-R", "-", given=patch)
        assert (shared.read(path), shared.git("status", "--porcelain")) == (before, b"")
        shared.git("apply", "--3way", "-", given=patch)
        assert shared.read(path) == after
        shared.git("reset", "--quiet", "--hard")
    apply_changes(open_checkout(shared.path), [change])
    assert shared.git("diff") == text
    assert revert(open_checkout(shared.path), undo) == (path,)
    assert shared.git("status", "--porcelain") == b""
    am(shared, text)
    assert shared.git("rev-parse", "HEAD") != f"{start}\n".encode()
    assert (shared.read(path), shared.git("status", "--porcelain")) == (after, b"")


def am(repo: Repo, text: bytes) -> None:
    """Commit a patch from the mails that shimgen writes of it."""
    patches = read_patch("p", text)
    assert render(patches) == text
    for mail in list(render_series([Letter("Forward", "From the engine.\n--- x", patches)]).values())[:-1]:
        repo.git("am", "--quiet", given=mail)


def test_several_files_are_sorted_as_git_sorts_them(tmp_path: Path) -> None:
    names = ("b.py", "a/z.py", "a.py", "a-b.py", "Z.py", "é.py")
    repo = make_repo(tmp_path, dict.fromkeys(names, LONG))
    changes = [FileChange(name, LONG, AFTER) for name in names]
    text = text_of(repo, *changes)
    assert text == text_of(repo, *changes[::-1])
    apply_changes(open_checkout(tmp_path), changes)
    assert repo.git("diff") == text
    assert {patch.path for patch in read_patch("p", text)} == set(names)


def test_nothing_to_change_is_no_text(tmp_path: Path) -> None:
    repo = make_repo(tmp_path, {"pkg/a.py": LONG})
    assert text_of(repo) == text_of(repo, FileChange("pkg/a.py", LONG, LONG)) == b""


def test_paths_are_those_of_the_work_tree_also_from_a_directory_below(tmp_path: Path) -> None:
    repo = make_repo(tmp_path, {"python/pkg/a.py": LONG, "setup.py": b""})
    inner = open_checkout(tmp_path / "python")
    text = render_patch(inner, [CHANGE], render_changes)
    apply_changes(inner, [CHANGE])
    assert repo.git("diff") == text
    assert read_patch("p", text)[0].path == "python/pkg/a.py"


@pytest.mark.parametrize(
    "setting",
    [
        "diff.algorithm=patience",
        "diff.context=9",
        "diff.interHunkContext=40",
        "diff.noprefix=true",
        "diff.mnemonicPrefix=true",
        "diff.indentHeuristic=false",
        "diff.external=false",
        "diff.renames=copies",
        "diff.wsErrorHighlight=all",
        "diff.suppressBlankEmpty=true",
        "diff.orderFile=order",
        "core.abbrev=20",
        "core.quotePath=false",
        "color.ui=always",
        "color.diff=always",
    ],
)
def test_settings_of_the_user_do_not_change_the_text(tmp_path: Path, setting: str) -> None:
    repo = make_repo(tmp_path, {"pkg/a.py": LONG, "pkg/é.py": LONG, "order": b"pkg/b.py\n"})
    changes = [CHANGE, FileChange("pkg/é.py", LONG, AFTER)]
    plain = text_of(repo, *changes)
    repo.git("config", *setting.split("="))
    assert text_of(repo, *changes) == plain


@pytest.mark.parametrize("attributes", ["*.py diff=python", "*.py -diff", "*.py binary", "a.py diff=cpp", "*.py ident"])
@pytest.mark.parametrize("place", [".gitattributes", "pkg/.gitattributes", ".git/info/attributes"])
def test_attributes_decide_on_hunk_headers_as_in_git_diff(tmp_path: Path, attributes: str, place: str) -> None:
    nested = b"class A:\n    def f(self):\n" + b"        x\n" * 9
    change = FileChange("pkg/a.py", nested, nested + b"        y\n")
    repo = make_repo(tmp_path, {"pkg/a.py": nested})
    repo.write({place: attributes.encode() + b"\n"})
    text = text_of(repo, change)
    apply_changes(open_checkout(tmp_path), [change])
    assert repo.git("diff", "--text") == text
    header = next(line for line in text.splitlines() if line.startswith(b"@@"))
    assert header.endswith(b"def f(self):" if attributes == "*.py diff=python" else b"class A:")


@pytest.mark.parametrize("how", ["autocrlf", "attribute"])
def test_line_ends_that_git_converts_stay_converted(tmp_path: Path, how: str) -> None:
    crlf, changed = LONG.replace(b"\n", b"\r\n"), AFTER.replace(b"\n", b"\r\n")
    repo = make_repo(tmp_path, {})
    if how == "autocrlf":
        repo.git("config", "core.autocrlf", "true")
    else:
        repo.write({".gitattributes": b"*.py text eol=crlf\n"})
    repo.commit({"pkg/a.py": crlf})
    checkout = open_checkout(tmp_path)
    assert checkout.tree().baseline.dirty == ()
    assert checkout.tree().read("pkg/a.py") == crlf
    change = FileChange("pkg/a.py", crlf, changed)
    text = text_of(repo, change)
    assert b"\r" not in text
    apply_changes(checkout, [change])
    assert repo.git("diff") == text


@pytest.mark.parametrize(
    ("attribute", "line"), [("ident", b"# $Id$\n"), ("working-tree-encoding=latin1", "# \xe9\n".encode())]
)
def test_what_git_itself_converts_is_no_change(tmp_path: Path, attribute: str, line: bytes) -> None:
    repo = make_repo(tmp_path, {".gitattributes": f"*.py {attribute}\n".encode()})
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{stored(repo, line + LONG)},pkg/a.py")
    repo.git("commit", "--quiet", "--message", "state")
    repo.git("checkout", "--", "pkg/a.py")
    on_disk = repo.read("pkg/a.py")
    assert on_disk != line + LONG
    checkout = open_checkout(tmp_path)
    assert checkout.tree().baseline.dirty == ()
    change = FileChange("pkg/a.py", on_disk, on_disk.removesuffix(LONG) + AFTER)
    text = text_of(repo, change)
    apply_changes(checkout, [change])
    assert repo.git("diff") == text
    repo.git("apply", "-R", given=text)
    assert repo.read("pkg/a.py") == on_disk


def stored(repo: Repo, content: bytes) -> str:
    """The id of a content that git has from now on."""
    return repo.git("hash-object", "-w", "--stdin", given=content).decode().strip()


def test_ids_are_as_long_as_the_repository_needs_them(tmp_path: Path) -> None:
    """The ids of two contents begin with 54890b2: where git holds both, it shows more of them."""
    change = FileChange("a.py", b"x = 4098\n", b"y\n")
    alone = make_repo(tmp_path / "alone", {"a.py": change.before})
    both = make_repo(tmp_path / "both", {"a.py": change.before, "b.py": b"x = 17383\n"})
    assert b"index 54890b2.." in text_of(alone, change)
    text = text_of(both, change)
    assert b"index 54890b2.." not in text
    apply_changes(open_checkout(both.path), [change])
    assert both.git("diff") == text


def test_a_revision_is_rendered_from_its_own_content(tmp_path: Path) -> None:
    repo = make_repo(tmp_path, {"pkg/a.py": LONG})
    repo.commit({"pkg/a.py": b"quite different\n"})
    text = text_of(repo, CHANGE, rev="HEAD~1")
    repo.git("checkout", "--quiet", "HEAD~1")
    repo.git("apply", "-", given=text)
    assert repo.git("diff") == text


def test_rendering_leaves_no_object_and_no_file_behind(tmp_path: Path) -> None:
    repo = make_repo(tmp_path, {"pkg/a.py": LONG})
    before = sorted(path.name for path in (tmp_path / ".git").rglob("*"))
    text_of(repo, CHANGE)
    assert sorted(path.name for path in (tmp_path / ".git").rglob("*")) == before
    assert repo.git("status", "--porcelain", "--ignored") == b""


def test_a_repository_that_hashes_otherwise_keeps_its_ids(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git("init", "--quiet", "--object-format=sha256")
    repo.commit({"pkg/a.py": LONG})
    repo.write({"pkg/new.py": b"x\n"})
    checkout = open_checkout(tmp_path)
    assert {len(blob) for blob in checkout.tree().blobs.values()} == {64}
    text = text_of(repo, CHANGE)
    apply_changes(checkout, [CHANGE])
    assert repo.git("diff") == text


def test_a_directory_without_git_gets_the_plain_rendering(tmp_path: Path) -> None:
    path = tmp_path / "pkg" / "a.py"
    path.parent.mkdir()
    path.write_bytes(LONG)
    path.chmod(0o755)
    text = render_patch(open_checkout(tmp_path), [CHANGE], render_changes)
    assert text == render_changes([CHANGE], {"pkg/a.py": "100755"})
