"""Case files of the wrappers and gaps stages: source in, wrappers and decisions out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import pytest

from shimgen.index import Index
from shimgen.model.domain import Decision, Gap, Wrapper
from shimgen.model.source import memory_tree
from shimgen.shims import generate
from tests.stack import analyse, profile_of
from tests.support import Case, cases, load_case


def _wrapper_line(wrapper: Wrapper) -> str:
    delegate = wrapper.delegate
    candidates = ",".join(sorted(c.name for c in delegate.candidates)) or f"unknown: {delegate.unknown}"
    marks = [m for m, on in (("optional", delegate.optional), (wrapper.role, wrapper.role != "target")) if on]
    marks += [] if wrapper.entry else ["inner"]
    return " ".join([f"{wrapper.cls.name}.{delegate.attribute}", delegate.shape, candidates, *marks])


def _gap_line(gap: Gap) -> str:
    words = [f"{gap.wrapper.cls.name}.{gap.member}", gap.severity.value, gap.decision.value]
    words += [gap.reason.name] if gap.reason else []
    words += [f"on {gap.place.name}"] if gap.place else []
    words += ["handed"] if gap.handed and gap.decision is Decision.FORWARD else []
    return " ".join(words)


@pytest.mark.parametrize("path", cases("wrappers"), ids=lambda p: p.stem)
def test_finds_the_wrappers_of_a_case(path: Path) -> None:
    case = load_case(path)
    found = [_wrapper_line(w) for w in analyse(case.files, profile_of(case))[0]]
    assert found == ([] if case.expected("wrappers") == ["nothing"] else case.expected("wrappers"))


@pytest.mark.parametrize("path", cases("gaps"), ids=lambda p: p.stem)
def test_decides_the_gaps_of_a_case(path: Path) -> None:
    case = load_case(path)
    gaps = analyse(case.files, profile_of(case))[2]
    assert [_gap_line(g) for g in gaps] == ([] if case.expected("gaps") == ["nothing"] else case.expected("gaps"))
    sentences = [g.sentence for g in gaps]
    for line in case.sections.get("says", "").splitlines():
        assert line in sentences, sentences
    if "inserts" in case.sections:
        assert _inserted(case, gaps) == case.sections["inserts"].splitlines()


def _inserted(case: Case, gaps: Sequence[Gap]) -> list[str]:
    """The members that the forwards of these gaps add, one after another."""
    forwards = [gap for gap in gaps if gap.decision is Decision.FORWARD]
    changes, _ = generate(forwards, Index(memory_tree(case.files), profile_of(case)), case.files.__getitem__)
    return "\n\n".join(dedent(shim.text).strip("\n") for change in changes for shim in change.shims).splitlines()
