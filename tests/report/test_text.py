"""Reports as a person reads them. The expected texts are whole: this is where the wording is reviewed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from shimgen.model.domain import ClassRef, Decision, Demand, Gap, MemberKind, Provider, Severity
from shimgen.model.reason import Reason
from shimgen.model.results import Outcome, Proof, Stale, Verdict
from shimgen.model.source import Baseline, Skipped, Stats
from shimgen.report import explain, text
from tests.builders import ANALYSIS, CALL, CHANGE, COMPLETE, FORWARDED, REFUSED, SHIM, WRAPPER


def test_proven() -> None:
    held = Proof(WRAPPER.cls, "a", "kind", True)
    broken = Proof(WRAPPER.cls, "b", "kind", False, "the shim is a property")
    assert text.proven((held,)) == "  kind                  1\n1 shim proven, 0 failed\n"
    assert text.proven((held, broken)) == (
        "models/wrapper.py:3: Wrapper.b: kind: the shim is a property\n"
        "  kind                  2\n"
        "1 shim proven, 1 failed\n"
    )
    also, other = replace(broken, member="c"), replace(broken, member="d", detail="it is gone")
    assert text.proven((broken, other, also)).startswith(
        "models/wrapper.py:3: Wrapper.b, c: kind: the shim is a property\n"
        "models/wrapper.py:3: Wrapper.d: kind: it is gone\n"
    )


def test_scan() -> None:
    assert text.scan(replace(ANALYSIS, wrappers=(WRAPPER, COMPLETE))) == (
        "Wrapper holds Delegate in self.language_model  models/wrapper.py:3\n"
        "  forward  crash   get_embed_and_head  1 site     Base models/delegate.py:20\n"
        "  refuse   silent  Delegate does not have start_layer either\n"
        "\n"
        "2 wrappers, 2 demanded members, 2 gaps in scope: 1 to close, 1 refused\n"
        "sglang, commit 0123456789ab; 1,404 files, 843 read (352,162 lines); 0.9 s\n"
    )


def test_scan_names_what_the_profile_does_not() -> None:
    shown = text.scan(replace(ANALYSIS, unnamed=("alpha", "beta")))
    assert "\ndemanded, and in no interface of the profile: alpha, beta\n" in shown


def test_scan_verbose_shows_complete_wrappers_and_demands() -> None:
    shown = text.scan(replace(ANALYSIS, wrappers=(WRAPPER, COMPLETE)), verbose=True)
    assert (
        "Whole holds an unknown class (a factory of the configuration) in self.inner (may be None)  models/whole.py:1\n"
        "  no gap in scope\n"
        "\n"
        "2 demanded members\n"
        "  get_embed_and_head [eagle3]\n"
        "    engine/worker.py:7  call  target  self.runner.model.get_embed_and_head\n"
        "  start_layer\n"
        '    engine/runner.py:12  probe  any  model.start_layer, guarded by hasattr(model, "start_layer")\n'
    ) in shown


def test_scan_of_nothing() -> None:
    nothing = replace(ANALYSIS, wrappers=(), demands=(), gaps=(), stats=Stats(files=1, read=1, lines=1))
    assert text.scan(nothing) == (
        "0 wrappers, 0 demanded members, 0 gaps in scope: 0 to close, 0 refused\n"
        "sglang, commit 0123456789ab; 1 file, 1 read (1 line); 0.0 s\n"
    )


def test_check_lines_begin_with_a_place() -> None:
    stale = Stale(ClassRef("models/old.py", "Old", 1), "gone", 8, "the engine no longer demands it")
    other = replace(FORWARDED, member="other")
    verdict = Verdict((FORWARDED,), (REFUSED,), ((other, "we know"),), (stale,))
    assert text.check(verdict) == (
        "models/wrapper.py:3: Wrapper.get_embed_and_head: crash, could be closed: Base models/delegate.py:20\n"
        "models/old.py:8: Old.gone: stale: the engine no longer demands it\n"
        "models/wrapper.py:3: Wrapper: refused: Delegate does not have start_layer either\n"
        "models/wrapper.py:3: Wrapper.other: accepted: we know\n"
        "1 gap could be closed, 1 refused, 1 accepted, 1 stale shim\n"
    )
    assert text.check(Verdict()) == "0 gaps could be closed, 0 refused, 0 accepted, 0 stale shims\n"


@pytest.mark.parametrize(
    ("verdict", "loose", "strict"),
    [
        (Verdict(), False, False),
        (Verdict(refused=(REFUSED,)), False, True),
        (Verdict(accepted=((FORWARDED, "known"), (REFUSED, "known"))), False, False),
        (Verdict(pending=(FORWARDED,)), True, True),
        (Verdict(stale=(Stale(WRAPPER.cls, "m", 1, "gone"),)), True, True),
    ],
)
def test_what_keeps_a_gate_closed(verdict: Verdict, loose: bool, strict: bool) -> None:
    assert (verdict.fails(False), verdict.fails(True)) == (loose, strict)


def test_changed_files() -> None:
    assert text.changed(Outcome(ANALYSIS, (CHANGE,))) == "models/wrapper.py\n  Wrapper: added get_embed_and_head\n"
    assert text.changed(Outcome(ANALYSIS)) == ""


def test_explain_a_forward() -> None:
    assert explain.member(FORWARDED, SHIM) == (
        "Wrapper.get_embed_and_head\n"
        "demanded   at 1 place, 1 without guard, role target, interface eagle3\n"
        "  engine/worker.py:7  call  target  self.runner.model.get_embed_and_head\n"
        "wrapper    Wrapper  models/wrapper.py:3\n"
        "delegate   self.language_model  models/wrapper.py:6\n"
        "candidate  Delegate  models/delegate.py:10\n"
        "provider   Base, for Delegate: method (self)  models/delegate.py:20\n"
        "decision   forward  (crash)\n"
        "inserted   into class Wrapper, models/wrapper.py\n"
        "    def get_embed_and_head(self):\n"
        "        return self.language_model.get_embed_and_head()\n"
    )


def test_explain_a_refusal() -> None:
    assert explain.member(REFUSED) == (
        "Wrapper.start_layer\n"
        "demanded   at 1 place, 0 without guard, role any\n"
        '  engine/runner.py:12  probe  any  model.start_layer, guarded by hasattr(model, "start_layer")\n'
        "wrapper    Wrapper  models/wrapper.py:3\n"
        "delegate   self.language_model  models/wrapper.py:6\n"
        "candidate  Delegate  models/delegate.py:10\n"
        "decision   refuse: Delegate does not have start_layer either  (silent)\n"
        "instead    set start_layer in the constructor of Wrapper\n"
    )


def test_explain_what_only_completes_an_interface() -> None:
    shown = explain.member(replace(FORWARDED, demanded=False, notes=("the hook runs twice",)))
    assert "demanded   by nobody here; it completes the interface eagle3\n" in shown
    assert "note       the hook runs twice\n" in shown


def test_explain_what_the_wrapper_has() -> None:
    own = Provider(WRAPPER.cls, WRAPPER.cls, 9, MemberKind.PROPERTY)
    assert explain.nothing_missing(WRAPPER, REFUSED.demand, own) == (
        "Wrapper.start_layer\n"
        "demanded   at 1 place, 0 without guard, role any\n"
        '  engine/runner.py:12  probe  any  model.start_layer, guarded by hasattr(model, "start_layer")\n'
        "wrapper    Wrapper  models/wrapper.py:3\n"
        "delegate   self.language_model  models/wrapper.py:6\n"
        "candidate  Delegate  models/delegate.py:10\n"
        "provider   Wrapper: property  models/wrapper.py:9\n"
        "decision   nothing to do: the wrapper has it\n"
    )


def test_explain_what_is_asked_of_other_models() -> None:
    draft = replace(CALL, role="draft")
    shown = explain.nothing_missing(WRAPPER, Demand("set_embed", (draft,), ()), None)
    assert "decision   nothing to do: no place needs it of this model (asked of draft models)\n" in shown


def test_explain_a_wrapper() -> None:
    recipe = replace(FORWARDED, member="pair", decision=Decision.RECIPE, recipe="tied head")
    provided = {"forward": FORWARDED.providers[0]}
    assert explain.wrapper(WRAPPER, (FORWARDED, recipe, REFUSED), provided) == (
        "Wrapper holds Delegate in self.language_model\n"
        "wrapper    Wrapper  models/wrapper.py:3\n"
        "delegate   self.language_model  models/wrapper.py:6\n"
        "candidate  Delegate  models/delegate.py:10\n"
        "\n"
        "missing, to be forwarded (1)\n"
        "  crash   get_embed_and_head  Base models/delegate.py:20\n"
        "\n"
        "missing, to be filled by a recipe (1)\n"
        "  crash   pair  recipe tied head, Base models/delegate.py:20\n"
        "\n"
        "missing, refused (1)\n"
        "  silent  Delegate does not have start_layer either\n"
        "\n"
        "provided (1)\n"
        "  forward  Base models/delegate.py:20\n"
    )


def test_explain_what_is_there_and_wrong() -> None:
    detail = {"owner": "Wrapper", "place": "models/wrapper.py:8", "other": "models/wrapper.py:20"}
    demand = Demand("remap", (), ())
    drift = replace(
        REFUSED, member="remap", demand=demand, severity=Severity.DRIFT, reason=Reason.DUPLICATE, detail=detail
    )
    assert explain.wrapper(WRAPPER, (drift,), {}).endswith(
        "\n"
        "there and wrong (1)\n"
        "  drift   Wrapper defines remap at models/wrapper.py:8 and again at models/wrapper.py:20, "
        "so the first definition is dead\n"
    )
    assert "demanded   by nobody\n" in explain.member(drift)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (Baseline("git", "a" * 40), "sglang, commit aaaaaaaaaaaa"),
        (Baseline("git", "a" * 40, ("x.py",), "0.5.9"), "sglang 0.5.9, commit aaaaaaaaaaaa, 1 file changed"),
        (Baseline("package", "b" * 40, version="0.5.9"), "sglang 0.5.9, digest bbbbbbbbbbbb"),
    ],
)
def test_the_baseline_in_a_few_words(source: Baseline, said: str) -> None:
    assert text.baseline(replace(ANALYSIS, baseline=source)) == said


def test_notes_name_each_file_left_out() -> None:
    stats = Stats(skipped=(Skipped("a.py", "invalid syntax", 3), Skipped("b.py", "is not UTF-8")))
    assert text.notes(stats) == (
        "left out a.py:3: invalid syntax",
        "left out b.py: is not UTF-8",
    )


def refusals(*members: str, reason: Reason = Reason.ABSENT, **detail: str) -> list[Gap]:
    return [replace(REFUSED, member=member, reason=reason, detail=detail) for member in members]


@pytest.mark.parametrize(
    ("gaps", "sentences"),
    [
        (refusals("a", "b", "c"), ["Delegate does not have a, b, c either"]),
        (
            [*refusals("a", "c"), *refusals("b", reason=Reason.UNKNOWN_DELEGATE, why="a factory")],
            [
                "Delegate does not have a, c either",
                "b: the class of self.language_model is known only at run time: a factory",
            ],
        ),
        (
            [
                *refusals("a", reason=Reason.ASSIGNED, site="x.py:1"),
                *refusals("b", reason=Reason.ASSIGNED, site="x.py:2"),
            ],
            [
                "the engine assigns a at x.py:1, and a forward would hide that assignment",
                "the engine assigns b at x.py:2, and a forward would hide that assignment",
            ],
        ),
        (
            [*refusals("a"), replace(refusals("a")[0], wrapper=COMPLETE)],
            ["Delegate does not have a either", "inner does not have a either"],
        ),
        (
            [refusals("a")[0], replace(refusals("b")[0], severity=Severity.CRASH)],
            ["Delegate does not have a either", "Delegate does not have b either"],
        ),
        ([], []),
    ],
)
def test_refusals_for_one_reason_are_one_line(gaps: list[Gap], sentences: list[str]) -> None:
    assert [sentence for _, sentence in text.folded(gaps)] == sentences


def test_what_a_patch_does_not_close_is_listed_while_it_is_readable() -> None:
    few = replace(ANALYSIS, gaps=tuple(refusals("a", "b")))
    assert text.left_to_a_person(few) == (
        "models/wrapper.py:3: Wrapper: not forwarded: Delegate does not have a, b either",
    )
    rows = [gap for n in range(11) for gap in refusals(f"m{n}", reason=Reason.ASSIGNED, site=f"x.py:{n}")]
    assert text.left_to_a_person(replace(ANALYSIS, gaps=tuple(rows))) == (
        "11 gaps in scope are refused, each with its reason in: shimgen scan",
    )


def test_paint_touches_no_width() -> None:
    marked = text.scan(ANALYSIS, lambda role, part: f"\x1b{part}\x1b")
    assert marked.replace("\x1b", "") == text.scan(ANALYSIS)


def test_costs_are_files_stages_and_troubles() -> None:
    assert text.costs(ANALYSIS.stats) == (
        "1,404 files: 5 parsed, 240 known, 1,159 not needed",
        "facts 0.50 s, gaps 0.40 s",
        "the cache is full",
    )
