"""How a step of this stage says that a gap cannot be turned into code."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from shimgen.model.domain import Decision, Gap
from shimgen.model.reason import Reason


class RefusedError(Exception):
    """A gap must be refused after all: the reason, the fields of its sentence, and what a person should do."""

    def __init__(self, reason: Reason, detail: dict[str, str], advice: str = "") -> None:
        super().__init__(reason.name)
        self.reason = reason
        self.detail = detail
        self.advice = advice


def no_place(why: str) -> RefusedError:
    """The refusal of a class into which nothing can be inserted safely."""
    return RefusedError(Reason.PLACE, {"why": why})


class Refused(msgspec.Struct, frozen=True, array_like=True):
    """Why a gap cannot be turned into code, and what a person should do ("": write it by hand)."""

    reason: Reason
    detail: dict[str, str]
    advice: str = ""


def refused_gap(gap: Gap, error: Refused) -> Gap:
    """The gap with the reason why it is not closed."""
    advice = error.advice or f"write {gap.member} on {gap.target.name} by hand"
    return replace(
        gap, decision=Decision.REFUSE, reason=error.reason, detail={**gap.detail, **error.detail}, advice=advice
    )
