"""Two revisions compared, as JSON, schema "shimgen-upgrade/1" (docs/json.md, docs/shimgen-upgrade-1.schema.json)."""

from __future__ import annotations

import json
from typing import Any

from shimgen.model.upgrade import DemandChange, MemberFate, Revision, Upgrade
from shimgen.report.json import STATS, carried_row, class_row, site_row, skipped_rows

SCHEMA = "shimgen-upgrade/1"


def render(upgrade: Upgrade) -> str:
    """One JSON object and a final newline."""
    document = {
        "schema": SCHEMA,
        "profile": upgrade.profile_name,
        "old": _revision(upgrade.old),
        "new": _revision(upgrade.new),
        "members": [_member(fate) for fate in upgrade.members],
        "wrappers": [
            {
                **class_row(change.cls),
                "verdict": change.fate.value,
                "before": class_row(change.old) if change.old else None,
            }
            for change in upgrade.wrappers
        ],
        "carried": [{"old": carried_row(change.old), "new": carried_row(change.new)} for change in upgrade.carried],
        "demands": [_demand(change) for change in upgrade.demands],
    }
    return json.dumps(document, indent=2) + "\n"


def _revision(revision: Revision) -> dict[str, Any]:
    baseline, stats = revision.baseline, revision.stats
    return {
        "revision": revision.name,
        "baseline": {"kind": baseline.kind, "id": baseline.id, "dirty": list(baseline.dirty)},
        "skipped": skipped_rows(stats),
        "stats": {name: getattr(stats, name) for name in STATS},
    }


def _member(fate: MemberFate) -> dict[str, Any]:
    return {
        "wrapper": fate.wrapper.name,
        "path": fate.wrapper.path,
        "line": fate.wrapper.line,
        "member": fate.member,
        "verdict": fate.fate.value,
        "was": fate.was.value if fate.was is not None else None,
        "pending": not fate.stays,
        "severity": fate.severity.value,
        "interfaces": list(fate.interfaces),
        "old": fate.old or None,
        "new": fate.new or None,
        "why": fate.why or None,
    }


def _demand(change: DemandChange) -> dict[str, Any]:
    return {
        "member": change.member,
        "change": change.fate.value,
        "before": change.before or None,
        "interfaces": list(change.interfaces),
        "roles": list(change.roles),
        "old": _asked(change.old, change.old_severity),
        "new": _asked(change.new, change.new_severity),
        "sites": [site_row(one) for one in change.sites],
    }


def _asked(uses: tuple[str, ...], severity: Any) -> dict[str, Any] | None:
    return {"severity": severity.value, "uses": list(uses)} if severity is not None else None
