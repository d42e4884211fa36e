"""Analyses as text for a person: pure, values in and a string out. `paint` colours a part by its role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from shimgen.model.accepts import Accept
from shimgen.model.carried import CarriedPatch, CarriedState
from shimgen.model.domain import ClassRef, Decision, Gap, Severity, Site, Wrapper
from shimgen.model.results import Analysis, Outcome, Proof, Verdict, summarise
from shimgen.model.source import Stats

FEW = 10
Paint = Callable[[str, str], str]


def plain(role: str, text: str) -> str:
    """The paint that leaves every text as it is. Roles: name, crash, silent, drift, forward, refuse, faint."""
    return text


def count(number: int, noun: str) -> str:
    """`1 gap`, `2 gaps`, `1,404 files`, `2 classes`."""
    plural = noun if number == 1 else noun + ("es" if noun.endswith("s") else "s")
    return f"{number:,} {plural}"


def scan(analysis: Analysis, paint: Paint = plain, verbose: bool = False) -> str:
    """Wrappers with their gaps as a table, and the totals; `verbose` adds complete wrappers and all demands."""
    gaps: dict[Wrapper, tuple[Gap, ...]] = {}
    for gap in analysis.gaps:
        gaps[gap.wrapper] = (*gaps.get(gap.wrapper, ()), gap)
    blocks = [
        "\n".join(_wrapper_block(wrapper, gaps.get(wrapper, ()), paint))
        for wrapper in analysis.wrappers
        if verbose or wrapper in gaps
    ]
    if verbose:
        blocks.append("\n".join(_demand_lines(analysis, paint)))
    return "\n\n".join([*blocks, "\n".join(totals(analysis))]) + "\n"


def notes(stats: Stats) -> tuple[str, ...]:
    """What a person should know besides the result: files that were left out, and why."""
    return tuple(f"left out {place(s.path, s.line)}: {s.reason}" for s in stats.skipped)


def costs(stats: Stats) -> tuple[str, ...]:
    """Where the time went, which files were read for it, and what was wrong with the cache."""
    files = (
        f"{count(stats.files, 'file')}: {stats.parsed:,} parsed, {stats.cached:,} known, {stats.filtered:,} not needed"
    )
    spent = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in stats.stages)
    return tuple(filter(None, (files, spent, stats.trouble)))


def left_to_a_person(analysis: Analysis) -> tuple[str, ...]:
    """What a patch does not close, one sentence each; or their number alone, when nobody would read them all."""
    found = tuple(folded(analysis.refused))
    if len(found) > FEW:
        return (f"{count(len(analysis.refused), 'gap')} in scope are refused, each with its reason in: shimgen scan",)
    return tuple(f"{_class(gap)}: not forwarded: {sentence}" for gap, sentence in found)


def by_severity(gaps: Iterable[Gap]) -> list[Gap]:
    """Gaps with the worst first, else in their order."""
    order = tuple(Severity)
    return sorted(gaps, key=lambda gap: order.index(gap.severity))


def folded(refused: Iterable[Gap]) -> Iterator[tuple[Gap, str]]:
    """Refusals of one wrapper, reason and severity as one: the first gap, and a sentence that names all members."""
    groups: dict[tuple[Wrapper, Severity, str], list[Gap]] = {}
    for gap in refused:
        groups.setdefault((gap.wrapper, gap.severity, replace(gap, member="\0").sentence), []).append(gap)
    for group in groups.values():
        members = ", ".join(gap.member for gap in group)
        sentence = replace(group[0], member=members).sentence
        yield group[0], sentence if members in sentence else f"{members}: {sentence}"


def place(path: str, line: int = 0) -> str:
    """`path:line`, or the path alone when no line is known."""
    return f"{path}:{line}" if line else path


def check(verdict: Verdict, strict: bool = False, paint: Paint = plain) -> str:
    """One line for each finding, in the form `path:line: Class.member: what`, and the totals."""
    lines = [f"{_where(gap)}: {gap.severity.value}, could be closed: {because(gap)}" for gap in verdict.pending]
    lines += [f"{place(s.cls.path, s.line)}: {s.cls.name}.{s.member}: stale: {s.why}" for s in verdict.stale]
    lines = [paint("crash", line) for line in lines]
    refused = [f"{_class(gap)}: refused: {sentence}" for gap, sentence in folded(verdict.refused)]
    lines += [paint("crash" if strict else "faint", line) for line in refused]
    lines += [paint("faint", f"{_where(gap)}: accepted: {reason}") for gap, reason in verdict.accepted]
    lines += [
        f"{_accept(accept)} {_STATES[state].format(accept.until)}"
        for accept, state in verdict.accepts
        if state in _STATES
    ]
    missing = sum(not patch.stands for patch in verdict.carried)
    lines += [paint("faint" if patch.stands else "crash", _carried_line(patch)) for patch in verdict.carried]
    totals = [
        f"{count(len(verdict.pending), 'gap')} could be closed",
        f"{len(verdict.refused)} refused",
        f"{len(verdict.accepted)} accepted",
        count(len(verdict.stale), "stale shim"),
        *([f"{missing} of {len(verdict.carried)} carried patches not in the checkout"] if verdict.carried else []),
    ]
    return "\n".join([*lines, ", ".join(totals)]) + "\n"


def _carried_line(patch: CarriedPatch) -> str:
    where = "" if patch.stands or patch.state is CarriedState.CONFLICTS else ", and is not in the checkout"
    what = "is in the checkout" if patch.stands and patch.state is CarriedState.APPLIES else patch.sentence
    return f"{patch.name}: carried: {what}{where}"


def carried(analysis: Analysis) -> tuple[str, ...]:
    """What a person should know of the carried patches that are not simply applied, one sentence each."""
    told = (patch for patch in analysis.carried if patch.state in (CarriedState.THERE, CarriedState.PARTLY))
    return tuple(f"the carried patch {patch.name}: {patch.sentence}" for patch in told)


def changed(outcome: Outcome, verb: str = "added", paint: Paint = plain) -> str:
    """What a series changed: for each file the carried patches, classes and their members; "" when there is nothing."""
    lines: list[str] = []
    brought = [(step.carried.name, {c.path for c in step.changes}) for step in outcome.steps if step.carried]
    for change in outcome.changes:
        lines.append(paint("name", change.path))
        lines += [f"  {name}: {verb}" for name, paths in brought if change.path in paths]
        for cls, shims in groupby(sorted(change.shims, key=lambda s: (s.place, s.member)), lambda s: s.place):
            lines.append(f"  {cls.name}: {verb} {', '.join(shim.member for shim in shims)}")
    return "".join(f"{line}\n" for line in lines)


def committed(outcome: Outcome, branch: str = "") -> str:
    """The commits that were made, the oldest first; "" for none."""
    where = f" on {branch}" if branch else ""
    return "".join(f"committed{where} {commit[:12]} {subject}\n" for commit, subject in outcome.commits)


def baseline(analysis: Analysis) -> str:
    """The source that was analysed, in a few words: `sglang 0.5.9, commit 0123456789ab, 2 files changed`."""
    source = analysis.baseline
    name = " ".join(filter(None, (analysis.profile_name, source.version)))
    what = {"git": "commit", "package": "digest", "directory": "digest"}.get(source.kind, source.kind)
    dirty = f", {count(len(source.dirty), 'file')} changed" if source.dirty else ""
    return f"{name}, {what} {source.id[:12]}{dirty}"


def sites(found: Iterable[Site], paint: Paint = plain) -> Iterator[str]:
    """Aligned lines, one for each site: place, kind, role, expression, and the probe that guards it."""
    rows = [(place(s.path, s.line), s.kind.value, "ambiguous" if s.ambiguous else s.role, s) for s in found]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]  # type: ignore[arg-type]
    for where, kind, role, site in rows:
        guard = (f", guarded by {site.guard}" if site.guard else ", guarded") if site.guarded else ""
        yield f"{where:{widths[0]}}  {kind:{widths[1]}}  {role:{widths[2]}}  {site.expression}{paint('faint', guard)}"


def holds(wrapper: Wrapper) -> str:
    """What a wrapper holds, as a clause: `holds A or B in self.language_model (may be None)`."""
    held = wrapper.delegate
    classes = " or ".join(c.name for c in held.candidates) or f"an unknown class ({held.unknown})"
    return f"holds {classes} in self.{held.attribute}{' (may be None)' if held.optional else ''}"


def asked(gap: Gap) -> str:
    """By what a member is asked for: `4 sites`, or `interface` where it only completes one."""
    return count(len(gap.demand.sites), "site") if gap.demanded else "interface"


def because(gap: Gap) -> str:
    """Where the member comes from that a gap would be closed with."""
    origin = ", ".join(dict.fromkeys(f"{p.cls.name} {place(p.cls.path, p.line)}" for p in gap.providers))
    if gap.takes_base:
        return f"as a base, {origin}"
    return f"recipe {gap.recipe}, {origin}" if gap.recipe else origin


def _wrapper_block(wrapper: Wrapper, gaps: tuple[Gap, ...], paint: Paint) -> Iterator[str]:
    where = place(wrapper.cls.path, wrapper.cls.line)
    yield f"{paint('name', wrapper.cls.name)} {holds(wrapper)}  {paint('faint', where)}"
    if not gaps:
        yield "  no gap in scope"
    closed = by_severity(gap for gap in gaps if gap.decision is not Decision.REFUSE)
    width = max((len(gap.member) for gap in closed), default=0)
    for gap in closed:
        severity = paint(gap.severity.value, f"{gap.severity.value:6}")
        decision = paint(gap.decision.value, f"{gap.decision.value:7}")
        yield f"  {decision}  {severity}  {gap.member:{width}}  {asked(gap):9}  {because(gap)}"
    for gap, sentence in folded(by_severity(gap for gap in gaps if gap.decision is Decision.REFUSE)):
        severity = paint(gap.severity.value, f"{gap.severity.value:6}")
        yield f"  {paint('refuse', 'refuse ')}  {severity}  {sentence}"


def _demand_lines(analysis: Analysis, paint: Paint) -> Iterator[str]:
    yield paint("name", f"{count(len(analysis.demands), 'demanded member')}")
    for demand in analysis.demands:
        interfaces = f" [{', '.join(demand.interfaces)}]" if demand.interfaces else ""
        yield f"  {paint('name', demand.member)}{interfaces}"
        yield from (f"    {line}" for line in sites(demand.sites, paint))


def totals(analysis: Analysis) -> Iterator[str]:
    """What was found and looked at, in numbers, a sentence a line."""
    stats = analysis.stats
    yield (
        f"{count(len(analysis.wrappers), 'wrapper')}, {count(len(analysis.demands), 'demanded member')}, "
        f"{count(len(analysis.gaps), 'gap')} in scope: "
        f"{len(analysis.pending)} to close, {len(analysis.refused)} refused"
    )
    if analysis.unnamed:
        yield f"demanded, and in no interface of the profile: {', '.join(analysis.unnamed)}"
    left_out = f", {len(stats.skipped)} left out" if stats.skipped else ""
    seen = f"{count(stats.files, 'file')}{left_out}, {stats.read:,} read ({count(stats.lines, 'line')})"
    yield f"{baseline(analysis)}; {seen}; {stats.seconds:.1f} s"


def _class(gap: Gap) -> str:
    return f"{place(gap.wrapper.cls.path, gap.wrapper.cls.line)}: {gap.wrapper.cls.name}"


def _where(gap: Gap) -> str:
    return f"{_class(gap)}.{gap.member}"


def proven(proofs: Sequence[Proof]) -> str:
    """What verification found: the failures, those of a class for one reason in one line, each check with its count,
    and how many shims hold."""
    tally = summarise(proofs)
    members: dict[tuple[ClassRef, str, str], list[str]] = {}
    for proof in tally.failures:
        members.setdefault((proof.wrapper, proof.check, proof.detail), []).append(proof.member)
    lines = [
        f"{place(cls.path, cls.line)}: {cls.name}.{', '.join(names)}: {check}: {detail}"
        for (cls, check, detail), names in members.items()
    ]
    counts = Counter(p.check for p in proofs)
    lines += [f"  {check:<16} {number:>6,}" for check, number in counts.items()]
    return "\n".join([*lines, f"{count(tally.proven, 'shim')} proven, {tally.failed} failed"]) + "\n"


_STATES = {"expired": "held until {} and counts no longer", "idle": "is about no gap here, and can be taken out"}


def _accept(accept: Accept) -> str:
    return f'shimgen.toml: [[accept]] "{accept.wrapper}", "{accept.member}"'
