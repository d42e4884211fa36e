"""What the pipeline hands to the command line and the reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from shimgen.model.accepts import Accept
from shimgen.model.carried import CarriedPatch
from shimgen.model.domain import ClassRef, Decision, Demand, FileChange, Gap, Provider, Shim, Wrapper
from shimgen.model.source import Baseline, Stats


class Recognition(msgspec.Struct, frozen=True):
    """What a checkout turned out to be. `url` and `revision`: where it comes from, "" when nothing says so. `digest`:
    of the Python files of the baseline, the same for the same files wherever they are from."""

    baseline: Baseline
    profile_name: str
    root: str = ""
    url: str = ""
    revision: str = ""
    digest: str = ""


class Marked(msgspec.Struct, frozen=True):
    """A shim found in the checkout: the class it stands in, the line of its marker, and its text."""

    cls: ClassRef
    member: str
    line: int
    text: str


class Stale(msgspec.Struct, frozen=True):
    """A shim in the checkout that shimgen would not write today: where it is, and why as a sentence."""

    cls: ClassRef
    member: str
    line: int
    why: str


class Analysis(msgspec.Struct, frozen=True):
    """What one run found, sorted. `gaps` are those in scope; `root` is the package's prefix in the checkout;
    `unnamed` are demanded members that no interface of the profile names: what a new release asks for anew.
    `everything` has wrapper and member of every gap, whatever the scope; `release` is what the source calls itself, ""
    when nothing says so; `notes` are sentences about the checkout: it is not as pinned, a run was interrupted.
    `carried` are the patches that the user carries besides, in their order."""

    baseline: Baseline
    profile_name: str
    root: str = ""
    wrappers: tuple[Wrapper, ...] = ()
    demands: tuple[Demand, ...] = ()
    gaps: tuple[Gap, ...] = ()
    stats: Stats = msgspec.field(default_factory=Stats)
    stale: tuple[Stale, ...] = ()
    unnamed: tuple[str, ...] = ()
    everything: frozenset[tuple[str, str]] = frozenset()
    release: str = ""
    notes: tuple[str, ...] = ()
    carried: tuple[CarriedPatch, ...] = ()

    @property
    def pending(self) -> tuple[Gap, ...]:
        """The gaps that shimgen would close."""
        return tuple(gap for gap in self.gaps if gap.decision is not Decision.REFUSE)

    @property
    def refused(self) -> tuple[Gap, ...]:
        """The gaps that it leaves to a person."""
        return tuple(gap for gap in self.gaps if gap.decision is Decision.REFUSE)


class Step(msgspec.Struct, frozen=True):
    """One step from the source without anything of shimgen's to the whole series: the shims, or a carried patch."""

    changes: tuple[FileChange, ...]
    carried: CarriedPatch | None = None


class Outcome(msgspec.Struct, frozen=True):
    """An analysis, and the series that closes its gaps: changed files, sorted, the patch as git prints it, and
    what verification found of each shim. `steps` lead from the source without anything of shimgen's to what it is
    to be. `recovered`: what was done about an earlier run that was killed; `commits`: id and first line of those made.
    """

    analysis: Analysis
    changes: tuple[FileChange, ...] = ()
    patch: bytes = b""
    proofs: tuple[Proof, ...] = ()
    recovered: str = ""
    steps: tuple[Step, ...] = ()
    commits: tuple[tuple[str, str], ...] = ()


class Explanation(msgspec.Struct, frozen=True):
    """An analysis narrowed to what is explained, the shims that its gaps would get, and what each wrapper provides
    by itself of what is demanded."""

    analysis: Analysis
    shims: tuple[Shim, ...] = ()
    provided: Mapping[ClassRef, Mapping[str, Provider]] = msgspec.field(default_factory=dict)


class Verdict(msgspec.Struct, frozen=True):
    """What a CI gate makes of an analysis: gaps that could be closed, refused ones, accepted ones with the reason
    that the user gave, and stale shims. `accepts` are the acceptances, each with its state: it "holds", it has
    "expired", or it is "idle", about no gap at all. `carried` are the carried patches, which are
    to be in the checkout."""

    pending: tuple[Gap, ...] = ()
    refused: tuple[Gap, ...] = ()
    accepted: tuple[tuple[Gap, str], ...] = ()
    stale: tuple[Stale, ...] = ()
    accepts: tuple[tuple[Accept, str], ...] = ()
    carried: tuple[CarriedPatch, ...] = ()

    def fails(self, strict: bool) -> bool:
        """True when the gate is to stay closed; `strict` counts refused gaps as well."""
        return bool(self.pending or self.stale or (strict and self.refused) or not all(c.stands for c in self.carried))


class Proof(msgspec.Struct, frozen=True, order=True):
    """One check of one shim. `wrapper` is the class that holds the shim, `check` the name of what was tried,
    `detail` says what went wrong ("" when the check passed)."""

    wrapper: ClassRef
    member: str
    check: str
    passed: bool
    detail: str = ""


class Tally(msgspec.Struct, frozen=True):
    """How many shims passed every check (`proven`), how many failed one (`failed`), and the failures, sorted."""

    proven: int
    failed: int
    failures: tuple[Proof, ...] = ()

    @property
    def passed(self) -> bool:
        """No check failed."""
        return not self.failures


def summarise(proofs: Iterable[Proof]) -> Tally:
    """Count shims, not checks: a shim is proven when all its checks passed, whichever stage made them."""
    everything = tuple(proofs)
    failures = tuple(sorted(p for p in everything if not p.passed))
    shims = {_shim(p) for p in everything}
    broken = {_shim(p) for p in failures}
    return Tally(len(shims - broken), len(broken), failures)


def _shim(proof: Proof) -> tuple[str, str, str]:
    """The identity of a shim; a line moves when the file is edited and says nothing."""
    return (proof.wrapper.path, proof.wrapper.name, proof.member)
