"""A sample of gaps at one release, each judged by reading the source: `make bench-precision`.

`--draw` prints a fresh sample to judge: at random with a fixed seed, so many of each decision and of each reason of a
refusal that all of them appear. Without it, the committed judgements are held against what the analysis says today.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.analysis import Key, analyse, generated, tree
from benchmarks.releases import exit_code
from benchmarks.tables import Row, rows
from shimgen.model.domain import Decision, Gap

RELEASE = "0.5.9"
TABLE = f"precision-{RELEASE}.tsv"
SEED = 59
SIZE = 60
GOAL = 57
# Of each group at least so many, and a forward counts as much as five refusals when the rest is drawn.
LEAST = 2
WEIGHT = 5


def gaps(release: str = RELEASE) -> dict[Key, Gap]:
    """Every gap of the release, as it was decided last."""
    return generated(analyse(tree(release)))[1]


def group(gap: Gap) -> str:
    """What the sample shall have some of: a decision with its severity, or the reason of a refusal."""
    if gap.decision is Decision.REFUSE and gap.reason is not None:
        return gap.reason.name
    return f"{gap.decision.value} {gap.severity.value}"


def draw(found: Iterable[Gap], size: int = SIZE) -> list[Gap]:
    """The sample, sorted. It depends on the gaps and the seed alone."""
    chance = random.Random(SEED)  # noqa: S311 (no secret)
    by_group: dict[str, list[Gap]] = {}
    for gap in sorted(found, key=lambda g: (g.wrapper.cls, g.member)):
        by_group.setdefault(group(gap), []).append(gap)
    chosen = [g for name in sorted(by_group) for g in chance.sample(by_group[name], min(LEAST, len(by_group[name])))]
    rest = [g for name in sorted(by_group) for g in by_group[name] if g not in chosen]
    while len(chosen) < size and rest:
        weights = [1 if g.decision is Decision.REFUSE else WEIGHT for g in rest]
        chosen.append(rest.pop(chance.choices(range(len(rest)), weights)[0]))
    return sorted(chosen, key=lambda g: (group(g), g.wrapper.cls, g.member))


def described(gap: Gap) -> Row:
    """What a judgement is about."""
    cls = gap.wrapper.cls
    return {"wrapper": cls.name, "path": cls.path, "member": gap.member, "severity": gap.severity.value} | {
        "decision": gap.decision.value,
        "reason": gap.reason.name if gap.reason else "",
    }


def changed(judged: Sequence[Row], found: Mapping[Key, Gap]) -> list[str]:
    """The judgements that are about something else than the analysis says today."""
    out: list[str] = []
    for row in judged:
        gap = found.get((row["path"], row["wrapper"], row["member"]))
        today = described(gap) if gap is not None else {}
        if any(today.get(column) != row[column] for column in ("severity", "decision", "reason")):
            now = f"{today['severity']} {today['decision']} {today['reason']}" if today else "no gap"
            then = f"{row['severity']} {row['decision']} {row['reason']}"
            out.append(f"{row['wrapper']}.{row['member']} was judged as {then}, and is {now}")
    return out


def report() -> bool:
    """Prints how many of the judged gaps are true, and what is no longer as it was judged."""
    judged = rows(TABLE)
    differing = changed(judged, gaps())
    true = sum(row["judgement"] == "true" for row in judged)
    print(f"\nSGLang {RELEASE}: {true} of {len(judged)} gaps that were drawn at random are true")
    for row in judged:
        if row["judgement"] != "true":
            print(f"  {row['judgement']}: {row['wrapper']}.{row['member']}: {row['why']}")
    for line in differing:
        print(f"  {line}")
    return true >= GOAL and not differing


def show_sample() -> bool:
    """Prints a sample to judge."""
    for gap in draw(gaps().values()):
        print("\t".join([*described(gap).values(), "", gap.sentence]))
    return True


def main() -> int:
    """Command line: 1 when too few are true or one is no longer as it was judged."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.precision", description=__doc__)
    parser.add_argument("--draw", action="store_true", help="print a sample to judge")
    drawn = parser.parse_args().draw
    return exit_code("precision", lambda: [show_sample() if drawn else report()])


if __name__ == "__main__":
    sys.exit(main())
