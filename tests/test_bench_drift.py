"""The page of judged drift: what counts as judged, and that the page speaks of releases and reasons that exist."""

from __future__ import annotations

import pytest

from benchmarks import drift
from benchmarks.drift import HEADING, argued, described, judged_releases
from benchmarks.releases import releases
from benchmarks.tables import Row, documented
from shimgen.model.domain import Severity
from shimgen.model.reason import Reason
from shimgen.model.source import memory_tree
from tests.builders import FORWARDED
from tests.stack import analyse
from tests.support import CASES, load_case

ROW = {
    "release": "1.0",
    "class": "Wrap",
    "member": "remap",
    "reason": "TARGET_GONE",
    "what it does": "fails when called",
    "source": "`models/wrap.py:2` `self.inner.remap`",
}
TREE = memory_tree({"models/wrap.py": b"def remap(self):\n    return self.inner.remap()\n"})


def test_only_drift_is_described() -> None:
    gaps = analyse(load_case(CASES / "drift" / "said_once.case").files)[2]
    assert FORWARDED.severity is not Severity.DRIFT
    assert described([FORWARDED, *gaps]) == [("Wrap", "remap", "TARGET_GONE", "models/wrap.py:15")]


@pytest.mark.parametrize(
    ("change", "judged"),
    [
        ({}, True),
        ({"release": "2.0"}, False),
        ({"source": "`models/wrap.py:1` `self.inner.remap`"}, False),
        ({"source": "`models/gone.py:2` `self.inner.remap`"}, False),
    ],
)
def test_a_row_counts_for_its_release_and_a_line_that_is_there(
    monkeypatch: pytest.MonkeyPatch, change: Row, judged: bool
) -> None:
    monkeypatch.setattr(drift, "documented", lambda page, heading: [ROW | change])
    found = {("Wrap", "remap", "TARGET_GONE", "models/wrap.py:2"): "fails when called"}
    assert argued("1.0", TREE) == (found if judged else {})


def test_the_page_names_releases_and_reasons() -> None:
    assert set(judged_releases()) <= {r.version for r in releases()}
    for row in documented("drift.md", HEADING):
        assert row["reason"] in Reason.__members__
        assert row["what it does"]
