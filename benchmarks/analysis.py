"""One release analysed in memory: the stages as the pipeline runs them, on the Python files of a wheel."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass

from benchmarks.releases import fetch
from shimgen.cache import Store
from shimgen.collector import collector_off
from shimgen.demands import collect
from shimgen.gaps import find_gaps
from shimgen.index import Index
from shimgen.model.domain import Demand, FileChange, Gap, Scope, Wrapper
from shimgen.model.profile import Profile
from shimgen.model.source import Tree, memory_tree
from shimgen.profiles import load
from shimgen.scope import in_scope
from shimgen.shims import generate
from shimgen.wrappers import find_wrappers

STACK = "sglang"


Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Analysed:
    """All that the analysis says of one tree."""

    tree: Tree
    profile: Profile
    program: Index
    wrappers: tuple[Wrapper, ...]
    demands: tuple[Demand, ...]
    gaps: tuple[Gap, ...]


def tree(version: str, stack: str = STACK) -> Tree:
    """The Python files of a listed release. Raises ReleaseError."""
    with zipfile.ZipFile(fetch(version, stack)) as wheel:
        names = [name for name in wheel.namelist() if name.endswith(".py")]
        return memory_tree({name: wheel.read(name) for name in names})


def analyse(source: Tree, store: Store | None = None, stack: str = STACK) -> Analysed:
    """Wrappers, demands and gaps of a tree, under the stack's profile. `store` keeps facts for the next tree."""
    profile = load(stack)
    with collector_off():
        program = Index(source, profile, "", store)
        wrappers = find_wrappers(program, profile)
        demands = collect(program, profile)
        gaps = find_gaps(program, profile, wrappers, demands)
    return Analysed(source, profile, program, wrappers, demands, gaps)


def generated(analysed: Analysed) -> tuple[tuple[FileChange, ...], dict[Key, Gap]]:
    """The shims for all gaps of whatever severity, and every gap by path, class and member, as it was decided last."""
    scoped = in_scope(analysed.gaps, Scope(severity="all"))
    changes, refused = generate(scoped, analysed.program, analysed.tree.read)
    return changes, {(g.wrapper.cls.path, g.wrapper.cls.name, g.member): g for g in (*analysed.gaps, *refused)}
