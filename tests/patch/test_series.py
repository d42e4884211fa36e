"""A series: names, mails and their list are the same bytes for the same patches, and mean what they say."""

from __future__ import annotations

import email
import email.policy

import pytest

from shimgen.patch import Letter, diffstat, file_patch, read_patch, render_series

PATCH = file_patch("models/kimi.py", b"a\nb\n", b"a\nnew\nb\n")
SECOND = file_patch("models/other.py", b"a\r\n", b"a\r\nb\r\n")
LETTERS = (
    Letter("Forward get_embed_and_head on KimiK25ForConditionalGeneration", "The engine calls it.", (PATCH,)),
    Letter("Forward start_layer on Other", "", (SECOND,)),
)


def only_mail(letter: Letter) -> bytes:
    return next(iter(render_series([letter]).values()))


def test_files_are_numbered_in_order_and_listed() -> None:
    files = render_series(LETTERS, cover="Why.\n")
    assert list(files) == [
        "0000-cover-letter.txt",
        "0001-Forward-get_embed_and_head-on-KimiK25ForConditionalG.patch",
        "0002-Forward-start_layer-on-Other.patch",
        "series",
    ]
    assert files["series"].decode().splitlines() == list(files)[1:3]
    assert files["0000-cover-letter.txt"] == b"Why.\n"


def test_without_text_there_is_no_cover_letter_and_without_patches_an_empty_list() -> None:
    assert render_series(()) == {"series": b""}


def test_a_mail_is_written_out_in_full() -> None:
    assert only_mail(LETTERS[0]).decode() == (
        "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"
        "From: shimgen <shimgen@localhost>\n"
        "Date: Thu, 1 Jan 1970 00:00:00 +0000\n"
        "Subject: [PATCH 1/1] Forward get_embed_and_head on KimiK25ForConditionalGeneration\n"
        "MIME-Version: 1.0\n"
        "Content-Type: text/plain; charset=UTF-8\n"
        "Content-Transfer-Encoding: 8bit\n"
        "\n"
        "The engine calls it.\n"
        "---\n"
        " models/kimi.py | 1 +\n"
        " 1 file changed, 1 insertion(+)\n"
        "\n"
        "diff --git a/models/kimi.py b/models/kimi.py\n"
        f"index {PATCH.old_id}..{PATCH.new_id} 100644\n"
        "--- a/models/kimi.py\n"
        "+++ b/models/kimi.py\n"
        "@@ -1,2 +1,3 @@\n"
        " a\n"
        "+new\n"
        " b\n"
        "-- \n"
        "shimgen\n"
    )


def test_carriage_returns_travel_encoded_and_unharmed() -> None:
    mail = email.message_from_bytes(only_mail(LETTERS[1]), policy=email.policy.compat32)
    assert mail["Content-Transfer-Encoding"] == "quoted-printable"
    content = mail.get_payload(decode=True)
    assert isinstance(content, bytes)
    assert read_patch("p", content) == (SECOND,)


def test_a_subject_outside_ascii_is_encoded_and_keeps_one_line() -> None:
    mail = email.message_from_bytes(only_mail(Letter("Größe\nweiter", "", (PATCH,))), policy=email.policy.default)
    assert mail["Subject"] == "[PATCH 1/1] Größe weiter"


@pytest.mark.parametrize("line", ["--- a/x", "diff --git a/x b/x", "From nobody", "Subject: other", "[PATCH] x"])
def test_a_line_of_the_message_that_git_would_misread_is_indented(line: str) -> None:
    assert f"\n {line}\n---\n".encode() in only_mail(Letter("Title", line, (PATCH,)))


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("a/../b", "0001-a-b.patch"),
        ("...", "0001-patch.patch"),
        ("été", "0001-ete.patch"),
        ("x" * 90, f"0001-{'x' * 52}.patch"),
    ],
)
def test_a_name_has_only_plain_characters(subject: str, name: str) -> None:
    assert next(iter(render_series([Letter(subject, "", (PATCH,))]))) == name


def test_the_diffstat_counts_and_scales() -> None:
    big = file_patch("a.py", b"x\n" * 100, b"y\n" * 100)
    assert diffstat([big, PATCH]) == (
        f" a.py           | 200 {'+' * 20}{'-' * 20}\n models/kimi.py |   1 +\n"
        " 2 files changed, 101 insertions(+), 100 deletions(-)\n"
    )
