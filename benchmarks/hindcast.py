"""Which forwards that later releases added were due before, and emitted: `make bench-hindcast FROM=... TO=...`.

A forward counts when its wrapper existed at FROM, in the same file or under the same name in another. It was due when
the engine demanded the member at FROM, every delegate provided it, and the wrapper did not.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from benchmarks.analysis import STACK, Analysed, Key, analyse, generated, tree
from benchmarks.cuts import Cut
from benchmarks.cuts import find as find_member
from benchmarks.forwards import Forward, forwards
from benchmarks.meaning import Both, differences
from benchmarks.releases import exit_code, find, releases
from benchmarks.tables import arguments, show
from shimgen.cache import Store
from shimgen.collector import collector_off
from shimgen.index import Index
from shimgen.model.domain import Decision, FileChange, Gap, Shim, Wrapper
from shimgen.model.reason import Reason
from shimgen.profiles import load
from shimgen.wrappers import find_wrappers

Arguments = Mapping[tuple[str, str], str]
Made = tuple[FileChange, Shim]
MEANING = {"emitted": "emitted", "refused": "refused, and nothing argues for it", "argued": "rightly refused"}
# Reasons that say that the delegate does not have the member, or not in every form that it can take.
NOT_BELOW = frozenset((Reason.ABSENT, Reason.PARTIAL, Reason.HOLLOW))


@dataclass(frozen=True, slots=True)
class Added:
    """A forward that is new in `release`, on a wrapper that FROM has under `wrapper`; `cut`: as it stands there."""

    forward: Forward
    release: str
    wrapper: Wrapper
    cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word`: "emitted", "refused", "argued" (refused, and docs/truth.md says why that is right) or "not due". `shim`:
    what was emitted."""

    added: Added
    word: str
    why: str = ""
    shim: Both | None = None


def between(start: str, end: str) -> list[str]:
    """The listed releases after `start`, up to `end`. Raises ReleaseError for one that is not listed."""
    versions = [r.version for r in releases(STACK)]
    first, last = (versions.index(find(v, STACK).version) for v in (start, end))
    return versions[first + 1 : last + 1]


def added(base: Analysed, later: list[str], store: Store) -> Iterator[Added]:
    """The forwards that are new in one of the later releases, each where it appears first."""
    old = {(f.path, f.cls, f.member) for w in base.wrappers for f in forwards(base.tree, base.program, w)}
    seen: set[tuple[str, str]] = set()
    for release in later:
        for forward, cut in _of(release, store):
            wrapper = matched(forward, base.wrappers)
            if wrapper is None or forward.member in base.profile.models.weight_members:
                continue
            if forward.assembled and not any((g.wrapper, g.member) == (wrapper, forward.member) for g in base.gaps):
                continue  # one of the many other methods that use the delegate
            key = (wrapper.cls.name, forward.member)
            if (wrapper.cls.path, *key) not in old and key not in seen:
                seen.add(key)
                yield Added(forward, release, wrapper, cut)


def _of(release: str, store: Store) -> list[tuple[Forward, Cut | None]]:
    source, profile = tree(release), load(STACK)
    with collector_off():
        program = Index(source, profile, "", store)
        wrappers = find_wrappers(program, profile)
    found = [f for w in wrappers for f in forwards(source, program, w)]
    return [(f, find_member(f.path, source.read(f.path), f.cls, f.member)) for f in found]


def matched(forward: Forward, wrappers: tuple[Wrapper, ...]) -> Wrapper | None:
    """The wrapper that holds the forward later: in the same file, or the only one of that name in another."""
    named = [w for w in wrappers if w.cls.name == forward.cls]
    same = [w for w in named if w.cls.path == forward.path]
    return next(iter(same or named), None) if len(same or named) == 1 else None


def judged(
    base: Analysed, gaps: Mapping[Key, Gap], shims: Mapping[Key, Made], item: Added, argued: Arguments
) -> Verdict:
    """What shimgen made of it at FROM."""
    cls, member = item.wrapper.cls, item.forward.member
    gap = gaps.get((cls.path, cls.name, member))
    if gap is None:
        return Verdict(item, "not due", _unasked(base, item))
    if gap.decision is not Decision.REFUSE:
        made = shims.get((gap.target.path, gap.target.name, member))
        if made is None:
            return Verdict(item, "refused", "nothing was generated")
        return Verdict(item, "emitted", shim=Both(item.cut, gap, *made) if item.cut is not None else None)
    if gap.reason in NOT_BELOW:
        return Verdict(item, "not due", gap.sentence)
    why = argued.get((cls.name, member), "")
    return Verdict(item, "argued" if why else "refused", f"{gap.sentence}{why and f'; {why}'}")


def _unasked(base: Analysed, item: Added) -> str:
    """Why there is no gap; a member that no demand names is looked for in the engine's text as well."""
    cls, member = item.wrapper.cls, item.forward.member
    if any(d.member == member and set(d.roles) - {"draft", "encoder"} for d in base.demands):
        return f"{cls.name} had {member} already"
    word = re.compile(rb"""[."']%s\b""" % re.escape(member).encode())
    paths = base.program.use_paths()
    place = next((p for p in paths if word.search(base.tree.read(p))), "")
    return f"no target is asked for it{f' ({place} names it)' if place else ''}"


def run(start: str, end: str) -> list[Verdict]:
    """The verdicts on all forwards that were added between two releases."""
    store = Store(load(STACK))
    base = analyse(tree(start), store)
    changes, gaps = generated(base)
    shims = {(s.place.path, s.place.name, s.member): (change, s) for change in changes for s in change.shims}
    argued = arguments("Refusals that are right", start, base.tree)
    verdicts = [judged(base, gaps, shims, item, argued) for item in added(base, between(start, end), store)]
    return compared(base, verdicts)


def compared(base: Analysed, verdicts: list[Verdict]) -> list[Verdict]:
    """The verdicts; those on what was emitted say how it differs, when run, from what upstream wrote later."""
    told = iter(differences([v.shim for v in verdicts if v.shim is not None], base.program))
    return [v if v.shim is None else replace(v, why=next(told) or "means the same") for v in verdicts]


def report(start: str, end: str, verdicts: list[Verdict]) -> bool:
    """Prints the table; whether all that was due was emitted or is rightly refused."""
    order = (*MEANING, "not due")
    counts = Counter(v.word for v in verdicts)
    due = len(verdicts) - counts["not due"]
    print(f"\nFrom {start} to {end}: {len(verdicts)} forwards were added to wrappers of {start}; {due} were due:")
    print(", ".join(f"{counts[word]} {MEANING[word]}" for word in order[:3]) + "\n")
    body = sorted(verdicts, key=lambda v: (order.index(v.word), v.added.wrapper.cls.name, v.added.forward.member))
    show(
        ("wrapper", "member", "added in", "at FROM", ""),
        [(v.added.wrapper.cls.name, v.added.forward.member, v.added.release, v.word, v.why) for v in body],
    )
    return not counts["refused"]


def main() -> int:
    """Command line: 1 when something that was due was neither emitted nor rightly refused."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hindcast", description=__doc__)
    parser.add_argument("start", metavar="FROM")
    parser.add_argument("end", metavar="TO")
    options = parser.parse_args()
    start, end = options.start, options.end
    return exit_code("hindcast", lambda: [report(start, end, run(start, end))])


if __name__ == "__main__":
    sys.exit(main())
