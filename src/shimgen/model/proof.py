"""What verification found out about each shim."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from shimgen.model.domain import ClassRef


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
