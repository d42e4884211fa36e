"""Gaps made by hand from a line of text and a pretend checkout, as the stage before would hand them over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from shimgen.index import Index
from shimgen.model.domain import (
    ClassRef,
    Decision,
    Delegate,
    Demand,
    FileChange,
    Gap,
    MemberKind,
    Provider,
    Severity,
    Site,
    SiteKind,
    Wrapper,
)
from shimgen.model.profile import Profile
from shimgen.model.program import Program
from shimgen.model.source import memory_tree
from shimgen.shims import Style, generate

_LINE = re.compile(r"(?P<owner>\S+)\.(?P<attribute>\w+) -> (?P<candidates>[^:]+): (?P<member>\w+)(?P<flags>.*)")
_KINDS = {
    "property": MemberKind.PROPERTY,
    "cached_property": MemberKind.CACHED_PROPERTY,
    "classmethod": MemberKind.CLASSMETHOD,
    "staticmethod": MemberKind.STATICMETHOD,
    "other": MemberKind.OTHER,
}
_SITES = {k.value: k for k in (SiteKind.WRITE, SiteKind.DELETE, SiteKind.CLASS, SiteKind.PROBE)}


def program_of(files: Mapping[str, bytes]) -> Index:
    """The index of a checkout held in memory."""
    return Index(memory_tree(files), Profile("test"))


def gap(files: Mapping[str, bytes], line: str) -> Gap:
    """The gap that a line like `Wrapper.language_model -> Full, Other: member optional write` describes.

    `Wrapper@12` names the class at line 12. `optional` makes the delegate optional; `write`, `delete`, `class` and
    `probe` add a site of that kind. `base`: the member is a declared interface that the class takes up; `of:Speed`:
    the member comes with that one.
    """
    match = _LINE.fullmatch(line)
    assert match, f"not a gap: {line}"
    program = program_of(files)
    owner = _class(program, files, match["owner"])
    candidates = tuple(_class(program, files, name.strip()) for name in match["candidates"].split(","))
    flags = match["flags"].split()
    of = next((flags.pop(flags.index(f)).removeprefix("of:") for f in list(flags) if f.startswith("of:")), "")
    if "base" in flags:
        return _base(
            program, files, match["member"], Wrapper(owner, Delegate(match["attribute"], owner, 0, candidates))
        )
    assert set(flags) <= {"optional", *_SITES}, f"unknown flag: {line}"
    delegate = Delegate(match["attribute"], owner, owner.line, candidates, "optional" in flags)
    sites = tuple(Site("engine.py", 7, _SITES[f], False, "target", "model") for f in flags if f in _SITES)
    providers = tuple(_provider(program, c, match["member"]) for c in candidates)
    demand = Demand(match["member"], sites, ())
    protocol = _class(program, files, of) if of else None
    wrapper = Wrapper(owner, delegate)
    return Gap(wrapper, match["member"], Severity.CRASH, demand, Decision.FORWARD, providers, protocol=protocol)


def _base(program: Index, files: Mapping[str, bytes], name: str, wrapper: Wrapper) -> Gap:
    """The gap of a declared interface that the wrapper takes up."""
    protocol = _class(program, files, name)
    providers = tuple(Provider(c, protocol, protocol.line, MemberKind.BASE) for c in wrapper.delegate.candidates)
    demand = Demand(name, (), (), protocol)
    return Gap(wrapper, name, Severity.CRASH, demand, Decision.RECIPE, providers, recipe="adopt", protocol=protocol)


def run(
    files: Mapping[str, bytes], lines: Iterable[str], style: Style | None = None
) -> tuple[tuple[FileChange, ...], tuple[Gap, ...]]:
    """What is generated for these gaps."""
    return generate([gap(files, line) for line in lines], program_of(files), files.__getitem__, style)


def _class(program: Index, files: Mapping[str, bytes], name: str) -> ClassRef:
    name, _, line = name.partition("@")
    found = [ref for path in sorted(files) for ref in program.classes_of(path) if ref.name == name]
    chosen = [ref for ref in found if not line or ref.line == int(line)]
    assert len(chosen) == 1, f"{name} is {found}"
    return chosen[0]


def _provider(program: Program, candidate: ClassRef, member: str) -> Provider:
    found = program.find(candidate, member)
    if found is not None:
        cls, function = found
        setter = any(f.name == member and f.kind == "setter" for f in program.cls(cls).functions)
        return Provider(
            candidate,
            cls,
            function.line,
            _KINDS.get(function.kind, MemberKind.METHOD),
            function.params,
            function.returns,
            function.flavour,
            function.decorators,
            setter,
        )
    for cls in program.mro(candidate).classes:
        for attribute in program.cls(cls).attributes:
            if attribute.name == member:
                return Provider(candidate, cls, attribute.line, MemberKind.CLASS_ATTRIBUTE)
    attribute_ = program.attributes(candidate)[member]
    return Provider(candidate, attribute_.owner, attribute_.line, MemberKind.INSTANCE, setter=True)
