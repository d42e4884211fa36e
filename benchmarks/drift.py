"""What three releases have that is there and wrong, each finding read and argued: `make bench-drift`.

Every finding must have a row in docs/drift.md that quotes the line of the source, and every row a finding.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from benchmarks.analysis import STACK, analyse, tree
from benchmarks.releases import exit_code
from benchmarks.tables import documented, quoted, show
from shimgen.model.domain import Gap, Severity
from shimgen.model.source import Tree

HEADING = "What is wrong in three releases"
Finding = tuple[str, str, str, str]
"""Class, member, name of the reason, path:line."""


def described(gaps: Iterable[Gap]) -> list[Finding]:
    """The findings among the gaps, sorted."""
    drift = (gap for gap in gaps if gap.severity is Severity.DRIFT and gap.reason is not None)
    return sorted((g.wrapper.cls.name, g.member, g.reason.name if g.reason else "", g.detail["place"]) for g in drift)


def argued(release: str, source: Tree) -> dict[Finding, str]:
    """What docs/drift.md says of a release; only rows whose quote is in the source count."""
    return {
        (row["class"], row["member"], row["reason"], row["source"].strip("`").partition("`")[0]): row["what it does"]
        for row in documented("drift.md", HEADING)
        if row["release"] == release and quoted(row["source"], source)
    }


def judged_releases() -> list[str]:
    """The releases that docs/drift.md speaks of, in the order of the page."""
    return list(dict.fromkeys(row["release"] for row in documented("drift.md", HEADING)))


def compare(release: str) -> bool:
    """Prints the findings of one release; false when one of them is not argued, or a row finds nothing."""
    source = tree(release)
    found, known = described(analyse(source).gaps), argued(release, source)
    print(f"\n{release}: {len(found)} found, {len(set(found) & set(known))} of them judged\n")
    body = [(*finding, known.get(finding, "NOT JUDGED")) for finding in found]
    body += [(*finding, "NOT FOUND") for finding in sorted(set(known) - set(found))]
    show(("class", "member", "reason", "source", "what it does"), body)
    return set(found) == set(known)


def main() -> int:
    """Command line: 1 when a release differs from the page."""
    print(f"{STACK}: members that are there and wrong")
    return exit_code("drift", lambda: map(compare, judged_releases()))


if __name__ == "__main__":
    sys.exit(main())
