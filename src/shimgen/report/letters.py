"""The words of a series: the commit message of each patch, and the cover letter. Templates in `templates/series/`."""

from __future__ import annotations

from collections.abc import Sequence

from shimgen import __version__
from shimgen.model.carried import CarriedPatch
from shimgen.model.domain import FileChange, Gap, Shim
from shimgen.model.results import Outcome
from shimgen.templating import fill

Message = tuple[str, str]
"""The first line of a commit message, and the rest."""


def message(change: FileChange) -> Message:
    """The commit message for one file with shims."""
    fields = {
        "classes": sorted({shim.place.name for shim in change.shims}),
        "members": [shim.member for shim in change.shims],
        "shims": [_shim(shim) for shim in change.shims],
        "path": change.path,
    }
    return _parted(_render("commit", fields))


def carried(patch: CarriedPatch) -> Message:
    """The commit message for a carried patch."""
    return _parted(_render("carried", {"patch": patch.name, "reason": patch.reason, "how": patch.sentence}))


def together(subjects: Sequence[str]) -> str:
    """The commit message for a whole series in one commit."""
    return _render("together", {"subjects": list(subjects), "version": __version__}) + "\n"


def cover(outcome: Outcome, patches: int) -> str:
    """The cover letter of a series of so many patches: what it is made for, and what it leaves to a person."""
    return _render(
        "cover",
        {
            "profile": outcome.analysis.profile_name,
            "baseline": outcome.analysis.baseline.id,
            "version": __version__,
            "patches": patches,
            "shims": sum(len(change.shims) for change in outcome.changes),
            "carried": [{"name": p.name, "reason": p.reason, "how": p.sentence} for p in outcome.analysis.carried],
            "refused": [_refused(gap) for gap in outcome.analysis.refused if gap.providers],
        },
    )


def _parted(text: str) -> Message:
    first, _, rest = text.partition("\n")
    return first, rest.strip("\n")


def _shim(shim: Shim) -> dict[str, str]:
    provider = shim.gap.providers[0] if shim.gap.providers else None
    where = f"{provider.cls.name}, {provider.cls.at(provider.line)}" if provider else ""
    attribute = shim.gap.wrapper.delegate.attribute
    return {"cls": shim.place.name, "member": shim.member, "attribute": attribute, "provider": where}


def _refused(gap: Gap) -> dict[str, str]:
    return {"cls": gap.wrapper.cls.name, "member": gap.member, "sentence": gap.sentence}


def _render(name: str, fields: dict[str, object]) -> str:
    return fill(f"series/{name}.txt", fields).removesuffix("\n")
