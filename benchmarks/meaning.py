"""Whether a shim means what upstream's own member meant: both are executed, in a process of their own."""

from __future__ import annotations

import ast
import builtins
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

import shimgen
from benchmarks.cuts import INIT, Cut
from shimgen.model.domain import ClassRef, FileChange, Gap, Provider, Shim
from shimgen.model.program import Program
from shimgen.source import read
from shimgen.verify.cases import case, source
from shimgen.verify.members import member

# The sandbox sees shimgen's box without the packages around it, which need more than the standard library.
BOOT = """
import sys, types
src, here = sys.argv[1:3]
for name in ("shimgen", "shimgen.verify"):
    package = types.ModuleType(name)
    package.__path__ = [f"{src}/{name.replace('.', '/')}"]
    sys.modules[name] = package
sys.path.insert(0, here)
from benchmarks.compared import main
sys.path.pop(0)
main()
"""
LIMITS = {"memory": 512 * 1024 * 1024, "seconds": 60, "each": 5.0}


@dataclass(frozen=True, slots=True)
class Both:
    """A member that was cut out, the gap that it left, and the shim that took its place in the edited file."""

    cut: Cut
    gap: Gap
    change: FileChange
    shim: Shim


def differences(pairs: Sequence[Both], program: Program) -> list[str]:
    """How each shim differs from what was cut when both run, "" for not at all, in order."""
    request = {"pairs": [_request(pair, program) for pair in pairs], **LIMITS}
    roots = [str(Path(shimgen.__file__).parents[1]), str(Path(__file__).parents[1])]
    command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", BOOT, *roots]
    with tempfile.TemporaryDirectory(prefix="shimgen-") as folder:
        done = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, env={}, cwd=folder, timeout=120
        )
    answers = {a["pair"]: str(a["differs"]) for a in map(json.loads, done.stdout.splitlines())}
    missing = f"the sandbox said nothing: {done.stderr.strip()[-200:]}"
    return [answers.get(number, missing) for number in range(len(pairs))]


def _request(pair: Both, program: Program) -> dict[str, object]:
    gap, cut = pair.gap, pair.cut
    shim = case(gap, pair.shim.member, member(pair.shim, read(pair.change.after)))
    defaults: dict[str, str] = {}
    own = sorted(_read_of(cut, "self") - {cut.name, gap.wrapper.delegate.attribute})
    also = sorted(_read_of(cut, f"self.{gap.wrapper.delegate.attribute}") - {cut.name})
    return {
        "shim": msgspec.to_builtins(shim),
        "source": source(cut.member, defaults),
        "defaults": defaults,
        "wrapper": cut.member.site.node.name,
        "own": [n for n in own if n in program.attributes(gap.wrapper.cls) or program.find(gap.wrapper.cls, n)],
        "also": [n for n in also if all(_has(program, c, n) for c in gap.wrapper.delegate.candidates)],
        "names": sorted(_globals(cut)),
        "aliases": sorted({p.cls.name for p in gap.providers}),
        "returns": any(_returns(program, p) for p in gap.providers),
        "copied": sorted({_copied(program, p, cut.name) for p in gap.providers}),
        "init": INIT if cut.assigned else "",
    }


def _returns(program: Program, provider: Provider) -> bool:
    """Whether a call of the provider can give anything but None."""
    functions = [f for f in program.cls(provider.cls).functions if f.line == provider.line]
    return not functions or any(f.returned or f.flavour for f in functions)


def _copied(program: Program, provider: Provider, member: str) -> str:
    """ "model.first" when the delegate's value is just that of `self.model.first`, else ""."""
    values = [a.value for a in [program.attributes(provider.candidate).get(member)] if a is not None]
    values += [f.returned[0] for f in program.cls(provider.cls).functions if f.name == member and len(f.returned) == 1]
    chains = [v.text for v in values if v is not None and v.op == "name"]
    return chains[0].removeprefix("self.") if len(chains) == 1 and chains[0].startswith("self.") else ""


def _has(program: Program, ref: ClassRef, name: str) -> bool:
    return name in program.attributes(ref) or program.find(ref, name) is not None


def _read_of(cut: Cut, chain: str) -> set[str]:
    """The names that the member reads directly of `chain`."""
    nodes = (node for statement in cut.member.statements for node in ast.walk(statement))
    return {n.attr for n in nodes if isinstance(n, ast.Attribute) and ast.unparse(n.value) == chain}


def _globals(cut: Cut) -> set[str]:
    """Names that the member loads and does not bind itself."""
    nodes = [node for statement in cut.member.statements for node in ast.walk(statement)]
    names = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    return {n for n in names - bound if not hasattr(builtins, n)}
