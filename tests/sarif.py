"""What SARIF 2.1.0 says of the part of it that shimgen writes.

None of the locked packages carries the published schema, so its constraints are written out here: names, types, values,
what is required, where items have to differ. This is stricter than the standard: what shimgen does not write is not
allowed, and what it always writes is required.
"""

from __future__ import annotations

from typing import Any


def closed(required: str, optional: str = "", **properties: Any) -> dict[str, Any]:
    """The schema of an object that has the required properties, and no others but the optional ones."""
    names = [*required.split(), *optional.split()]
    assert set(properties) <= set(names)
    said = {name: properties.get(name, True) for name in names}
    return {"type": "object", "properties": said, "required": required.split(), "additionalProperties": False}


def many(items: Any, different: bool = False) -> dict[str, Any]:
    """The schema of an array; of items that differ from each other, where the standard says so."""
    return {"type": "array", "items": items, "uniqueItems": different}


# Names and types as SARIF 2.1.0 has them (sections 3.13 log, 3.14 run, 3.19 component, 3.20 invocation, 3.27 result,
# 3.28 location, 3.29 physical location, 3.35 suppression, 3.49 rule, 3.58 notification).
NAME = {"type": "string", "minLength": 1}
TEXT = closed("text", text=NAME)
LEVEL = {"enum": ["none", "note", "warning", "error"]}
PHYSICAL = closed(
    "artifactLocation",
    "region",
    artifactLocation=closed("uri uriBaseId", uri={"type": "string", "pattern": "^[!-~]+$"}, uriBaseId=NAME),
    region=closed("startLine", startLine={"type": "integer", "minimum": 1}),
)
RULE = closed(
    "id shortDescription defaultConfiguration",
    id=NAME,
    shortDescription=TEXT,
    defaultConfiguration=closed("level", level=LEVEL),
)
RESULT = closed(
    "ruleId ruleIndex level message locations partialFingerprints",
    "relatedLocations suppressions properties",
    ruleId=NAME,
    ruleIndex={"type": "integer", "minimum": -1},
    level=LEVEL,
    message=TEXT,
    locations=many(
        closed(
            "physicalLocation logicalLocations",
            physicalLocation=PHYSICAL,
            logicalLocations=many(closed("fullyQualifiedName", fullyQualifiedName=NAME), different=True),
        )
    ),
    relatedLocations=many(
        closed(
            "id message physicalLocation",
            id={"type": "integer", "minimum": 0},
            message=TEXT,
            physicalLocation=PHYSICAL,
        ),
        different=True,
    ),
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
    suppressions=many(
        closed("kind justification", kind={"enum": ["inSource", "external"]}, justification=NAME), different=True
    ),
)
NOTIFICATION = closed(
    "message level locations",
    level=LEVEL,
    message=TEXT,
    locations=many(closed("physicalLocation", physicalLocation=PHYSICAL), different=True),
)
RUN = closed(
    "tool invocations results properties",
    tool=closed(
        "driver",
        driver=closed("name semanticVersion rules", name=NAME, semanticVersion=NAME, rules=many(RULE, different=True)),
    ),
    invocations=many(
        closed(
            "executionSuccessful toolExecutionNotifications",
            executionSuccessful={"type": "boolean"},
            toolExecutionNotifications=many(NOTIFICATION),
        )
    ),
    results=many(RESULT),
)
LOG = closed("$schema version runs", version={"const": "2.1.0"}, runs=many(RUN))
