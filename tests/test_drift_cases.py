"""Case files of drift: members that are there and wrong, and as many that only look like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shimgen.model.domain import Decision, Gap, Severity
from tests.stack import analyse, profile_of
from tests.support import Case, cases, load_case


def _drift_of(case: Case) -> list[Gap]:
    return [gap for gap in analyse(case.files, profile_of(case))[2] if gap.severity is Severity.DRIFT]


def _line(gap: Gap) -> str:
    reason = gap.reason.name if gap.reason is not None else "none"
    return f"{gap.wrapper.cls.name}.{gap.member} {reason} {gap.detail['place']}"


@pytest.mark.parametrize("path", cases("drift"), ids=lambda p: p.stem)
def test_finds_the_drift_of_a_case(path: Path) -> None:
    case = load_case(path)
    gaps = _drift_of(case)
    assert [_line(gap) for gap in gaps] == ([] if case.expected("drift") == ["nothing"] else case.expected("drift"))
    for line in case.sections.get("says", "").splitlines():
        assert line in [gap.sentence for gap in gaps]


@pytest.mark.parametrize("path", cases("drift"), ids=lambda p: p.stem)
def test_emits_nothing_over_existing_code(path: Path) -> None:
    for gap in _drift_of(load_case(path)):
        assert gap.decision is Decision.REFUSE
        assert gap.advice
        assert "{" not in gap.sentence


def test_has_as_many_cases_without_drift() -> None:
    quiet = [p for p in cases("drift") if load_case(p).expected("drift") == ["nothing"]]
    assert len(quiet) * 2 >= len(cases("drift"))
