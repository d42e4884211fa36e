"""How a step of this stage says that a gap cannot be turned into code."""

from __future__ import annotations

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
