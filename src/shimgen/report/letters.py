"""The words of a series: the commit message of each patch, and the cover letter. Templates in `templates/series/`."""

from __future__ import annotations

from shimgen import __version__
from shimgen.model.domain import FileChange, Gap, Shim
from shimgen.model.results import Outcome
from shimgen.templating import fill


def subject(change: FileChange) -> str:
    """The first line of the commit message for one changed file."""
    return _message(change)[0]


def body(change: FileChange) -> str:
    """The rest of the commit message for one changed file."""
    return _message(change)[1]


def cover(outcome: Outcome) -> str:
    """The cover letter: what the series is made for, and what it leaves to a person."""
    shims = sum(len(change.shims) for change in outcome.changes)
    return _render(
        "cover",
        {
            "profile": outcome.analysis.profile_name,
            "baseline": outcome.analysis.baseline.id,
            "version": __version__,
            "patches": len(outcome.changes),
            "shims": shims,
            "refused": [_refused(gap) for gap in outcome.analysis.refused if gap.providers],
        },
    )


def _message(change: FileChange) -> tuple[str, str]:
    classes = sorted({shim.place.name for shim in change.shims})
    fields = {
        "classes": classes,
        "members": [s.member for s in change.shims],
        "shims": [_shim(s) for s in change.shims],
    }
    first, _, rest = _render("commit", fields).partition("\n")
    return first, rest.strip("\n")


def _shim(shim: Shim) -> dict[str, str]:
    provider = shim.gap.providers[0] if shim.gap.providers else None
    where = f"{provider.cls.name}, {provider.cls.path}:{provider.line}" if provider else ""
    attribute = shim.gap.wrapper.delegate.attribute
    return {"cls": shim.place.name, "member": shim.member, "attribute": attribute, "provider": where}


def _refused(gap: Gap) -> dict[str, str]:
    return {"cls": gap.wrapper.cls.name, "member": gap.member, "sentence": gap.sentence}


def _render(name: str, fields: dict[str, object]) -> str:
    return fill(f"series/{name}.txt", fields).removesuffix("\n")
