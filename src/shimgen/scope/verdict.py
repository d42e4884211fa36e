"""What a CI gate makes of an analysis."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from shimgen.model.accepts import Accept
from shimgen.model.domain import Gap
from shimgen.model.results import Analysis, Verdict


def judge(analysis: Analysis, accepts: Sequence[Accept], today: date) -> Verdict:
    """Sort the gaps of an analysis into what counts and what the user accepted.

    What was accepted until a day or a release that has come counts again. An acceptance that is about no gap at all,
    of whatever scope, is named.
    """
    valid = [accept for accept in accepts if not accept.has_expired(today, analysis.release)]

    def reason(gap: Gap) -> str | None:
        found = (accept.reason for accept in valid if accept.names(gap.wrapper.cls.name, gap.member))
        return next(found, None)

    reasons = {id(gap): reason(gap) for gap in analysis.gaps}
    known = analysis.everything | {(gap.wrapper.cls.name, gap.member) for gap in analysis.gaps}

    def state(accept: Accept) -> str:
        if not any(accept.names(*names) for names in known):
            return "idle"
        return "holds" if accept in valid else "expired"

    return Verdict(
        pending=tuple(gap for gap in analysis.pending if reasons[id(gap)] is None),
        refused=tuple(gap for gap in analysis.refused if reasons[id(gap)] is None),
        accepted=tuple((gap, why) for gap in analysis.gaps if (why := reasons[id(gap)]) is not None),
        stale=analysis.stale,
        carried=analysis.carried,
        accepts=tuple((accept, state(accept)) for accept in accepts),
    )
