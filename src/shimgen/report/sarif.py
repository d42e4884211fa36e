"""A verdict as SARIF 2.1.0 (OASIS standard "Static Analysis Results Interchange Format"), for code scanning in CI."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import shimgen
from shimgen.model.carried import CarriedPatch
from shimgen.model.domain import Decision, Gap, Severity
from shimgen.model.results import Analysis, Stale, Verdict
from shimgen.report.text import because

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_STALE, _CARRIED = "stale", "carried"
_RULES = {
    Severity.CRASH: ("error", "The engine uses what the model lacks, without a guard"),
    Severity.SILENT: ("warning", "The engine probes for what the model lacks, and does without"),
    Severity.DRIFT: ("warning", "A member is there and wrong: a call or a forward no longer fits"),
    _STALE: ("error", "A shim stands in the checkout that would not be written today"),
    _CARRIED: ("error", "A carried patch is not in the checkout"),
}
_NUMBERS = {str(rule): number for number, rule in enumerate(_RULES)}
_LEVELS = {str(rule): level for rule, (level, _) in _RULES.items()}


def render(analysis: Analysis, verdict: Verdict, strict: bool = False) -> str:
    """One SARIF log and a final newline. Refused gaps are notes unless `strict` counts them, accepted ones are
    suppressed; a file that was left out is a notification of the run."""
    results = [
        *(_gap(gap) for gap in verdict.pending),
        *(_gap(gap, "" if strict else "note") for gap in verdict.refused),
        *({**_gap(gap), "suppressions": [{"kind": "external", "justification": why}]} for gap, why in verdict.accepted),
        *(_stale(stale) for stale in verdict.stale),
        *(_carried(patch) for patch in verdict.carried if not patch.stands),
    ]
    skipped = analysis.stats.skipped
    told = [
        {"level": "warning", **_said(f"left out: {s.reason}"), "locations": [_place(s.path, s.line)]} for s in skipped
    ]
    run = {
        "tool": {"driver": {"name": "shimgen", "semanticVersion": shimgen.__version__, "rules": list(_rules())}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": told}],
        "results": results,
        "properties": {"baseline": analysis.baseline.id, "profile": analysis.profile_name},
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rules() -> Iterator[dict[str, Any]]:
    for rule, (level, text) in _RULES.items():
        yield {"id": rule, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}


def _gap(gap: Gap, level: str = "") -> dict[str, Any]:
    refused = gap.decision is Decision.REFUSE
    what = f"refused: {gap.sentence}" if refused else f"{gap.severity.value}, could be closed: {because(gap)}"
    name = f"{gap.wrapper.cls.name}.{gap.member}"
    return {
        **_result(gap.severity.value, level, f"{name}: {what}", name, gap.wrapper.cls.path, gap.wrapper.cls.line),
        "relatedLocations": [
            {"id": number, **_said(f"{site.kind.value} {site.expression}"), **_place(site.path, site.line)}
            for number, site in enumerate(gap.demand.sites)
        ],
        "properties": {"decision": gap.decision.value, "interfaces": list(gap.interfaces)},
    }


def _stale(stale: Stale) -> dict[str, Any]:
    name = f"{stale.cls.name}.{stale.member}"
    return _result(_STALE, "", f"{name}: {stale.why}", name, stale.cls.path, stale.line)


def _carried(patch: CarriedPatch) -> dict[str, Any]:
    where = [(conflict.path, conflict.line) for conflict in patch.conflicts] or [(path, 0) for path in patch.paths]
    return _result(_CARRIED, "", f"{patch.name}: {patch.sentence}", patch.name, *where[0])


def _result(rule: str, level: str, text: str, name: str, path: str, line: int) -> dict[str, Any]:
    """A result, which is the same one in another run as long as rule, file and name are the same."""
    return {
        "ruleId": rule,
        "ruleIndex": _NUMBERS[rule],
        "level": level or _LEVELS[rule],
        **_said(text),
        "locations": [{**_place(path, line), "logicalLocations": [{"fullyQualifiedName": name}]}],
        "partialFingerprints": {"shimgen/1": f"{rule} {path} {name}"},
    }


def _said(text: str) -> dict[str, Any]:
    return {"message": {"text": text}}


def _place(path: str, line: int) -> dict[str, Any]:
    uri = quote(path.encode("utf-8", "surrogateescape"))
    region = {"region": {"startLine": line}} if line else {}
    return {"physicalLocation": {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}, **region}}
