"""The judged sample of gaps: how it is drawn, and that the analysis still says what was judged."""

from __future__ import annotations

import pytest

from benchmarks.precision import GOAL, SIZE, TABLE, changed, described, draw, gaps, group
from benchmarks.tables import Row, rows
from shimgen.model.domain import ClassRef, Decision, Delegate, Demand, Gap, Severity, Wrapper
from shimgen.model.reason import Reason


def gap(number: int, reason: Reason | None = None, severity: Severity = Severity.CRASH) -> Gap:
    ref = ClassRef("stack/models/wrapper.py", f"Wrapper{number:03}", number)
    decision = Decision.REFUSE if reason else Decision.FORWARD
    wrapper = Wrapper(ref, Delegate("inner", ref, 5))
    return Gap(wrapper, "member", severity, Demand("member", (), ()), decision, reason=reason)


MANY = [gap(n, Reason.ABSENT) for n in range(400)]
MANY += [gap(n, Reason.BINDING) for n in range(400, 403)] + [gap(403, Reason.KIND)]
MANY += [gap(n) for n in range(404, 440)] + [gap(n, severity=Severity.SILENT) for n in range(440, 460)]


def test_every_decision_and_every_reason_appears() -> None:
    counts: dict[str, int] = {}
    for drawn in draw(MANY):
        counts[group(drawn)] = counts.get(group(drawn), 0) + 1
    assert sum(counts.values()) == SIZE
    assert counts["KIND"] == 1
    assert all(counts[name] >= 2 for name in ("ABSENT", "BINDING", "forward crash", "forward silent"))


def test_a_sample_depends_on_the_gaps_and_not_on_their_order() -> None:
    assert draw(MANY) == draw(list(reversed(MANY)))
    assert len(set(map(id, draw(MANY)))) == SIZE
    assert len(draw(MANY[:10])) == 10


@pytest.mark.parametrize(
    ("today", "word"),
    [
        (gap(1), ""),
        (gap(1, severity=Severity.SILENT), "silent forward"),
        (gap(1, Reason.HOOK), "crash refuse HOOK"),
        (None, "no gap"),
    ],
)
def test_a_judgement_holds_for_what_was_judged(today: Gap | None, word: str) -> None:
    judged: Row = described(gap(1))
    found = {} if today is None else {(judged["path"], judged["wrapper"], judged["member"]): today}
    said = changed([judged], found)
    assert len(said) == bool(word)
    assert all(f"and is {word}" in line for line in said)


def test_another_class_of_the_name_is_another_gap() -> None:
    assert changed([described(gap(1))], {("stack/models/other.py", "Wrapper001", "member"): gap(1)})


def test_the_table_is_judged() -> None:
    judged = rows(TABLE)
    assert len(judged) == SIZE
    assert {row["judgement"] for row in judged} <= {"true", "false"}
    assert all(row["why"] for row in judged)
    assert sum(row["judgement"] == "true" for row in judged) >= GOAL
    assert {row["decision"] for row in judged} == {"forward", "recipe", "refuse"}
    assert {row["severity"] for row in judged} == {"crash", "silent", "drift"}


def test_the_release_still_has_what_was_judged() -> None:
    assert changed(rows(TABLE), gaps()) == []
