"""Gaps after the edit, call sites, candidates."""

from __future__ import annotations

import ast
import os

import pytest
from msgspec.structs import replace

from shimgen import workers
from shimgen.model.domain import Decision, Gap, Severity, SiteKind
from shimgen.model.results import Proof
from shimgen.model.source import Tree, memory_tree
from shimgen.verify import prove, proving
from shimgen.verify.proving import Prepared, sandbox
from shimgen.verify.reanalysis import closed, served, static
from tests.verify.made import (
    FULL,
    MODULE,
    OTHER,
    PROVIDERS,
    call,
    change,
    check,
    failures,
    gap,
    provider,
    sandboxed,
    site,
)
from tests.verify.samples import SAMPLES

PAIR = SAMPLES["no parameters"]
EDIT = change(PAIR.gap, PAIR.text)


def test_the_patched_tree_is_analysed_again() -> None:
    seen: list[bytes] = []

    def reanalyse(patched: Tree) -> list[Gap]:
        seen.append(patched.read(EDIT.path))
        return []

    proofs = prove(memory_tree({EDIT.path: EDIT.before, **PROVIDERS}), [EDIT], reanalyse, [PAIR.gap])
    assert seen == [EDIT.after]
    assert {"compiles", "arguments", "gap closed"} <= {proof.check for proof in proofs}


def test_of_a_tree_that_does_not_compile_nothing_else_is_said() -> None:
    edit = replace(EDIT, after=EDIT.after + b"(")
    proofs = prove(memory_tree({edit.path: edit.before}), [edit], lambda patched: [PAIR.gap], [PAIR.gap])
    assert [(proof.check, proof.passed) for proof in proofs] == [("compiles", False)]


def test_a_bare_annotation_of_the_name_is_no_other_member() -> None:
    before = MODULE.replace("    def __init__", f"    {PAIR.gap.member}: object\n\n    def __init__", 1)
    assert failures(check(change(PAIR.gap, PAIR.text, before))) == {}


@pytest.mark.parametrize("processes", [1, 2])
def test_another_process_shows_the_same(processes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it dies: then this one does its work."""
    tree = memory_tree({EDIT.path: EDIT.before, **PROVIDERS})
    alone = (*static(tree, EDIT, served([PAIR.gap])), *sandboxed([EDIT]), *closed([EDIT], [], [PAIR.gap]))
    monkeypatch.setattr(workers, "available", lambda: processes)
    assert prove(tree, [EDIT], lambda patched: [], [PAIR.gap]) == alone
    here = os.getpid()

    def dying(cases: list[Prepared]) -> tuple[Proof, ...]:
        return sandbox(cases) if os.getpid() == here else os._exit(1)

    monkeypatch.setattr(proving, "sandbox", dying)
    assert prove(tree, [EDIT], lambda patched: [], [PAIR.gap]) == alone


def test_a_shim_serves_every_wrapper_that_inherits_it() -> None:
    """A call site or a gap of a subclass counts, of another class or of a refused gap it does not."""
    heir = replace(PAIR.gap.wrapper, cls=replace(PAIR.gap.wrapper.cls, name="Heir"))
    inherited = replace(PAIR.gap, wrapper=heir, demand=gap("pair", sites=[call(1)]).demand)
    found = failures(check(EDIT, [inherited], [PAIR.gap, inherited]))
    assert found.keys() == {"binds", "gap closed"}
    assert "Heir" in found["gap closed"]
    refused = replace(inherited, decision=Decision.REFUSE)
    elsewhere = replace(inherited, place=FULL)
    assert failures(check(EDIT, [refused], [PAIR.gap, refused, elsewhere])) == {}


GAPS = {
    "still open": ([PAIR.gap], {"gap closed"}),
    "still open on another line": ([replace(PAIR.gap, severity=Severity.DRIFT)], {"gap closed"}),
    "another that was there before": ([gap("known")], set()),
    "a new one": ([gap("fresh")], {"no new gap"}),
}


@pytest.mark.parametrize("name", GAPS)
def test_gaps_after_the_edit(name: str) -> None:
    after, failed = GAPS[name]
    assert failures(check(EDIT, after, [PAIR.gap, gap("known")])).keys() == failed


SITES = {
    "binds": ([call(0)], set()),
    "does not bind": ([call(1)], {"binds"}),
    "ambiguous site": ([replace(call(1), ambiguous=True)], set()),
    "asked of the class": ([site(SiteKind.CLASS)], {"level"}),
    "perhaps asked of the class": ([site(SiteKind.CLASS, ambiguous=True)], set()),
}


@pytest.mark.parametrize("name", SITES)
def test_call_sites(name: str) -> None:
    sites, failed = SITES[name]
    assert failures(check(change(gap("pair", provider("(self)"), sites=sites), PAIR.text))).keys() == failed


def test_a_call_must_bind_to_every_candidate() -> None:
    made = gap("take", provider("(self, x=1)"), provider("(self)", candidate=OTHER), sites=[call(1)])
    found = failures(check(change(made, "def take(self, x=1):\n    return self.language_model.take(x)")))
    assert "does not bind to OtherModel" in found["binds"]


def test_a_candidate_without_the_member() -> None:
    made = gap("pair", provider("(self)"))
    delegate = replace(made.wrapper.delegate, candidates=(FULL, OTHER))
    made = replace(made, wrapper=replace(made.wrapper, delegate=delegate))
    assert "OtherModel does not have it" in failures(check(change(made, PAIR.text)))["candidates"]
    assert failures(check(change(replace(made, decision=Decision.RECIPE), PAIR.text))) == {}
    text = "@property\ndef pair(self):\n    return self.language_model.pair"
    assert failures(check(change(made, text))) == {}, "a property says no where there is nothing"


def test_samples_parse() -> None:
    """The table of samples is Python: a sample that does not parse would make every mutant of it fail."""
    for sample in SAMPLES.values():
        ast.parse(sample.text)
