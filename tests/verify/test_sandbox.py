"""The sandbox holds whatever a shim does, and says so as a failed proof."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from shimgen.model.domain import FileChange
from shimgen.model.results import Proof
from shimgen.verify import Limits
from tests.verify.made import Sample, change, failures, gap, provider, sandboxed
from tests.verify.samples import SAMPLES

QUICK = Limits(seconds=10, each=1, memory=256 * 1024 * 1024)
GOOD = SAMPLES["no parameters"]


def method(body: str) -> FileChange:
    """An edit whose shim has that body."""
    return change(gap("pair", provider("(self)")), f"def pair(self):\n{body}")


HOSTILE = {
    "opens a file": ("    return open('/etc/passwd')", "open"),
    "imports": ("    import os\n    return os.getcwd()", "os is not there"),
    "imports from": ("    from os import system\n    return system('true')", "system is not there"),
    "executes": ("    return exec('1')", "exec"),
    "reaches the interpreter": ("    return ().__class__.__base__.__subclasses__()", "reaches for __"),
    "reaches globals": ("    return self.pair.__globals__", "reaches for __globals__"),
    "never ends": ("    while True:\n        pass", "within 1 s"),
    "never ends, catching all": (
        "    while True:\n        try:\n            self.absent\n        except Exception:\n            pass",
        "within 1 s",
    ),
    "eats memory": ("    return [0] * (1 << 40)", "MemoryError"),
    "recurses": ("    return self.pair()", "RecursionError"),
    "prints": ("    print('x')\n    return self.language_model.pair()", "print"),
    "reads names of the module": ("    return FullModel", "FullModel"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_shim_fails_and_leaves_the_next_alone(name: str) -> None:
    body, said = HOSTILE[name]
    good = change(GOOD.gap, GOOD.text, path="good")
    proofs = sandboxed([method(body), good], QUICK)
    found = failures([p for p in proofs if p.wrapper.path != "good"])
    assert any(said in detail for detail in found.values()), found
    assert not any("Traceback" in detail for detail in found.values())
    assert failures([p for p in proofs if p.wrapper.path == "good"]) == {}


def test_defaults_of_the_checkout_are_not_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    default = f"open({str(mark)!r}, 'w')"
    made = gap("take", provider(f"(self, x={default})"))
    proofs = sandboxed([change(made, f"def take(self, x={default}):\n    return self.language_model.take(x)")], QUICK)
    assert failures(proofs) == {}
    assert not mark.exists()


def test_annotations_of_the_checkout_are_not_executed() -> None:
    text = "def take(self, x: 1 / 0) -> undefined.name:\n    return self.language_model.take(x)"
    assert failures(sandboxed([change(gap("take", provider("(self, x)")), text)], QUICK)) == {}


def test_a_decorator_that_the_provider_has_too_is_not_executed() -> None:
    made = gap("take", provider("(self)", decorators=("torch.no_grad()",)))
    text = "@torch.no_grad()\ndef take(self):\n    return self.language_model.take()"
    assert failures(sandboxed([change(made, text)], QUICK)) == {}


def test_names_beyond_ascii_are_executed() -> None:
    text = "def größe(self, naïve):\n    return self.language_model.größe(naïve)"
    assert failures(sandboxed([change(gap("größe", provider("(self, naïve)")), text)], QUICK)) == {}


def broken_python(folder: Path, script: str) -> str:
    """An executable that is started in place of the interpreter."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


FAULTS = {
    "dies": ("cat >/dev/null; echo gone >&2; exit 3", "status 3 and said nothing of this shim: gone"),
    "is killed": ("kill -9 $$", "status -9"),
    "writes no JSON": ("cat >/dev/null; echo hello", "status 0"),
    "writes other JSON": ("cat >/dev/null; echo '[]'; echo '{\"case\": 0, \"results\": 3}'", "said nothing"),
    "hangs": ("exec sleep 30", "did not end within 0.5 s"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_sandbox_is_a_failed_proof(name: str, tmp_path: Path) -> None:
    script, said = FAULTS[name]
    proofs = run_with(broken_python(tmp_path, script), Limits(seconds=0.5))
    assert [p.check for p in proofs] == ["sandbox"]
    assert said in proofs[0].detail
    assert not proofs[0].passed


def test_a_missing_interpreter_is_a_failed_proof(tmp_path: Path) -> None:
    (proof,) = run_with(str(tmp_path / "nowhere"), QUICK)
    assert not proof.passed
    assert "could not be started" in proof.detail


def run_with(python: str, limits: Limits) -> tuple[Proof, ...]:
    return sandboxed([change(GOOD.gap, GOOD.text)], limits, python)


def test_what_was_proven_before_a_death_stays_proven(tmp_path: Path) -> None:
    line = '{"case": 0, "results": [["class", true, ""]]}'
    python = broken_python(tmp_path, f"cat >/dev/null; echo '{line}'; exit 1")
    both = [change(GOOD.gap, GOOD.text, path=p) for p in ("first", "second")]
    first, second = sandboxed(both, QUICK, python)
    assert (first.passed, second.passed) == (True, False)


def test_nothing_of_the_surroundings_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Modules in the working directory or on PYTHONPATH that share a name with the standard library stay out."""
    (tmp_path / "inspect.py").write_text("raise SystemExit(9)")
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit(9)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert failures(run_with(sys.executable, QUICK)) == {}


def test_no_shims_start_no_process() -> None:
    assert sandboxed([], QUICK, "/nonexistent") == ()
    assert sandboxed([FileChange("a.py", b"", b"")], QUICK, "/nonexistent") == ()


OTHERS = {
    "another shim than generated": (GOOD.text.replace("pair()", "pair( )"), "in other words"),
    "file that does not parse": ("def pair(self:", "does not parse"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_can_not_be_read_is_a_failed_proof(name: str) -> None:
    text, said = OTHERS[name]
    edit = change(GOOD.gap, GOOD.text)
    wrong = change(GOOD.gap, text)
    (proof,) = sandboxed([FileChange(edit.path, edit.before, wrong.after, edit.shims)], QUICK)
    assert proof.check == "source"
    assert said in proof.detail


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ("(self, *args)", "def m(self, *args):\n    return self.language_model.m(*args)"),
        ("(this, /, x)", "def m(self, /, x):\n    return self.language_model.m(x)"),
        ("(*args, **kw)", "def m(self, *args, **kw):\n    return self.language_model.m(*args, **kw)"),
        ("(self, self_=None, cls=1)", "def m(self, self_=None, cls=1):\n    return self.language_model.m(self_, cls)"),
        ("(self, x=-1e3, y=b'z')", "def m(self, x=-1e3, y=b'z'):\n    return self.language_model.m(x, y)"),
        ("(self, x=[], y={})", "def m(self, x=[], y={}):\n    return self.language_model.m(x, y)"),
    ],
)  # fmt: skip
def test_odd_signatures(signature: str, text: str) -> None:
    sample = Sample(gap("m", provider(signature)), text)
    assert failures(sandboxed([change(sample.gap, sample.text)], QUICK)) == {}
