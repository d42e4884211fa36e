"""Two revisions compared, as text for a person. Pure: values in, a string out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from shimgen.model.domain import Severity
from shimgen.model.upgrade import (
    CarriedChange,
    DemandChange,
    DemandFate,
    Fate,
    MemberFate,
    Revision,
    Upgrade,
    WrapperChange,
)
from shimgen.report.text import Paint, count, place, plain

UNCHANGED = "needed, unchanged"
LABELS = {
    Fate.CHANGED: "signature changed",
    Fate.TARGET_GONE: "target gone",
    Fate.REFUSED: "refused now",
    Fate.OWN: "upstream's own now",
    Fate.BASE: "base took over",
    Fate.UNDEMANDED: "no longer demanded",
    Fate.WRAPPER_GONE: "wrapper gone",
    Fate.UNSCOPED: "out of scope now",
    Fate.NEEDED: "needed, new",
}
_PAINT = {Fate.NEEDED: "forward", Fate.CHANGED: "drift", Fate.TARGET_GONE: "crash", Fate.REFUSED: "crash"}
WITHOUT_INTERFACE = "core"


def label(fate: MemberFate) -> str:
    """The verdict on a member as a person reads it."""
    if fate.fate is Fate.NEEDED and fate.was_shim:
        return UNCHANGED
    if fate.fate is Fate.REFUSED and not fate.was_shim:
        return "refused, new" if fate.was is None else "refused, as before"
    return LABELS[fate.fate]


def detail(fate: MemberFate) -> str:
    """The evidence for a verdict, "" when there is nothing to add."""
    if fate.fate is Fate.CHANGED:
        return f"{fate.old} -> {fate.new}"
    before = ", refused before" if fate.fate in (Fate.OWN, Fate.BASE) and not fate.was_shim else ""
    return fate.why + before


def matters(fate: MemberFate) -> bool:
    """Whether a member is listed without being asked for: what never was a shim and is none now is only counted."""
    return fate.was_shim or fate.is_shim or fate.fate in (Fate.OWN, Fate.BASE)


def in_order(fates: Iterable[MemberFate]) -> list[MemberFate]:
    """The verdicts of one wrapper: what needs attention first, what stays as it is last."""
    order = [*LABELS]
    return sorted(fates, key=lambda f: (label(f) == UNCHANGED, order.index(f.fate), f.member))


def text(upgrade: Upgrade, paint: Paint = plain, verbose: bool = False) -> str:
    """Verdicts by wrapper, wrappers that came and went, the demand diff by interface, and the totals.

    `verbose` adds the members that are refused.
    """
    listed = [fate for fate in upgrade.members if verbose or matters(fate)]
    blocks = [list(_wrapper_block(list(group), paint)) for _, group in groupby(listed, key=lambda fate: fate.wrapper)]
    blocks.append(list(_section("wrappers", map(_wrapper_line, upgrade.wrappers), paint)))
    blocks.append(list(_section("carried patches", map(_carried_line, upgrade.carried), paint)))
    blocks.append(list(_demand_lines(upgrade.demands, paint)))
    revisions = f"{upgrade.profile_name} {named(upgrade.old)} -> {named(upgrade.new)}"
    blocks.append([*totals(upgrade), revisions])
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _wrapper_block(fates: Sequence[MemberFate], paint: Paint) -> Iterator[str]:
    cls = fates[0].wrapper
    yield f"{paint('name', cls.name)}  {paint('faint', place(cls.path, cls.line))}"
    lines = [fate for fate in in_order(fates) if label(fate) != UNCHANGED]
    width = max((len(fate.member) for fate in lines), default=0)
    for fate in lines:
        role = _PAINT.get(fate.fate, "refuse")
        yield f"  {paint(role, f'{label(fate):18}')}  {fate.member:{width}}  {detail(fate)}".rstrip()
    same = [fate.member for fate in fates if label(fate) == UNCHANGED]
    if same:
        yield f"  {UNCHANGED:18}  {', '.join(same)}"


def _section(title: str, lines: Iterable[str], paint: Paint) -> Iterator[str]:
    found = list(lines)
    if found:
        yield paint("name", title)
        yield from (f"  {line}" for line in found)


def _wrapper_line(change: WrapperChange) -> str:
    before = f", before {place(change.old.path, change.old.line)}" if change.old else ""
    return f"{change.fate.value:19}  {change.cls.name}  {place(change.cls.path, change.cls.line)}{before}"


def carried(change: CarriedChange) -> str:
    """How a carried patch fares, and how it did before where that differs."""
    before = "" if change.old.state == change.new.state else f" (before: {change.old.state.value})"
    return f"{change.new.sentence}{before}"


def _carried_line(change: CarriedChange) -> str:
    return f"{change.new.name}  {carried(change)}"


def by_interface(changes: Iterable[DemandChange]) -> Iterator[tuple[str, list[DemandChange]]]:
    """The demand diff interface by interface; a member of two stands in both."""
    rows = [(name, change) for change in changes for name in change.interfaces or (WITHOUT_INTERFACE,)]
    for name, group in groupby(sorted(rows, key=lambda row: row[0]), key=lambda row: row[0]):
        yield name, [change for _, change in group]


def _demand_lines(changes: Iterable[DemandChange], paint: Paint) -> Iterator[str]:
    groups = list(by_interface(changes))
    if groups:
        yield paint("name", "demands")
    for interface, group in groups:
        yield f"  {interface}"
        width = max(len(_name(change)) for change in group)
        for change in group:
            kind = "renamed?" if change.fate is DemandFate.RENAMED else change.fate.value
            yield f"    {kind:8}  {_name(change):{width}}  {asked(change)}".rstrip()


def _name(change: DemandChange) -> str:
    return f"{change.before} -> {change.member}" if change.before else change.member


def asked(change: DemandChange) -> str:
    """How a member is demanded, and how it was, as far as that differs; and the first place."""
    parts = [
        _both([_severity(change.old_severity), _severity(change.new_severity)]),
        _both(["; ".join(change.old), "; ".join(change.new)]),
        "/".join(change.roles),
    ]
    site = change.sites[0] if change.sites and change.fate is not DemandFate.GONE else None
    more = f" and {len(change.sites) - 1} more" if len(change.sites) > 1 else ""
    parts.append(f"{place(site.path, site.line)}{more}" if site else "")
    return ", ".join(filter(None, parts))


def _severity(severity: Severity | None) -> str:
    return severity.value if severity is not None else ""


def _both(pair: Sequence[str]) -> str:
    """`old -> new`, or the one that there is."""
    old, new = pair
    return f"{old} -> {new}" if old and new and old != new else new or old


def totals(upgrade: Upgrade) -> Iterator[str]:
    """How many members met each fate."""
    counts: dict[str, int] = {}
    for fate in in_order(upgrade.members):
        counts[label(fate)] = counts.get(label(fate), 0) + 1
    shims = sum(fate.is_shim for fate in upgrade.members)
    yield ", ".join([f"{count(shims, 'shim')} at {upgrade.new.name}", *(f"{n} {what}" for what, n in counts.items())])


def named(revision: Revision) -> str:
    """A revision as the user called it, with its commit."""
    commit = revision.baseline.id[:12]
    return commit if commit.startswith(revision.name) else f"{revision.name} ({commit})"
