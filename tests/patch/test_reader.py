"""Patches that others wrote: git's, mails, `diff -u`; every byte is kept, and what shimgen cannot carry is refused."""

from __future__ import annotations

import subprocess
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unidiff import patch as unidiff

from shimgen.model.domain import FileChange
from shimgen.model.errors import GenerateError
from shimgen.patch import Letter, apply_exact, diff, file_patch, read_patch, render_changes, render_series
from tests.gitrepo import Repo, make_repo

LINES = [b"line %d\n" % n for n in range(1, 31)]
BEFORE = b"".join(LINES)
AFTER = BEFORE.replace(b"line 4\n", b"line 4\nnew\n").replace(b"line 25\n", b"")
ODD = {
    "plain.py": (BEFORE, AFTER),
    "crlf.py": (BEFORE.replace(b"\n", b"\r\n"), AFTER.replace(b"\n", b"\r\n")),
    "no_newline.py": (BEFORE[:-1], AFTER[:-1] + b"more"),
    "newline_comes.py": (b"a\nb", b"a\nb\n"),
    "odd bytes.py": (b"\f\n\xff\xe2\x80\xa8\rx\n", b"\f\n\xff\xe2\x80\xa8\rx\nnew \x0b\x85\n"),
    "pkg/na\u00efve.py": (b"x = 1\n", b"x = 2\n"),
    "data.json": (b'{"a": 1}\n', b'{"a": 2}\n'),
    "minus.sql": (b"-- a\n++ b\n", b"-- a\n-- c\n++ d\n"),
}  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = make_repo(tmp_path, {path: before for path, (before, _) in ODD.items()})
    made.write({path: after for path, (_, after) in ODD.items()})
    return made


@pytest.mark.parametrize(
    "words",
    [
        ["diff"],
        ["diff", "--full-index"],
        ["diff", "--unified=1"],
        ["diff", "--unified=9"],
        ["diff", "--no-prefix"],
        ["diff", "--src-prefix=i/", "--dst-prefix=w/"],
        ["-c", "core.quotePath=false", "diff"],
        ["-c", "diff.mnemonicPrefix=true", "diff"],
    ],
)
def test_what_git_prints(repo: Repo, words: list[str]) -> None:
    patches = read_patch("p", repo.git(*words))
    assert sorted(patch.path for patch in patches) == sorted(ODD)
    for patch in patches:
        before, after = ODD[patch.path]
        assert apply_exact(patch, before) == after


def test_a_mail_of_git(repo: Repo) -> None:
    repo.commit({}, message="A change\n\n--- this is no header\ndiff of words, and\n+++ more of them")
    mail = repo.git("format-patch", "-1", "--stdout")
    assert {patch.path for patch in read_patch("p", mail)} == set(ODD)


def test_a_mail_of_a_series_with_carriage_returns() -> None:
    letter = Letter("x", "", (file_patch("crlf.py", *ODD["crlf.py"]),))
    mail = render_series((letter,))["0001-x.patch"]
    assert b"quoted-printable" in mail
    (patch,) = read_patch("p", mail)
    assert apply_exact(patch, ODD["crlf.py"][0]) == ODD["crlf.py"][1]


def test_mails_in_one_file() -> None:
    names = ("plain.py", "crlf.py", "odd bytes.py")
    letters = tuple(Letter(name, "", (file_patch(name, *ODD[name]),)) for name in names)
    patches = read_patch("p", b"".join(render_series(letters).values()))
    assert [apply_exact(patch, ODD[patch.path][0]) == ODD[patch.path][1] for patch in patches] == [True] * len(names)


@pytest.mark.parametrize("sent_with", [b"\n", b"\r\n"])
@pytest.mark.parametrize("head", ["From: a@b.org", "From 0123 Mon Sep 17 00:00:00 2001", "Return-Path: <a@b.org>"])
@pytest.mark.parametrize("attached", [False, True])
def test_a_mail_that_was_encoded_on_the_way(repo: Repo, sent_with: bytes, head: str, attached: bool) -> None:
    patch_text = MIMEApplication(repo.git("diff", "--", "crlf.py"))
    body = MIMEMultipart(_subparts=[MIMEText("Words before it.\n"), patch_text]) if attached else patch_text
    mail = f"{head}\nSubject: x\n".encode() + body.as_bytes()
    (patch,) = read_patch("p", mail.replace(b"\n", sent_with))
    assert (patch.path, apply_exact(patch, ODD["crlf.py"][0])) == ("crlf.py", ODD["crlf.py"][1])


def test_what_is_no_encoded_mail_stays_as_it_is() -> None:
    text = b"--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n-Content-Transfer-Encoding: base64\n"
    (patch,) = read_patch("p", b"Words: nothing else.\n" + text)
    assert apply_exact(patch, b"a\nContent-Transfer-Encoding: base64\n") == b"a\n"


def test_what_diff_prints(tmp_path: Path) -> None:
    for side, content in (("old", BEFORE), ("new", AFTER)):
        (tmp_path / side / "pkg").mkdir(parents=True)
        (tmp_path / side / "pkg" / "a.py").write_bytes(content)
    done = subprocess.run(["diff", "-ru", "old", "new"], cwd=tmp_path, capture_output=True, check=False)
    (patch,) = read_patch("p", done.stdout)
    assert (patch.path, apply_exact(patch, BEFORE)) == ("pkg/a.py", AFTER)


def test_context_that_a_mailer_took_the_blank_from() -> None:
    text = b"--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,4 @@\n one\n\n+new\n two\n"
    (patch,) = read_patch("p", text)
    assert apply_exact(patch, b"one\n\ntwo\n") == b"one\n\nnew\ntwo\n"


def test_several_files_of_a_plain_diff() -> None:
    one, two = (b"--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-a\n+b\n" % (name, name) for name in (b"x.py", b"y.py"))
    assert [patch.path for patch in read_patch("p", one + two)] == ["x.py", "y.py"]


def test_a_missing_newline_in_another_language() -> None:
    text = b"--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n"
    (patch,) = read_patch("p", text)
    assert apply_exact(patch, b"a") == b"b\n"


def test_an_independent_reader_sees_the_same(repo: Repo) -> None:
    """Where unidiff reads a patch at all: not with blanks in names, nor with other bytes than text."""
    text = repo.git("diff", "--", "plain.py", "crlf.py", "data.json", "no_newline.py").decode()
    theirs = {
        file.path: [(hunk.source_start, hunk.target_start, hunk.added, hunk.removed) for hunk in file]
        for file in unidiff.PatchSet(StringIO(text, newline="\n"))
    }
    ours = {
        patch.path: [
            (hunk.old_at + 1, hunk.new_at + 1, marks.count(b"+"), marks.count(b"-"))
            for hunk in patch.hunks
            for marks in [b"".join(line[:1] for line in hunk.lines)]
        ]
        for patch in read_patch("p", text.encode())
    }
    assert len(ours) == 4
    assert ours == theirs


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=6), max_size=8), st.lists(st.binary(max_size=6), max_size=8))
def test_every_byte_is_kept(old: list[bytes], new: list[bytes]) -> None:
    before, after = b"\n".join(old), b"\n".join(new)
    text = render_changes([FileChange("x.py", before, after)], {})
    if before == after:
        return
    (patch,) = read_patch("p", text)
    assert patch.hunks == diff(before, after)
    assert apply_exact(patch, before) == after


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["rm", "plain.py"], "deletes plain.py"),
        (["mv", "plain.py", "other.py"], "renames plain.py"),
        (["update-index", "--chmod=+x", "plain.py"], "changes the mode of plain.py"),
    ],
)
def test_what_is_more_than_a_change_of_lines(tmp_path: Path, words: list[str], says: str) -> None:
    repo = make_repo(tmp_path, {"plain.py": BEFORE})
    repo.git(*words)
    with pytest.raises(GenerateError, match=f"^ours.patch {says}, and only changes of files that are there"):
        read_patch("ours.patch", repo.git("diff", "--cached", "HEAD", "-M"))


@pytest.mark.parametrize(
    ("name", "before", "after", "says"),
    [
        ("new.py", None, b"x\n", "adds new.py"),
        ("data.bin", b"\0\1", b"\0\2", "changes the binary file data.bin"),
    ],
)
def test_new_and_binary_files(tmp_path: Path, name: str, before: bytes | None, after: bytes, says: str) -> None:
    repo = make_repo(tmp_path, {"keep.py": b"", **({name: before} if before is not None else {})})
    repo.write({name: after})
    repo.git("add", "--all")
    for words in (["diff", "--cached"], ["diff", "--cached", "--binary"]):
        with pytest.raises(GenerateError, match=says):
            read_patch("ours.patch", repo.git(*words))


HEAD = b"--- a/x.py\n+++ b/x.py\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "holds no patch"),
        (b"just words\n", "holds no patch"),
        (HEAD + b"@@ -1,2 +1,3 @@\n one\n+new\n", "is not usable: line 6 does not fit the header of its hunk"),
        (HEAD + b"@@ -1,2 +1,2 @@\n one\n+new\n+more\n two\n", "is not usable: line 6 does not fit"),
        (HEAD, "holds no patch"),
        (b"diff --git a/x.py b/x.py\n" + HEAD, "line 4 is no hunk"),
        (HEAD + b"@@ -1 +1 @@\n-a\n+b\n+c\n", "line 6 is not counted"),
        (HEAD.replace(b"x.py", b"../x.py") + b"@@ -1 +1 @@\n-a\n+b\n", "not a path inside"),
        (b"--- /etc/x.py\n+++ /etc/x.py\n@@ -1 +1 @@\n-a\n+b\n", "not a path inside"),
        ((HEAD + b"@@ -1 +1 @@\n-a\n+b\n") * 2, "changes x.py in two places"),
    ],
)
def test_what_is_no_usable_patch(text: bytes, says: str) -> None:
    with pytest.raises(GenerateError, match=says):
        read_patch("ours.patch", text)
