"""How a step of this stage says that a gap cannot be turned into code."""

from __future__ import annotations

from shimgen.model.domain import Gap, Refusal
from shimgen.model.reason import Reason


class RefusedError(Exception):
    """A gap must be refused after all: the reason, the fields of its sentence, and what a person should do."""

    def __init__(self, reason: Reason, detail: dict[str, str], advice: str = "") -> None:
        super().__init__(reason.name)
        self.refusal = Refusal(reason, detail, advice)


def no_place(why: str) -> RefusedError:
    """The refusal of a class into which nothing can be inserted safely."""
    return RefusedError(Reason.PLACE, {"why": why})


def refused_gap(gap: Gap, why: Refusal) -> Gap:
    """The gap with the reason why it is not closed; where no advice is given, it is to be written by hand."""
    advice = why.advice or f"write {gap.member} on {gap.target.name} by hand"
    return gap.refused(Refusal(why.reason, {**gap.detail, **why.detail}, advice))
