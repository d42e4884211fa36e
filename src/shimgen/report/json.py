"""Analyses as JSON, schema "shimgen/1" (docs/json.md, docs/shimgen-1.schema.json)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from shimgen.model.accepts import Accept
from shimgen.model.carried import CarriedPatch
from shimgen.model.domain import ClassRef, Demand, FileChange, Gap, Provider, Site, Wrapper
from shimgen.model.results import Analysis, Proof, summarise
from shimgen.model.source import Stats

SCHEMA = "shimgen/1"
BASELINE = ("kind", "id", "dirty")
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
    changes = tuple(changes)
    document = {
        "schema": SCHEMA,
        "baseline": picked(analysis.baseline, *BASELINE),
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
        "skipped": skipped_rows(analysis.stats),
        "stats": picked(analysis.stats, *STATS),
    }
    return json.dumps(document, indent=2) + "\n"


def picked(value: object, *names: str) -> dict[str, Any]:
    """These attributes of a value, as an entry of a document."""
    return {name: getattr(value, name) for name in names}


def skipped_rows(stats: Stats) -> list[dict[str, Any]]:
    """The files that were left out, as entries of a document."""
    return [picked(file, "path", "line", "reason") for file in stats.skipped]


def _accept(accept: Accept, state: str) -> dict[str, Any]:
    until = str(accept.until) if accept.until is not None else None
    return {**picked(accept, "wrapper", "member", "reason"), "until": until, "state": state}


def carried_row(patch: CarriedPatch) -> dict[str, Any]:
    """A carried patch as an entry of a document."""
    return {
        "patch": patch.name,
        "reason": patch.reason,
        "when": "before" if patch.first else "after",
        **picked(patch, "state", "stands"),
        "files": patch.paths,
        **picked(patch, "hunks", "there"),
        "conflicts": [picked(conflict, "path", "line", "hunk", "reason", "found") for conflict in patch.conflicts],
    }


def _proof(proofs: Sequence[Proof]) -> dict[str, Any]:
    """How many shims were proven, and every check of each."""
    checks = [{**class_row(p.wrapper), **picked(p, "member", "check", "passed", "detail")} for p in proofs]
    return {**picked(summarise(proofs), "proven", "failed"), "checks": checks}


def class_row(ref: ClassRef) -> dict[str, Any]:
    return {"class": ref.name, "path": ref.path, "line": ref.line}


def _wrapper(wrapper: Wrapper) -> dict[str, Any]:
    held = wrapper.delegate
    delegate = {**picked(held, "attribute", "optional"), "candidates": [class_row(c) for c in held.candidates]}
    return {**class_row(wrapper.cls), "role": wrapper.role, "delegate": delegate}


def _demand(demand: Demand) -> dict[str, Any]:
    sites = [site_row(site) for site in demand.sites]
    return {**picked(demand, "member", "roles", "interfaces"), "sites": sites}


def site_row(site: Site) -> dict[str, Any]:
    return picked(site, "path", "line", "kind", "guarded", "role", "expression")


def _gap(gap: Gap) -> dict[str, Any]:
    return {
        "wrapper": gap.wrapper.cls.name,
        "path": gap.wrapper.cls.path,
        **picked(gap, "member", "severity", "interfaces", "decision"),
        "reason": gap.sentence or None,
        "provider": _provider(gap.providers[0]) if gap.providers else None,
        "sites": [site_row(site) for site in gap.demand.sites],
    }


def _provider(provider: Provider) -> dict[str, Any]:
    return {**class_row(provider.cls), **picked(provider, "line", "kind", "signature")}


def _patches(change: FileChange) -> Iterable[dict[str, Any]]:
    """One entry for each class of a file that gets members."""
    classes = sorted({shim.place for shim in change.shims})
    for place in classes:
        members = sorted(shim.member for shim in change.shims if shim.place == place)
        yield {"path": change.path, "wrapper": place.name, "members": members}
