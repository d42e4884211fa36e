"""Two revisions compared, as markdown that fits into a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from shimgen.model.domain import ClassRef
from shimgen.model.upgrade import DemandChange, DemandFate, MemberFate, Upgrade, WrapperChange
from shimgen.report.text import count, place
from shimgen.report.upgrade import (
    UNCHANGED,
    asked,
    by_interface,
    carried,
    detail,
    in_order,
    label,
    matters,
    named,
    totals,
)


def markdown(upgrade: Upgrade) -> str:
    """What changes, as tables; what stays as it is folded away."""
    listed = [fate for fate in upgrade.members if matters(fate)]
    blocks = [
        [f"### {upgrade.profile_name}: {_plain(named(upgrade.old))} → {_plain(named(upgrade.new))}"],
        list(totals(upgrade)),
        list(_members(fate for fate in listed if label(fate) != UNCHANGED)),
        list(_unchanged([fate for fate in listed if label(fate) == UNCHANGED])),
        list(_wrappers(upgrade.wrappers)),
        list(_table(("carried patch", "at the new revision"), _carried(upgrade))),
        list(_demands(upgrade.demands)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    found = list(rows)
    if found:
        yield f"| {' | '.join(head)} |"
        yield f"| {' | '.join('---' for _ in head)} |"
        yield from (f"| {' | '.join(row)} |" for row in found)


def _members(fates: Iterable[MemberFate]) -> Iterator[str]:
    rows = [
        (_code(wrapper.name), _code(fate.member), label(fate), _plain(detail(fate)))
        for wrapper, group in groupby(fates, key=lambda fate: fate.wrapper)
        for fate in in_order(group)
    ]
    return _table(("wrapper", "member", "verdict", "evidence"), rows)


def _unchanged(fates: list[MemberFate]) -> Iterator[str]:
    if not fates:
        return
    yield f"<details><summary>{count(len(fates), 'shim')} needed as before</summary>"
    yield ""
    groups = groupby(fates, key=lambda fate: fate.wrapper)
    rows = ((_code(cls.name), ", ".join(_code(fate.member) for fate in group)) for cls, group in groups)
    yield from _table(("wrapper", "members"), rows)
    yield ""
    yield "</details>"


def _wrappers(changes: Iterable[WrapperChange]) -> Iterator[str]:
    rows = [(_code(c.cls.name), c.fate.value, _place(c.cls), _place(c.old) if c.old else "") for c in changes]
    return _table(("wrapper", "is", "where", "before"), rows)


def _carried(upgrade: Upgrade) -> Iterator[tuple[str, ...]]:
    return ((_code(change.new.name), _plain(carried(change))) for change in upgrade.carried)


def _demands(changes: Iterable[DemandChange]) -> Iterator[str]:
    rows = []
    for interface, group in by_interface(changes):
        for change in group:
            before = f"{_code(change.before)} → " if change.before else ""
            likely = " (likely)" if change.fate is DemandFate.RENAMED else ""
            name, fate = before + _code(change.member), change.fate.value + likely
            rows.append((_plain(interface), name, fate, _plain(asked(change))))
    return _table(("interface", "demand", "is", "how"), rows)


def _place(ref: ClassRef) -> str:
    return _plain(place(ref.path, ref.line))


def _code(text: str) -> str:
    return f"`{text}`"


def _plain(text: str) -> str:
    """Text in which nothing is markup: signatures hold stars, underscores and brackets."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in " ".join(text.split()))
