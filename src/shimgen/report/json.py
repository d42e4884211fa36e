"""Analyses as JSON, schema "shimgen/1" (docs/json.md, docs/shimgen-1.schema.json)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from shimgen.model.accepts import Accept
from shimgen.model.carried import CarriedPatch
from shimgen.model.domain import ClassRef, Demand, FileChange, Gap, Provider, Site, Wrapper
from shimgen.model.proof import Proof, summarise
from shimgen.model.results import Analysis
from shimgen.model.source import Stats

SCHEMA = "shimgen/1"
STATS = ("files", "parsed", "cached", "filtered", "read", "lines", "seconds")


def render(
    analysis: Analysis,
    changes: Iterable[FileChange] = (),
    proofs: Sequence[Proof] | None = None,
    accepts: Iterable[tuple[Accept, str]] | None = None,
    commits: Iterable[tuple[str, str]] = (),
) -> str:
    """One JSON object and a final newline. `changes` are the files that the series changes, when one was made,
    `proofs` what verification found, when it ran, `accepts` what the user accepts, each with its state, and `commits`
    id and first line of those that were made."""
    baseline, stats, changes = analysis.baseline, analysis.stats, tuple(changes)
    document = {
        "schema": SCHEMA,
        "baseline": {"kind": baseline.kind, "id": baseline.id, "dirty": list(baseline.dirty)},
        "profile": analysis.profile_name,
        "notes": list(analysis.notes),
        "wrappers": [_wrapper(wrapper) for wrapper in analysis.wrappers],
        "demands": [_demand(demand) for demand in analysis.demands],
        "unnamed": list(analysis.unnamed),
        "gaps": [_gap(gap) for gap in analysis.gaps],
        "stale": [{**class_row(s.cls), "line": s.line, "member": s.member, "reason": s.why} for s in analysis.stale],
        "accepts": [_accept(*pair) for pair in accepts] if accepts is not None else None,
        "carried": [carried_row(patch) for patch in analysis.carried],
        "patches": [patch for change in changes for patch in _patches(change)],
        "files": sorted(change.path for change in changes),
        "commits": [{"id": commit, "subject": subject} for commit, subject in commits],
        "proof": _proof(proofs) if proofs is not None else None,
        "skipped": skipped_rows(stats),
        "stats": {name: getattr(stats, name) for name in STATS},
    }
    return json.dumps(document, indent=2) + "\n"


def skipped_rows(stats: Stats) -> list[dict[str, Any]]:
    """The files that were left out, as entries of a document."""
    return [{"path": file.path, "line": file.line, "reason": file.reason} for file in stats.skipped]


def _accept(accept: Accept, state: str) -> dict[str, Any]:
    until = str(accept.until) if accept.until is not None else None
    return {
        "wrapper": accept.wrapper,
        "member": accept.member,
        "reason": accept.reason,
        "until": until,
        "state": state,
    }


def carried_row(patch: CarriedPatch) -> dict[str, Any]:
    """A carried patch as an entry of a document."""
    conflicts = (
        {"path": c.path, "line": c.line, "hunk": c.hunk, "reason": c.reason, "found": c.found} for c in patch.conflicts
    )
    return {
        "patch": patch.name,
        "reason": patch.reason,
        "when": "before" if patch.first else "after",
        "state": patch.state.value,
        "stands": patch.stands,
        "files": list(patch.paths),
        "hunks": patch.hunks,
        "there": patch.there,
        "conflicts": list(conflicts),
    }


def _proof(proofs: Sequence[Proof]) -> dict[str, Any]:
    """How many shims were proven, and every check of each."""
    tally = summarise(proofs)
    return {"proven": tally.proven, "failed": tally.failed, "checks": [_check(proof) for proof in proofs]}


def _check(proof: Proof) -> dict[str, Any]:
    said = {"member": proof.member, "check": proof.check, "passed": proof.passed, "detail": proof.detail}
    return {**class_row(proof.wrapper), **said}


def class_row(ref: ClassRef) -> dict[str, Any]:
    return {"class": ref.name, "path": ref.path, "line": ref.line}


def _wrapper(wrapper: Wrapper) -> dict[str, Any]:
    held = wrapper.delegate
    delegate = {
        "attribute": held.attribute,
        "optional": held.optional,
        "candidates": [class_row(candidate) for candidate in held.candidates],
    }
    return {**class_row(wrapper.cls), "role": wrapper.role, "delegate": delegate}


def _demand(demand: Demand) -> dict[str, Any]:
    return {
        "member": demand.member,
        "roles": list(demand.roles),
        "interfaces": list(demand.interfaces),
        "sites": [site_row(site) for site in demand.sites],
    }


def site_row(site: Site) -> dict[str, Any]:
    return {
        "path": site.path,
        "line": site.line,
        "kind": site.kind.value,
        "guarded": site.guarded,
        "role": site.role,
        "expression": site.expression,
    }


def _gap(gap: Gap) -> dict[str, Any]:
    return {
        "wrapper": gap.wrapper.cls.name,
        "path": gap.wrapper.cls.path,
        "member": gap.member,
        "severity": gap.severity.value,
        "interfaces": list(gap.interfaces),
        "decision": gap.decision.value,
        "reason": gap.sentence or None,
        "provider": _provider(gap.providers[0]) if gap.providers else None,
        "sites": [site_row(site) for site in gap.demand.sites],
    }


def _provider(provider: Provider) -> dict[str, Any]:
    return {
        "class": provider.cls.name,
        "path": provider.cls.path,
        "line": provider.line,
        "kind": provider.kind.value,
        "signature": provider.signature,
    }


def _patches(change: FileChange) -> Iterable[dict[str, Any]]:
    """One entry for each class of a file that gets members."""
    classes = sorted({shim.place for shim in change.shims})
    for place in classes:
        members = sorted(shim.member for shim in change.shims if shim.place == place)
        yield {"path": change.path, "wrapper": place.name, "members": members}
