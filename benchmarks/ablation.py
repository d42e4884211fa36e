"""Takes every hand-written forward out of a release and sees whether it comes back: `make bench-ablation RELEASE=...`.

The forwards are those of `benchmarks/truth/truth-forwards-*.tsv` that the engine demands and every delegate has. All
are cut in one run; what comes back is executed next to what was cut, on one recording delegate.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.analysis import Analysed, analyse, tree
from benchmarks.cuts import Cut, find, removed
from benchmarks.meaning import Both, differences
from benchmarks.releases import ReleaseError
from benchmarks.tables import Row, rows, show
from shimgen.gaps import in_scope
from shimgen.model.domain import Decision, FileChange, Gap, Scope
from shimgen.model.source import Tree
from shimgen.shims import generate

GOAL = 0.95


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one cut: `back`, and whether it then means the `same`; `why` it is not back or not the same.
    `moot`: nothing was missing after the cut, because a base class has the member as well."""

    cut: Cut
    back: bool
    same: bool
    why: str
    moot: bool = False


def listed(release: str) -> list[Row]:
    """The forwards to cut. Raises FileNotFoundError when there is no list for the release."""
    every = rows(f"truth-forwards-{release}.tsv")
    return [row for row in every if row["demanded"] == "yes" and row["delegate_has"] == "all"]


def cuts(source: Tree, wanted: Sequence[Row]) -> list[Cut]:
    """The members of the list, as they stand in the source."""
    found = [find(r["path"], source.read(r["path"]), r["class"], r["member"]) for r in wanted]
    return [cut for cut in found if cut is not None]


def run(source: Tree, members: list[Cut]) -> Iterator[Result]:
    """Cuts all members, analyses what is left, generates, and compares."""
    bare = source.replace(removed({c.path: source.read(c.path) for c in members}, members))
    analysed = analyse(bare)
    scoped = in_scope(analysed.gaps, Scope(severity="all"))
    changes, refused = generate(scoped, analysed.program, bare.read)
    late = {(g.wrapper.cls.path, g.wrapper.cls.name, g.member): g for g in refused}
    gaps = {(g.wrapper.cls.path, g.wrapper.cls.name, g.member): g for g in analysed.gaps} | late
    returned = [_back(cut, gaps.get(_key(cut)), changes) for cut in members]
    told = iter(differences([both for both in returned if both is not None], analysed.program))
    for cut, both in zip(members, returned, strict=True):
        if both is None:
            yield _missed(cut, gaps.get(_key(cut)), analysed)
        else:
            yield Result(cut, True, not (difference := next(told)), difference)


def _key(cut: Cut) -> tuple[str, str, str]:
    return cut.path, cut.cls, cut.name


def _back(cut: Cut, gap: Gap | None, changes: Sequence[FileChange]) -> Both | None:
    if gap is None or gap.decision is Decision.REFUSE:
        return None
    found = (
        Both(cut, gap, change, shim)
        for change in changes
        for shim in change.shims
        if (shim.place, shim.member) == (gap.target, cut.name)
    )
    return next(found, None)


def _missed(cut: Cut, gap: Gap | None, analysed: Analysed) -> Result:
    """Why a cut member did not come back."""
    if gap is not None:
        return Result(cut, False, False, gap.sentence or "it is out of scope")
    wrapper = next((w for w in analysed.wrappers if (w.cls.path, w.cls.name) == (cut.path, cut.cls)), None)
    if wrapper is None:
        return Result(cut, False, False, "without it the class is no wrapper any more")
    inherited = analysed.program.find(wrapper.cls, cut.name)
    if inherited is not None:
        return Result(cut, False, False, f"{inherited[0].name} has it too, and it is inherited", moot=True)
    demanded = any(d.member == cut.name for d in analysed.demands)
    return Result(cut, False, False, "no gap is seen" if demanded else "no demand for it is seen")


def report(release: str) -> bool:
    """Prints the table of one release; whether the goal is met and nothing that came back is wrong."""
    source, wanted = tree(release), listed(release)
    results = list(run(source, cuts(source, wanted)))
    print(f"\nSGLang {release}: {len(wanted)} forwards cut out\n")
    show(
        ("class", "member", "result", "why"),
        [
            (r.cut.cls, r.cut.name, _word(r), r.why or "")
            for r in sorted(results, key=lambda r: (r.cut.path, r.cut.cls))
        ],
    )
    missing = [r for r in results if not r.moot]
    back, same = sum(r.back for r in missing), sum(r.same for r in missing)
    print(f"\n{back} of {len(missing)} back ({back / len(missing):.0%}), {same} of them mean the same")
    return len(results) == len(wanted) and back >= GOAL * len(missing) and back == same


def _word(result: Result) -> str:
    if result.moot:
        return "inherited"
    return ("back" if result.same else "DIFFERS") if result.back else "refused"


def main() -> int:
    """Command line: 1 when the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("release", nargs="+")
    try:
        met = [report(release) for release in parser.parse_args().release]
    except (ReleaseError, FileNotFoundError) as error:
        print(f"bench-ablation: {error}", file=sys.stderr)
        return 2
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
