"""The page of decisions is what the case files say, and no reason is without an example."""

from __future__ import annotations

from pathlib import Path

from tests.decisions import STAGES, document, reasons_without_case
from tests.support import cases, load_case

ROOT = Path(__file__).parents[1]


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8") == document(), "run: make docs"


def test_every_reason_has_a_case() -> None:
    assert reasons_without_case() == ()


def test_refusals_and_no_ops_are_at_least_half() -> None:
    """Of the cases that end in a decision: those without any emission, against those with one."""
    quiet = loud = 0
    for stage in {*STAGES, "wrappers", "demands"} - {"shims"}:
        for path in cases(stage):
            words = set(" ".join(load_case(path).sections.values()).split())
            emits = bool(words & {"forward", "recipe"})
            quiet, loud = quiet + (not emits), loud + emits
    assert quiet >= loud
    assert sum(len(cases(stage)) for stage in (*STAGES, "wrappers", "demands")) >= 120
