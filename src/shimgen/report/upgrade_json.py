"""Two revisions compared, as JSON, schema "shimgen-upgrade/1" (docs/json.md, docs/shimgen-upgrade-1.schema.json)."""

from __future__ import annotations

import json
from typing import Any

from shimgen.model.domain import Severity
from shimgen.model.upgrade import DemandChange, MemberFate, Revision, Upgrade
from shimgen.report.json import BASELINE, STATS, carried_row, class_row, picked, site_row, skipped_rows

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
                "verdict": change.fate,
                "before": class_row(change.old) if change.old else None,
            }
            for change in upgrade.wrappers
        ],
        "carried": [{"old": carried_row(change.old), "new": carried_row(change.new)} for change in upgrade.carried],
        "demands": [_demand(change) for change in upgrade.demands],
    }
    return json.dumps(document, indent=2) + "\n"


def _revision(revision: Revision) -> dict[str, Any]:
    return {
        "revision": revision.name,
        "baseline": picked(revision.baseline, *BASELINE),
        "skipped": skipped_rows(revision.stats),
        "stats": picked(revision.stats, *STATS),
    }


def _member(fate: MemberFate) -> dict[str, Any]:
    return {
        "wrapper": fate.wrapper.name,
        "path": fate.wrapper.path,
        "line": fate.wrapper.line,
        "member": fate.member,
        "verdict": fate.fate,
        "was": fate.was,
        "pending": not fate.stays,
        **picked(fate, "severity", "interfaces"),
        "old": fate.old or None,
        "new": fate.new or None,
        "why": fate.why or None,
    }


def _demand(change: DemandChange) -> dict[str, Any]:
    return {
        "member": change.member,
        "change": change.fate,
        "before": change.before or None,
        **picked(change, "interfaces", "roles"),
        "old": _asked(change.old, change.old_severity),
        "new": _asked(change.new, change.new_severity),
        "sites": [site_row(one) for one in change.sites],
    }


def _asked(uses: tuple[str, ...], severity: Severity | None) -> dict[str, Any] | None:
    return {"severity": severity, "uses": uses} if severity is not None else None
