"""What shimgen says of two releases of vLLM, held to docs/vllm.md and to rows that were read: `make bench-vllm`.

Every table of the page is computed afresh and must be the page's; ten rows of the first were judged by reading the
source (`benchmarks/truth/eagle3-0.16.0.tsv`) and must agree, with the lines they quote; and where a plain scan of the
syntax (`benchmarks/held.py`) finds other wrappers, the page must argue the difference.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.analysis import Analysed, analyse, tree
from benchmarks.held import holders
from benchmarks.releases import exit_code
from benchmarks.tables import Row, documented, quoted, rows, show
from shimgen.cache import Store
from shimgen.gaps import Side, compare, compare_demands, engine_facing
from shimgen.model.domain import ClassRef, Decision, Gap, Scope, Severity, Wrapper
from shimgen.model.reason import Reason
from shimgen.model.source import Tree
from shimgen.model.upgrade import DemandFate, Fate
from shimgen.profiles import load

STACK = "vllm"
OLD, NEW = "0.16.0", "0.20.0"
FEATURE = "SupportsEagle3"
PAGE = "vllm.md"
READ = f"eagle3-{OLD}.tsv"


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the page, under its heading."""

    heading: str
    columns: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]

    def differs(self, listed: Sequence[Row]) -> list[str]:
        """What is in one of the two and not in the other, a line each. The page may have more columns, for remarks."""
        theirs = [tuple(row.get(column, "") for column in self.columns) for row in listed]
        found = [f"not on the page: {' | '.join(row)}" for row in self.body if row not in theirs]
        found += [f"only on the page: {' | '.join(row)}" for row in theirs if row not in self.body]
        return found + [f"no remark: {' | '.join(row.values())}" for row in listed if not all(row.values())]


def kind_of(wrapper: Wrapper) -> str:
    """What is known of a wrapper's delegate."""
    if wrapper.role == "draft":
        return "draft head over a body of its own"
    known = len(wrapper.delegate.candidates)
    if known:
        return "one class" if known == 1 else "several classes"
    return f"unknown: {wrapper.delegate.unknown}"


def counts(old: Analysed, new: Analysed) -> Table:
    """How many wrappers there are of each kind."""
    before, after = (Counter(kind_of(w) for w in side.wrappers) for side in (old, new))
    kinds = sorted(before | after, key=lambda kind: (kind.startswith("unknown"), kind))
    body = [(kind, str(before[kind]), str(after[kind])) for kind in kinds]
    body.append(("all", str(len(old.wrappers)), str(len(new.wrappers))))
    return Table("Wrappers", ("delegate", OLD, NEW), tuple(body))


def standing(analysed: Analysed) -> dict[tuple[str, str], tuple[str, str]]:
    """How each wrapper that the engine can hold stands to the feature: in a word, and by which class or why."""
    gaps = {gap.wrapper.cls: gap for gap in analysed.gaps if gap.member == FEATURE}
    return {(w.cls.name, w.cls.path): _stands(analysed, w, gaps.get(w.cls)) for w in engine_facing(analysed.wrappers)}


def _stands(analysed: Analysed, wrapper: Wrapper, gap: Gap | None) -> tuple[str, str]:
    if gap is None:
        return "supports it", f"base of {_bearer(analysed, wrapper.cls)}"
    if gap.decision is not Decision.REFUSE:
        return "adopted", f"from {', '.join(c.name for c in wrapper.delegate.candidates)}"
    if gap.reason is Reason.UNSUPPORTED:
        return "refused", f"{gap.detail['lacking']} lacks it"
    if gap.reason is Reason.UNKNOWN_DELEGATE:
        return "unknown", gap.detail["why"]
    return "refused", gap.sentence


def _bearer(analysed: Analysed, ref: ClassRef) -> str:
    """The farthest class from which the feature is inherited, of those that are not interfaces themselves."""
    order = analysed.program.mro(ref).classes
    return [c.name for c in order if any(b.name == FEATURE for b in analysed.program.mro(c).classes[1:])][-1]


def support(analysed: Analysed) -> Table:
    """The feature, wrapper by wrapper: those together that stand to it in the same way."""
    together: dict[tuple[str, str], list[str]] = {}
    for (name, _), stands in standing(analysed).items():
        together.setdefault(stands, []).append(name)
    body = [(*stands, ", ".join(sorted(names))) for stands, names in sorted(together.items())]
    return Table(f"EAGLE-3 at {OLD}", ("stands", "by", "classes"), tuple(body))


def summary(old: Analysed, new: Analysed) -> Table:
    """How often each standing occurs."""
    before, after = (Counter(stands for stands, _ in standing(side).values()) for side in (old, new))
    return Table(
        "EAGLE-3", ("stands", OLD, NEW), tuple((s, str(before[s]), str(after[s])) for s in sorted(before | after))
    )


def taken_over(old: Analysed, new: Analysed) -> Table:
    """Wrappers that have the feature by upstream's hand, and what shimgen said of each before."""
    fates, _ = compare(_side(old), _side(new), new.profile, Scope(severity="all"))
    before, after = standing(old), standing(new)
    owned = {fate.wrapper.name for fate in fates if fate.member == FEATURE and fate.fate is Fate.OWN}
    body = []
    for key, (stands, by) in sorted(after.items()):
        if stands == "supports it" and (key[0] in owned or key not in before):
            said = "not there yet" if key not in before else ": ".join(before[key])
            body.append((key[0], said, by))
    return Table(f"EAGLE-3 by upstream's hand at {NEW}", ("class", f"at {OLD}", f"at {NEW}"), tuple(body))


def renames(old: Analysed, new: Analysed) -> Table:
    """Members that look renamed."""
    found = compare_demands(old.demands, new.demands, Scope(severity="all"))
    body = [(c.before, c.member) for c in found if c.fate is DemandFate.RENAMED and c.before]
    return Table("Renamed", (OLD, NEW), tuple(sorted(body)))


def drift(old: Analysed, new: Analysed) -> Table:
    """Members that are there and wrong."""
    body = [
        (release, gap.wrapper.cls.name, gap.member, gap.reason.name, f"`{gap.detail['place']}`")
        for release, side in ((OLD, old), (NEW, new))
        for gap in side.gaps
        if gap.severity is Severity.DRIFT and gap.reason is not None
    ]
    return Table("Drift", ("release", "class", "member", "reason", "place"), tuple(sorted(body)))


def _side(analysed: Analysed) -> Side:
    return Side(analysed.program, analysed.wrappers, analysed.demands, analysed.gaps)


def misread(found: Mapping[tuple[str, str], tuple[str, str]], source: Tree, read: Sequence[Row]) -> Iterator[str]:
    """Rows judged by reading that the analysis contradicts, or that quote what is not there."""
    for row in read:
        stands = found.get((row["class"], row["path"]), ("no wrapper", ""))
        if stands != (row["stands"], row["by"]):
            yield f"{row['class']}: read as {row['stands']}, {row['by']}; found {', '.join(stands)}"
        missing = [reference for reference in row["source"].split(" ; ") if not quoted(reference, source)]
        yield from (f"{row['class']}: the release does not say {reference}" for reference in missing)


def unlike_scan(analysed: Analysed) -> dict[str, str]:
    """The classes that only the plain scan, or only the analysis, takes for a wrapper: name to which of the two."""
    plain = set(holders(analysed.tree))
    mine = {(w.cls.path, w.cls.name) for w in analysed.wrappers}
    found = {name: "only the scan" for _, name in plain - mine} | {name: "only shimgen" for _, name in mine - plain}
    return dict(sorted(found.items()))


def unargued(release: str, analysed: Analysed) -> Iterator[str]:
    """Differences from the scan that the page does not argue with a line of the release, and idle arguments."""
    found = unlike_scan(analysed)
    listed = {
        name: row["found by"]
        for row in documented(PAGE, "Against a plain scan")
        for name in row["classes"].split(", ")
        if release in row["release"].split(", ")
        and any(quoted(reference, analysed.tree) for reference in row["source"].split(" ; "))
    }
    yield from (f"{release}: {name}, {by}: not argued" for name, by in found.items() if listed.get(name) != by)
    yield from (f"{release}: {name}: nothing to argue" for name in listed if name not in found)


def tables(old: Analysed, new: Analysed) -> tuple[Table, ...]:
    """All tables of the page that are computed."""
    return (
        counts(old, new),
        summary(old, new),
        support(old),
        taken_over(old, new),
        renames(old, new),
        drift(old, new),
    )


def faults(old: Analysed, new: Analysed, computed: Sequence[Table]) -> list[str]:
    """Everything in which page, reviewed rows and releases disagree."""
    found = [f"{t.heading}: {line}" for t in computed for line in t.differs(documented(PAGE, t.heading))]
    found += [f"{READ}: {line}" for line in misread(standing(old), old.tree, rows(READ))]
    return found + [line for release, side in ((OLD, old), (NEW, new)) for line in unargued(release, side)]


def report() -> bool:
    """Prints the tables; whether nothing differs."""
    store = Store(load(STACK))
    old, new = (analyse(tree(release, STACK), store, STACK) for release in (OLD, NEW))
    computed = tables(old, new)
    for table in computed:
        print(f"\n{table.heading}\n")
        show(table.columns, table.body)
    wrong = faults(old, new, computed)
    print(f"\n{len(rows(READ))} rows of {READ} read, {len(wrong)} differences")
    print("".join(f"{line}\n" for line in wrong), end="")
    return not wrong


def main() -> int:
    """Command line: 1 when something differs."""
    return exit_code("vllm", lambda: [report()])


if __name__ == "__main__":
    sys.exit(main())
