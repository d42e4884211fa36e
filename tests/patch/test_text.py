"""Patch text: what is written can be read, and what is not a change of content is refused with its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shimgen.model.domain import FileChange
from shimgen.model.errors import GenerateError
from shimgen.patch import file_patch, read_patch, render, render_changes
from tests.contents import pairs, paths

GOOD = """\
diff --git a/a.py b/a.py
index 1111111..2222222 100644
--- a/a.py
+++ b/a.py
@@ -1,2 +1,3 @@
 one
+two
 three
"""


@given(pairs(), paths, st.sampled_from(("100644", "100755")))
def test_what_is_rendered_parses_to_the_same_value(pair: tuple[bytes, bytes], path: str, mode: str) -> None:
    patch = file_patch(path, *pair, mode=mode)
    assert read_patch("p", render([patch])) == (patch,)


def test_files_are_sorted_and_unchanged_ones_left_out() -> None:
    changes = [FileChange("b.py", b"", b"x\n"), FileChange("a.py", b"", b"y\n"), FileChange("c.py", b"z", b"z")]
    text = render_changes(changes, {"b.py": "100755"})
    assert [(patch.path, patch.mode) for patch in read_patch("p", text)] == [("a.py", "100644"), ("b.py", "100755")]
    assert text == render_changes(changes[::-1], {"b.py": "100755"})


def test_a_mail_is_read_without_its_head_and_signature() -> None:
    mail = "From: someone\nSubject: words\n\nbody\n---\n a.py | 1 +\n\n" + GOOD + "-- \n2.39.5\n\n"
    assert read_patch("p", mail.encode()) == read_patch("p", GOOD.encode())


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("index 1111111..2222222 100644\n", "new file mode 100644\nindex 0..1\n", "p adds a.py"),
        ("index 1111111..2222222 100644\n", "similarity index 90%\nrename from x\n", "p renames a.py"),
        ("100644", "120000", "p changes the link a.py"),
        ("--- a/a.py\n", "", "line 3 is no hunk"),
        ("+++ b/a.py\n", "", r"line 4 does not begin with '\+\+\+ '"),
        ("--- a/a.py", "--- /dev/null", "p adds a.py"),
        ("+++ b/a.py", "+++ /dev/null", "p deletes a.py"),
        ("+++ b/a.py", "+++ b/b.py", "p renames a.py"),
        ("@@ -1,2 +1,3 @@\n one\n+two\n three\n", "", "line 5 is no hunk"),
        ("@@ -1,2 +1,3 @@", "@@ -1,2 @@", "line 5 is no hunk header"),
        ("@@ -1,2 +1,3 @@", "@@ -0,2 +1,3 @@", "line 5 is no hunk header"),
        ("+1,3", "+1,4", "line 9 does not fit the header"),
        ("+1,3", "+1,2", "line 8 does not fit the header"),
        (" three\n", " three\n four\n", "line 9 is not counted"),
        (" three\n", "three\n", "line 8 does not fit the header"),
        (" three\n", " three", "line 8 does not fit the header"),
        (" one\n", " one\n\\ No newline at end of file\n", "line 7 says that a file ends here"),
    ],
)
def test_anything_else_is_refused_with_its_line(old: str, new: str, complaint: str) -> None:
    assert old in GOOD
    with pytest.raises(GenerateError, match=complaint):
        read_patch("p", GOOD.replace(old, new, 1).encode())


@given(st.integers(0, len(GOOD)), st.binary(max_size=4), st.integers(0, 6))
def test_damaged_text_is_refused_or_read_but_never_breaks_the_reader(at: int, put: bytes, cut: int) -> None:
    text = GOOD.encode()
    try:
        patches = read_patch("p", text[:at] + put + text[at + cut :])
    except GenerateError:
        return
    assert read_patch("p", render(patches)) == patches
