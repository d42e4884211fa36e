"""How the gaps of one run hang together: order, members that lean on members below, files that are no Python."""

from __future__ import annotations

from itertools import permutations

import pytest
from msgspec.structs import replace

from shimgen.model.domain import Decision, Gap
from shimgen.model.reason import Reason
from shimgen.shims import Style, find_shims, generate
from tests.shims.hand import gap, program_of, run

FILES = {
    "consts.py": b"LIMIT = 8\n",
    "full.py": b"from consts import LIMIT\n\n\nclass Full:\n    def m(self, a=LIMIT):\n        return a\n",
    "inner.py": (
        b"from consts import LIMIT\nfrom full import Full\n\n\n"
        b"class Inner:\n    def __init__(self):\n        self.full = Full()\n"
    ),
    "outer.py": (
        b"from consts import LIMIT\nfrom inner import Inner\n\n\n"
        b"class Outer:\n    def __init__(self):\n        self.inner = Inner()\n"
    ),
}


def chain(files: dict[str, bytes]) -> tuple[Gap, Gap]:
    """The gap of the inner wrapper, and that of the outer one, which counts on the inner one's member."""
    inner = gap(files, "Inner.full -> Full: m")
    owner = inner.target
    planned = replace(inner.providers[0], candidate=owner, cls=owner, line=owner.line)
    outer = gap(
        {**files, "inner.py": files["inner.py"] + b"\n    def m(self):\n        return 1\n"}, "Outer.inner -> Inner: m"
    )
    return inner, replace(outer, providers=(planned,))


def test_a_member_that_is_added_below_is_forwarded_above() -> None:
    changes, refused = generate(chain(FILES), program_of(FILES), FILES.__getitem__)
    assert not refused
    assert [s.member for c in changes for s in find_shims(c.after)] == ["m", "m"]
    outer = changes[1].after.decode()
    assert (
        "# shimgen: forwards to self.inner (Inner)\n    def m(self, a=LIMIT):\n        return self.inner.m(a)\n"
        in outer
    )


def test_names_are_those_of_the_module_where_the_signature_was_written() -> None:
    files = {**FILES, "outer.py": FILES["outer.py"].replace(b"from consts import LIMIT", b"LIMIT = 9")}
    changes, refused = generate(chain(files), program_of(files), files.__getitem__)
    assert [c.path for c in changes] == ["inner.py"]
    assert [(g.wrapper.cls.name, g.reason) for g in refused] == [("Outer", Reason.DEFAULT)]


def test_what_is_refused_below_is_refused_above() -> None:
    files = {**FILES, "inner.py": FILES["inner.py"].replace(b"from consts import LIMIT", b"LIMIT = 9")}
    changes, refused = generate(chain(files), program_of(files), files.__getitem__)
    assert not changes
    assert [(g.wrapper.cls.name, g.reason, g.decision) for g in refused] == [
        ("Inner", Reason.DEFAULT, Decision.REFUSE),
        ("Outer", Reason.ABSENT, Decision.REFUSE),
    ]
    assert refused[1].sentence == "Inner does not have m either"
    assert refused[1].advice == "close the gap Inner.m first, or in the same run"


def test_what_is_not_asked_for_below_is_refused_above() -> None:
    _, outer = chain(FILES)
    changes, refused = generate([outer], program_of(FILES), FILES.__getitem__)
    assert not changes
    assert [g.reason for g in refused] == [Reason.ABSENT]


def test_the_order_of_the_gaps_does_not_matter() -> None:
    gaps = [*chain(FILES), gap(FILES, "Inner.full -> Full: m write")]
    results = {repr(generate(order, program_of(FILES), FILES.__getitem__)) for order in permutations(gaps)}
    assert len(results) == 1


def test_only_forwards_are_written() -> None:
    refused = replace(chain(FILES)[0], decision=Decision.REFUSE, reason=Reason.ABSENT)
    assert generate([refused], program_of(FILES), FILES.__getitem__) == ((), ())
    assert generate([], program_of(FILES), FILES.__getitem__) == ((), ())


def test_a_file_that_is_no_python_any_more() -> None:
    gaps = [gap(FILES, "Inner.full -> Full: m")]
    broken = {**FILES, "inner.py": b"class Inner(:\n"}
    changes, refused = generate(gaps, program_of(FILES), broken.__getitem__)
    assert not changes
    assert refused[0].reason is Reason.PLACE
    assert "inner.py does not parse" in refused[0].sentence


def test_a_class_that_is_no_longer_there() -> None:
    gaps = [gap(FILES, "Inner.full -> Full: m")]
    moved = {**FILES, "inner.py": b"\n" + FILES["inner.py"]}
    _, refused = generate(gaps, program_of(FILES), moved.__getitem__)
    assert refused[0].sentence.endswith("no class Inner begins at line 5")


def test_a_line_too_long_for_the_marker_drops_the_classes() -> None:
    changes, _ = run(FILES, ["Inner.full -> Full: m"], Style(line_length=40))
    assert b"    # shimgen: forwards to self.full\n    def m" in changes[0].after


@pytest.mark.parametrize("count", [1, 3])
def test_a_shim_says_what_was_inserted(count: int) -> None:
    body = b"".join(b"    def m%d(self):\n        return 1\n\n" % n for n in range(count))
    files = {**FILES, "full.py": b"class Full:\n" + body}
    changes, _ = run(files, [f"Inner.full -> Full: m{n}" for n in range(count)])
    assert changes[0].after == changes[0].before + "".join(s.text for s in changes[0].shims).encode()
