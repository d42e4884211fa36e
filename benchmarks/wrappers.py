"""Every composition wrapper of two releases is found as an independent analysis lists it: `make bench-wrappers`.

A row of `benchmarks/truth/truth-wrappers-*.tsv` that differs, and a class that is found and not listed, must be
argued in docs/truth.md, with a line of the source that is there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.analysis import STACK, tree
from benchmarks.releases import exit_code, releases
from benchmarks.tables import TRUTH, Row, arguments, rows, show
from shimgen.collector import collector_off
from shimgen.index import Index
from shimgen.model.domain import Wrapper
from shimgen.profiles import load
from shimgen.wrappers import find_wrappers

HEADINGS = ("Rows that are wrong", "Classes that the lists lack")
PREFIX = "truth-wrappers-"


@dataclass(frozen=True, slots=True)
class Difference:
    """One column of one class in which list and analysis differ; column "class": one of them has it not at all."""

    cls: str
    path: str
    column: str
    listed: str
    found: str


def listed_releases() -> list[str]:
    """The releases of which there is a list."""
    return [r.version for r in releases(STACK) if (TRUTH / f"{PREFIX}{r.version}.tsv").exists()]


def described(wrapper: Wrapper) -> Row:
    """A wrapper in the columns of the list."""
    delegate = wrapper.delegate
    return {
        "attribute": delegate.attribute,
        "delegates": ",".join(sorted(c.name for c in delegate.candidates)),
        "optional": str(delegate.optional),
        "dynamic": str(not delegate.candidates),
        "entry": str(wrapper.entry),
    }


def differences(found: Mapping[tuple[str, str], Row], listed: list[Row]) -> Iterator[Difference]:
    """Where the analysis and the list disagree, listed rows first."""
    for row in listed:
        mine = found.get((row["path"], row["class"]))
        if mine is None:
            yield Difference(row["class"], row["path"], "class", "listed", "not found")
            continue
        for column, value in mine.items():
            if value != row[column]:
                yield Difference(row["class"], row["path"], column, row[column], value)
    known = {(row["path"], row["class"]) for row in listed}
    for path, name in sorted(set(found) - known):
        yield Difference(name, path, "class", "not listed", found[path, name]["delegates"])


def compare(release: str) -> bool:
    """Prints the differences of one release; false when one of them is not argued, or an argument has no object."""
    source, profile, listed = tree(release), load(STACK), rows(f"{PREFIX}{release}.tsv")
    with collector_off():
        wrappers = find_wrappers(Index(source, profile), profile)
    found = {(w.cls.path, w.cls.name): described(w) for w in wrappers}
    differing = list(differences(found, listed))
    argued = {key: why for heading in HEADINGS for key, why in arguments(heading, release, source).items()}
    wrong = {(d.path, d.cls) for d in differing if d.listed != "not listed"}
    print(f"\n{release}: {len(listed)} listed, {len(listed) - len(wrong)} found as listed, {len(found)} found in all\n")
    body = [(d.cls, d.column, d.listed, d.found, argued.get((d.cls, d.column), "NOT ARGUED")) for d in differing]
    idle = sorted(set(argued) - {(d.cls, d.column) for d in differing})
    body += [(cls, column, "", "no difference", "NOTHING TO ARGUE") for cls, column in idle]
    show(("class", "column", "listed", "found", "argued"), body)
    return not idle and all((d.cls, d.column) in argued for d in differing)


def main() -> int:
    """Command line: 1 when something is neither found as listed nor argued."""
    return exit_code("wrappers", lambda: map(compare, listed_releases()))


if __name__ == "__main__":
    sys.exit(main())
