"""Takes every hand-written forward out of a release and sees whether it comes back: `make bench-ablation RELEASE=...`.

The forwards are those of `benchmarks/truth/truth-forwards-*.tsv` that the engine demands and every delegate has; for a
release without a list, those that `forwards.py` finds. All are cut in one run; what comes back is executed next to what
was cut, on one recording delegate. A row of a list that should not count is argued in docs/truth.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.analysis import Analysed, Key, analyse, generated, tree
from benchmarks.cuts import Cut, find, removed
from benchmarks.forwards import forwards
from benchmarks.meaning import Both, differences
from benchmarks.releases import exit_code
from benchmarks.tables import TRUTH, arguments, rows, show
from shimgen.gaps import engine_facing
from shimgen.gaps.members import Members
from shimgen.model.domain import Decision, FileChange, Gap
from shimgen.model.source import Tree

LIST = "truth-forwards-{}.tsv"
WORDS = ("differs", "refused", "rightly", "not counted", "there", "same")
GOAL = 0.95


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one cut. `word`: "same" and "differs" (it came back, and means that), "refused", "there" (a base
    class has the member as well, so that nothing was missing), "rightly" (it differs, and docs/truth.md says why that
    is right) or "not counted" (and docs/truth.md says why).
    """

    cut: Cut
    word: str
    why: str


def cuts(release: str, source: Tree) -> list[Cut]:
    """The members to cut, as they stand in the source. Raises ValueError when one of a list is not there."""
    listed = _listed(release) if (TRUTH / LIST.format(release)).exists() else _found(analyse(source))
    cut = {key: find(key[0], source.read(key[0]), *key[1:]) for key in listed}
    lost = [f"{cls}.{member}" for (_, cls, member), found in cut.items() if found is None]
    if lost:
        raise ValueError(f"{release} has no {', '.join(lost)}")
    return [found for found in cut.values() if found is not None]


def _listed(release: str) -> list[Key]:
    every = rows(LIST.format(release))
    return [(r["path"], r["class"], r["member"]) for r in every if (r["demanded"], r["delegate_has"]) == ("yes", "all")]


def _found(analysed: Analysed) -> list[Key]:
    """The forwards of a release without a list, where a target is asked for the member and every candidate has it."""
    members = Members(analysed.program, analysed.profile)
    asked = {d.member for d in analysed.demands if set(d.roles) & {"target", "any"}}
    return [
        (f.path, f.cls, f.member)
        for w in engine_facing(analysed.wrappers)
        for f in forwards(analysed.tree, analysed.program, w)
        if f.member in asked and not f.assembled
        if f.member not in (*analysed.profile.models.weight_members, *analysed.profile.models.forward_members)
        if all(members.look(c, f.member).provider for c in w.delegate.candidates) and w.delegate.candidates
    ]


def run(source: Tree, members: list[Cut]) -> Iterator[Result]:
    """Cuts all members, analyses what is left, generates, and compares."""
    bare = source.replace(removed({c.path: source.read(c.path) for c in members}, members))
    analysed = analyse(bare)
    changes, gaps = generated(analysed)
    returned = [_back(cut, gaps.get(_key(cut)), changes) for cut in members]
    told = iter(differences([both for both in returned if both is not None], analysed.program))
    for cut, both in zip(members, returned, strict=True):
        if both is None:
            yield _missed(cut, gaps.get(_key(cut)), analysed)
        else:
            difference = next(told)
            yield Result(cut, "differs" if difference else "same", difference)


def _key(cut: Cut) -> Key:
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
        return Result(cut, "refused", gap.sentence or "it is out of scope")
    wrapper = next((w for w in analysed.wrappers if (w.cls.path, w.cls.name) == (cut.path, cut.cls)), None)
    if wrapper is None:
        return Result(cut, "refused", "without it the class is no wrapper any more")
    left = Members(analysed.program, analysed.profile).look(wrapper.cls, cut.name)
    base = left.external or (left.provider.cls.name if left.provider else "")
    if base:
        return Result(cut, "there", f"{base} has it too, and it is inherited")
    demanded = any(d.member == cut.name and set(d.roles) & {"target", "any"} for d in analysed.demands)
    return Result(cut, "refused", "no gap is seen" if demanded else "no target is asked for it")


def judged(results: Iterable[Result], release: str, source: Tree) -> list[Result]:
    """The results, with the arguments of docs/truth.md."""
    uncounted = arguments("Forwards that do not count", release, source)
    differing = arguments("Forwards that differ, rightly", release, source)
    out: list[Result] = []
    for result in results:
        key = result.cut.cls, result.cut.name
        if key in uncounted:
            result = replace(result, word="not counted", why=uncounted[key])
        elif key in differing and result.word == "differs":
            result = replace(result, word="rightly", why=f"{result.why}; {differing[key]}")
        out.append(result)
    return sorted(out, key=lambda r: (WORDS.index(r.word), _key(r.cut)))


def report(release: str) -> bool:
    """Prints the table of one release; whether the goal is met and nothing that came back is wrong."""
    source = tree(release)
    members = cuts(release, source)
    results = judged(run(source, members), release, source)
    print(f"\nSGLang {release}: {len(members)} forwards cut out\n")
    show(("class", "member", "result", "why"), [(r.cut.cls, r.cut.name, r.word, r.why) for r in results])
    of_class = [r.word for r in results if not r.cut.assigned]
    assigned = [r.word for r in results if r.cut.assigned]
    print(f"\nMembers of the class: {_summary(of_class)}")
    print(f"Assignments of the constructor: {_summary(assigned)}")
    back, counted = _counts(of_class)
    return back >= GOAL * counted and all(r.word != "differs" for r in results)


def _counts(words: Sequence[str]) -> tuple[int, int]:
    """How many came back, of how many that count."""
    back = sum(word in ("same", "differs", "rightly") for word in words)
    return back, back + words.count("refused")


def _summary(words: Sequence[str]) -> str:
    back, counted = _counts(words)
    share = f" ({back / counted:.0%})" if counted else ""
    meaning = (
        f"{words.count('same')} mean the same, {words.count('rightly')} rightly differ, {words.count('differs')} wrong"
    )
    return f"{back} of {counted} back{share}: {meaning}; {words.count('there')} there without the cut"


def main() -> int:
    """Command line: 1 when the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("release", nargs="+")
    wanted = parser.parse_args().release
    return exit_code("ablation", lambda: map(report, wanted))


if __name__ == "__main__":
    sys.exit(main())
