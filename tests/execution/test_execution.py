"""Random stacks, executed before and after the patch: what was there is as before, and what is new is the delegate's.

What ping changes for the delegate's forward it changes for the wrapper's, too.

Hypothesis prints the snippets of the smallest stack that fails. SHIMGEN_EXAMPLES=5000 for a thorough run, of other
stacks each time. What is left out of the pool, and why, is in docs/decisions/0010-what-is-not-seen.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note

from shimgen.gaps import rules
from shimgen.model.domain import Decision
from shimgen.shims import generate
from tests.execution.box import CALLED, MEMBERS
from tests.execution.snippets import examples
from tests.execution.stacks import POOLED, Drawn, draws
from tests.stack import analyse, index

ROOT = Path(__file__).parents[2]
ASKS = 'if hasattr(self, "flag"):\n    return "has a flag"\nreturn self.inner(ids, batch)'
PROBED = ("probe_me", "flag")
Files = dict[str, str]
Run = Callable[[Files], dict[str, Any]]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Executes a stack in another process, and gives what an engine observes there."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.execution.box"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdin is not None and process.stdout is not None
        into, out = process.stdin, process.stdout

        def ask(files: Files) -> dict[str, Any]:
            print(json.dumps({p: t for p, t in files.items() if p.startswith("models/")}), file=into, flush=True)
            return dict(json.loads(out.readline()))

        yield ask
        into.close()


@dataclass(frozen=True)
class Patched:
    """The files of a stack with shimgen's patch, and the members that it gives to classes."""

    files: Files
    emitted: frozenset[tuple[str, str]]


def patched(files: Files) -> Patched:
    """What shimgen makes of a stack."""
    content = {path: text.encode() for path, text in files.items()}
    gaps = [g for g in analyse(content)[2] if g.decision is Decision.FORWARD]
    changes, _ = generate(gaps, index(content), content.__getitem__)
    emitted = frozenset((shim.place.name, shim.member) for change in changes for shim in change.shims)
    return Patched({**files, **{change.path: change.after.decode() for change in changes}}, emitted)


def faults(before: dict[str, Any], after: dict[str, Any], emitted: frozenset[tuple[str, str]]) -> list[str]:
    """What a patch makes wrong, in any state of the wrapper that can be reached without it."""
    found = []
    for state, was in before.items():
        if isinstance(was, str):
            continue
        given = {member: any((cls, member) in emitted for cls in was["classes"]) for member in MEMBERS}
        faults = {member: _fault(member, was, after[state], given[member]) for member in MEMBERS}
        if not isinstance(after[state], str):
            faults["forward"] = _run_fault(was, after[state], given["ping"])
        found += [f"{member} ({state}): {fault}" for member, fault in faults.items() if fault]
    return found


def _run_fault(was: dict[str, Any], now: dict[str, Any], emitted: bool) -> str:
    """What runs gives the same as before, and what ping changes for the delegate's it changes for the wrapper's."""
    if now["wrapper.forward"] != was["wrapper.forward"]:
        return f"gave {was['wrapper.forward']} and gives {now['wrapper.forward']}"
    (first, then), (below, after) = now["wrapper.pinged"], now["delegate.pinged"]
    runs = not first.startswith("raises")
    lost = runs and emitted and not was["wrapper.ping"][0] and below != after and first == then
    return f"gives {then} after ping as before, and the delegate's {after} instead of {below}" if lost else ""


def _fault(member: str, was: dict[str, Any], now: dict[str, Any] | str, emitted: bool) -> str:
    if isinstance(now, str):
        return now
    (had, old), (has, new), delegates = was[f"wrapper.{member}"], now[f"wrapper.{member}"], now[f"delegate.{member}"]
    if had and not _is_stub(member, old):
        return "" if [has, new] == [had, old] else f"was {old} and is {new}"
    if not emitted:
        return "" if has == had or [has, new] == delegates else f"is {new} although nothing was emitted"
    if new != delegates[1]:
        return f"is {new}, and on the delegate {delegates[1]}"
    return f"is there: {has}, and on the delegate: {delegates[0]}" if member in PROBED and has != delegates[0] else ""


def _is_stub(member: str, outcome: str) -> bool:
    """What only raises NotImplementedError, or is None where something is called, was no member."""
    return outcome == "raises NotImplementedError" or (member in CALLED and outcome == "None")


@examples
@given(draws())
def test_what_is_there_stays_and_what_is_new_is_the_delegates(run: Run, drawn: list[Drawn]) -> None:
    files = POOLED.stack(drawn)
    after = patched(files)
    if after.emitted:
        found = faults(run(files), run(after.files), after.emitted)
        for snippet in drawn:
            note(f"--- {snippet.place}\n{snippet.text}")
        assert not found


def test_the_usual_stack_gets_all_that_the_engine_asks_for(run: Run) -> None:
    files = POOLED.stack()
    after = patched(files)
    assert after.emitted == {("Wrap", member) for member in MEMBERS}
    assert faults(run(files), run(after.files), after.emitted) == []


@pytest.mark.parametrize(
    ("right", "wrong", "caught"),
    [
        ("self.inner.ping(x)", "self.inner.ping(x + 1)", "ping"),
        ("self.inner.ping(x)", "self.inner.probe_me(x)", "ping"),
        ("return self.inner.probe_me(x)", "return None", "probe_me"),
        ("@property\n    def width", "def width", "width"),
        ("return self.inner.flag", "return self.flag_", "flag"),
        ("return self.inner.flag", "self.inner.w = 0\n        return self.inner.flag", ""),
        ("return self.inner(ids, batch)", "self.zeal = self.inner.zeal\n        return self.inner(ids, batch)", "ping"),
    ],
)
def test_a_wrong_patch_is_caught(run: Run, right: str, wrong: str, caught: str) -> None:
    files = POOLED.stack()
    after = patched(files)
    text = after.files["models/wrap.py"]
    assert right in text
    found = faults(run(files), run({**after.files, "models/wrap.py": text.replace(right, wrong)}), after.emitted)
    assert {fault.split()[0] for fault in found} >= ({caught} if caught else set())
    assert bool(found) == bool(caught)


@pytest.mark.parametrize(
    ("rule", "place", "snippet"),
    [
        ("_not_shadowed", "Wrap: late", 'self.apply(lambda m: setattr(m, "flag", 49))'),
        ("_not_shadowed", "Wrap: wrapper method", "def load(self):\n    self.flag = 101"),
        ("asked_of_itself", "Wrap: run of a wrapper", ASKS),
        ("_not_remade", "wrap: wrapper end", "Wrap.__getattr__ = lambda self, name: 147"),
    ],
)
def test_the_patch_without_a_rule_is_caught(
    run: Run, monkeypatch: pytest.MonkeyPatch, rule: str, place: str, snippet: str
) -> None:
    drawn = next(d for d in POOLED.drawable() if d == Drawn(place, snippet))
    files = POOLED.stack([drawn])
    monkeypatch.setattr(rules, "RULES", tuple(r for r in rules.RULES if r.__name__ != rule))
    after = patched(files)
    assert faults(run(files), run(after.files), after.emitted)
