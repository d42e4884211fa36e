"""One release analysed in memory: the stages as the pipeline runs them, on the Python files of a wheel."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass

from benchmarks.releases import fetch
from shimgen.demands import collect
from shimgen.gaps import find_gaps
from shimgen.index import Index, collector_off
from shimgen.model.domain import Demand, Gap, Wrapper
from shimgen.model.profile import Profile
from shimgen.model.source import Tree, memory_tree
from shimgen.profiles import load
from shimgen.wrappers import find_wrappers

STACK = "sglang"


@dataclass(frozen=True, slots=True)
class Analysed:
    """All that the analysis says of one tree."""

    tree: Tree
    profile: Profile
    program: Index
    wrappers: tuple[Wrapper, ...]
    demands: tuple[Demand, ...]
    gaps: tuple[Gap, ...]


def tree(version: str) -> Tree:
    """The Python files of a listed release. Raises ReleaseError."""
    with zipfile.ZipFile(fetch(version, STACK)) as wheel:
        names = [name for name in wheel.namelist() if name.endswith(".py")]
        return memory_tree({name: wheel.read(name) for name in names})


def analyse(source: Tree) -> Analysed:
    """Wrappers, demands and gaps of a tree, under the stack's profile."""
    profile = load(STACK)
    with collector_off():
        program = Index(source, profile)
        wrappers = find_wrappers(program, profile)
        demands = collect(program, profile)
        gaps = find_gaps(program, profile, wrappers, demands)
    return Analysed(source, profile, program, wrappers, demands, gaps)
