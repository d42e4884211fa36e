"""Contents of files that break careless patches, as hypothesis strategies."""

from __future__ import annotations

from hypothesis import strategies as st

LINES = (
    b"def forward(self):\n",
    b"    return self.language_model\n",
    b"    \n",
    b"\n",
    b"class Wrapper:\r\n",
    b"\tx = 1\r\n",
    b"\x0c\n",
    b"a\x0cb\n",
    b"lone\rcarriage\n",
    b"\r\n",
    b"\xe2\x80\xa8 = separator\n",
    b"\xc3\xa9t\xc3\xa9 = 1\n",
    b"latin = '\xe9'\n",
    b"From the start\n",
    b"From: nobody\n",
    b"-- \n",
    b"--- a/file\n",
    b"+++ b/file\n",
    b"@@ -1 +1 @@\n",
    b"\\ No newline at end of file\n",
    b"diff --git a/x b/x\n",
    b"trailing blanks  \t\n",
    b"long = '" + b"x" * 1200 + b"'\n",
    b"=3D = 'looks encoded'\n",
    b".\n",
)
TAILS = (b"", b"no newline", b"    return None", b"\r", b"\x0c", b"\xe2\x80\xa8")
MARK = b"\xef\xbb\xbf"

lines = st.lists(st.sampled_from(LINES), max_size=14)


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """A file: perhaps a byte order mark, lines, perhaps an end without newline."""
    return draw(st.sampled_from((b"", MARK))) + b"".join(draw(lines)) + draw(st.sampled_from(TAILS))


@st.composite
def insertions(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A file and the same file with lines put in at some places, as shimgen changes files."""
    before = draw(lines)
    after = list(before)
    for place, block in draw(st.lists(st.tuples(st.integers(0, 14), lines), min_size=1, max_size=3)):
        after[place:place] = block
    tail = draw(st.sampled_from(TAILS))
    return b"".join(before) + tail, b"".join(after) + tail


@st.composite
def pairs(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Before and after: an insertion, or two unrelated contents; never equal."""
    before, after = draw(st.one_of(insertions(), st.tuples(contents(), contents())))
    return before, after if after != before else after + b"more\n"


paths = st.sampled_from(
    (
        "models/kimi.py",
        "models/with space.py",
        "modèles/été.py",
        'odd/quo"te.py',
        "odd/back\\slash.py",
        "odd/tab\tand\nnewline.py",
        "odd/-dash.py",
        "a b/c\td.py",
        "top.py",
    )
)
