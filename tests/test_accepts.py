"""Accepted gaps: until when they hold, and what a gate makes of them."""

from __future__ import annotations

from datetime import date

import pytest
from msgspec.structs import replace

from shimgen.model.accepts import Accept, release_key
from shimgen.scope import judge
from tests.builders import ANALYSIS, FORWARDED, REFUSED

DAY = date(2026, 12, 31)


def test_releases_in_order() -> None:
    names = [
        "0.4", "0.5.dev3", "0.5a1", "0.5b1", "0.5.rc1", "v0.5rc2", "0.5", "0.5.post1", "0.5.1", "0.5.9",
        "0.5.10rc1", "v0.5.10", "0.5.10.post1", "0.5.10-post2", "0.5.11.dev1", "0.5.11", "1.0",
    ]  # fmt: skip
    keys = [release_key(name) for name in names]
    assert None not in keys
    assert keys == sorted(keys, key=lambda key: key or ((), 0, 0))
    assert len(set(keys)) == len(names)


@pytest.mark.parametrize(
    ("one", "other"),
    [("0.5", "v0.5.0"), ("0.5.9", "0.5.9+cu129"), ("v0.5.9", "v0.5.9-12-gabcdef0"), ("0.5.9.post1", "0.5.9post1")],
)
def test_names_of_one_release(one: str, other: str) -> None:
    assert release_key(one) == release_key(other) is not None


@pytest.mark.parametrize("text", ["", "soon", "main", "abcdef0", "0123456789abcdef", "release-0.5", "0.5.x"])
def test_what_names_no_release(text: str) -> None:
    assert release_key(text) is None


@pytest.mark.parametrize(
    ("until", "today", "release", "expired"),
    [
        (None, DAY, "9.9", False),
        (DAY, DAY, "", False),
        (DAY, date(2027, 1, 1), "", True),
        ("0.5.11", DAY, "0.5.10.post1", False),
        ("0.5.11", DAY, "0.5.11rc1", False),
        ("0.5.11", DAY, "0.5.11", True),
        ("v0.5.11", DAY, "v0.5.11-3-gabcdef0", True),
        ("0.5.11", DAY, "0.6", True),
        ("0.5.11", DAY, "", False),
        ("0.5.11", DAY, "abcdef0", False),
    ],
)
def test_until_when_an_acceptance_holds(until: date | str | None, today: date, release: str, expired: bool) -> None:
    assert Accept("*", "*", "known", until).has_expired(today, release) is expired


FIRST = Accept("Wrap*", FORWARDED.member, "first")


@pytest.mark.parametrize(
    ("accepts", "pending", "reasons", "expired", "idle"),
    [
        ([], 1, [], 0, 0),
        ([FIRST], 0, ["first"], 0, 0),
        ([FIRST, Accept("*", "*", "second")], 0, ["first", "second"], 0, 0),
        ([replace(FIRST, until=date(2000, 1, 1))], 1, [], 1, 0),
        ([replace(FIRST, until="0.5.9")], 1, [], 1, 0),
        ([replace(FIRST, until="0.5.10")], 0, ["first"], 0, 0),
        ([replace(FIRST, until="0.5.9"), Accept("Wrapper", "get_*", "anew")], 0, ["anew"], 1, 0),
        ([Accept("Wrapper", "gone", "old")], 1, [], 0, 1),
        ([Accept("Wrapper", "gone", "old", date(2000, 1, 1))], 1, [], 0, 1),
        ([Accept("Other", "hidden", "of another severity")], 1, [], 0, 0),
    ],
)
def test_what_a_gate_makes_of_acceptances(
    accepts: list[Accept], pending: int, reasons: list[str], expired: int, idle: int
) -> None:
    known = replace(ANALYSIS, release="0.5.9", everything=frozenset({("Other", "hidden")}))
    found = judge(known, accepts, DAY)
    assert len(found.pending) == pending
    assert [reason for _, reason in found.accepted] == reasons
    assert [[state for _, state in found.accepts].count(name) for name in ("expired", "idle")] == [expired, idle]
    assert len(found.refused) + len(found.accepted) + len(found.pending) == len((FORWARDED, REFUSED))
