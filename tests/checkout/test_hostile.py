"""A checkout may be hostile: whatever its configuration names, nothing of it is run by shimgen."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from shimgen.checkout import (
    apply_changes,
    identify,
    open_checkout,
    recover,
    render_patch,
    revert,
)
from shimgen.checkout.command import git
from shimgen.model.domain import FileChange
from shimgen.model.errors import BaselineError
from shimgen.patch import render_changes, undo
from tests.gitrepo import Repo, make_repo

HOOKS = (
    "post-index-change",
    "pre-commit",
    "post-checkout",
    "post-rewrite",
    "reference-transaction",
    "pre-auto-gc",
    "fsmonitor-watchman",
)
CONFIG = """
[core]
    hooksPath = {folder}/hooks
    fsmonitor = {program}
    pager = {program}
    editor = {program}
    sshCommand = {program}
    gitProxy = {program}
    askPass = {program}
    alternateRefsCommand = {program}
    untrackedCache = true
[alias]
    ls-files = !{program}
    rev-parse = !{program}
    diff = !{program}
    log = !{program}
[diff]
    external = {program}
[diff "evil"]
    command = {program}
    textconv = {program}
[filter "evil"]
    clean = {program}
    smudge = {program}
    process = {program}
    required = true
[merge "evil"]
    driver = {program}
[log]
    showSignature = true
[gpg]
    program = {program}
[gpg "ssh"]
    program = {program}
[commit]
    gpgSign = true
[credential]
    helper = !{program}
[remote "origin"]
    url = ext::{program}
    promisor = true
    partialCloneFilter = blob:none
    uploadpack = {program}
[protocol]
    allow = always
[interactive]
    diffFilter = {program}
[gc]
    auto = 1
[maintenance]
    auto = true
[extensions]
    partialClone = origin
"""


@pytest.fixture
def hostile(tmp_path: Path) -> Repo:
    """A repository whose every setting leads to a program that leaves a trace."""
    repo = make_repo(tmp_path / "repo", {"a.py": b"a = 1\n", "b.py": b"b = 1\r\n"})
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{tmp_path}/trace'\nexit 0\n")
    program.chmod(0o755)
    (tmp_path / "hooks").mkdir()
    for folder in (tmp_path / "hooks", repo.path / ".git/hooks"):
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            (folder / name).write_bytes(program.read_bytes())
            (folder / name).chmod(0o755)
    repo.write({".gitattributes": b"*.py filter=evil diff=evil merge=evil text\n"})
    commit = repo.git("cat-file", "commit", "HEAD")
    signed = commit.replace(b"\n\n", b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n", 1)
    head = repo.git("hash-object", "-t", "commit", "-w", "--stdin", given=signed).decode().strip()
    repo.git("update-ref", "HEAD", head)
    with (repo.path / ".git/config").open("a") as file:
        file.write(CONFIG.format(program=program, folder=tmp_path))
    (tmp_path / "trace").unlink(missing_ok=True)
    return repo


def change_files(repo: Repo) -> None:
    repo.write({"a.py": b"a = 2\n", "b.py": b"b = 2\r\n", "new.py": b"n = 1\r\n"})


def read(repo: Repo) -> None:
    tree = open_checkout(repo.path).tree()
    tree.load(tree.blobs)


def read_changed(repo: Repo) -> None:
    change_files(repo)
    read(repo)


def read_revision(repo: Repo) -> None:
    tree = open_checkout(repo.path, "HEAD").tree()
    tree.load(tree.blobs)


def describe(repo: Repo) -> None:
    identify(open_checkout(repo.path))


def change_and_take_back(repo: Repo) -> None:
    checkout = open_checkout(repo.path)
    changes = [FileChange("a.py", b"a = 1\n", b"a = 1\nb = 2\n"), FileChange("b.py", b"b = 1\r\n", b"c = 1\r\n")]
    assert render_patch(checkout, changes, render_changes).count(b"diff --git") == 2
    apply_changes(checkout, changes)
    repo.write({"a.py": b"top = 0\na = 1\nb = 2\n"})
    checkout.tree()
    recover(checkout)
    revert(checkout, lambda change, current: change.before)


def miss_an_object(repo: Repo) -> None:
    checkout = open_checkout(repo.path, "HEAD")
    blob = checkout.tree().blobs["a.py"]
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(BaselineError):
        checkout.tree().read("a.py")


@pytest.mark.parametrize("action", [read, read_changed, read_revision, describe, change_and_take_back, miss_an_object])
def test_nothing_that_a_checkout_configures_is_run(hostile: Repo, action: Callable[[Repo], None]) -> None:
    action(hostile)
    assert not (hostile.path.parent / "trace").exists(), (hostile.path.parent / "trace").read_text()


@pytest.mark.parametrize("command", [("status",), ("diff",), ("log", "--show-signature"), ("add", "a.py")])
def test_the_trap_is_sharp(hostile: Repo, command: tuple[str, ...]) -> None:
    """Git itself, started as people start it, does run what this checkout configures."""
    change_files(hostile)
    git_runs_it(hostile, *command)


def git_runs_it(repo: Repo, *command: str) -> None:
    with suppress(AssertionError):  # it may fail, having run the program
        repo.git("--paginate", *command)
    assert (repo.path.parent / "trace").exists()


def test_git_is_started_without_a_shell(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "a;touch x", {"$(touch y).py": b""})
    assert set(open_checkout(repo.path).tree().blobs) == {"$(touch y).py"}
    assert git(repo.path, "rev-parse", "--is-inside-work-tree") == b"true\n"
    assert revert(open_checkout(repo.path), undo) == ()
    assert not list(tmp_path.rglob("[xy]"))
