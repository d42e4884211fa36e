"""Gaps, shims and edits made by hand, as the stages before verification would hand them over."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

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
    Shim,
    Site,
    SiteKind,
    Wrapper,
)
from shimgen.model.facts import CallShape, Param
from shimgen.model.results import Proof
from shimgen.model.source import memory_tree
from shimgen.syntax import parameters
from shimgen.verify.proving import prepare, sandbox
from shimgen.verify.reanalysis import closed, served, static

PATH = "stack/models/wrapper.py"
WRAPPER = ClassRef(PATH, "Wrapper", 1)
FULL = ClassRef("stack/models/full.py", "FullModel", 1)
OTHER = ClassRef("stack/models/other.py", "OtherModel", 1)
MODULE = '''import typing
from typing import List, Optional

from stack.models.full import FullModel
from stack.config import LIMIT


class Wrapper(Module):
    """A wrapper."""

    def __init__(self, config):
        self.language_model = FullModel(config)

    def forward(self, x):
        return self.language_model(x)

'''
PROVIDERS = {
    FULL.path: b"from stack.config import LIMIT\n\n\nclass FullModel: ...\n",
    OTHER.path: b"from ..config import LIMIT\n\n\nclass OtherModel: ...\n",
}


def params(signature: str) -> tuple[Param, ...]:
    """The parameters of "(self, a, b=1)"."""
    function = ast.parse(f"def f{signature}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    return parameters(function.args)


def provider(
    signature: str = "(self)",
    kind: MemberKind = MemberKind.METHOD,
    flavour: str = "",
    candidate: ClassRef = FULL,
    setter: bool = False,
    decorators: tuple[str, ...] = (),
) -> Provider:
    """What supplies the member in a candidate."""
    return Provider(candidate, candidate, 1, kind, params(signature), None, flavour, decorators, setter)


def site(kind: SiteKind, shape: CallShape | None = None, ambiguous: bool = False) -> Site:
    """A place where the engine uses the member."""
    return Site("stack/engine.py", 7, kind, False, "target", "model.m", ambiguous=ambiguous, shape=shape)


def call(positional: int = 0, *keywords: str) -> Site:
    """A call site of that shape."""
    return site(SiteKind.CALL, CallShape(positional, keywords))


def gap(
    member: str,
    *providers: Provider,
    sites: Sequence[Site] = (),
    optional: bool = False,
    attribute: str = "language_model",
) -> Gap:
    """A gap of Wrapper that is forwarded."""
    candidates = tuple(dict.fromkeys(p.candidate for p in providers)) or (FULL,)
    wrapper = Wrapper(WRAPPER, Delegate(attribute, WRAPPER, 5, candidates, optional))
    demand = Demand(member, tuple(sites), ())
    return Gap(wrapper, member, Severity.CRASH, demand, Decision.FORWARD, providers)


def change(made: Gap, text: str, before: str = MODULE, path: str = PATH) -> FileChange:
    """The edit that puts `text` at the end of `before`, whose last class is the wrapper."""
    body = "".join(f"    {line}\n" if line else "\n" for line in text.strip("\n").split("\n"))
    shim = Shim(made, ClassRef(path, "Wrapper", 1), made.member, body)
    return FileChange(path, before.encode(), (before + body).encode(), (shim,))


@dataclass(frozen=True)
class Sample:
    """A shim as it should be, for a gap."""

    gap: Gap
    text: str
    before: str = MODULE


def failures(proofs: Iterable[Proof]) -> dict[str, str]:
    """What failed, by check."""
    return {p.check: p.detail for p in proofs if not p.passed}


def sandboxed(changes: Sequence[FileChange], *how: Any) -> tuple[Proof, ...]:
    """The proofs of executing every shim; `how`: limits, interpreter."""
    return sandbox([case for change in changes for case in prepare(change)], *how)


def check(edit: FileChange, after: Sequence[Gap] = (), before: Sequence[Gap] | None = None) -> tuple[Proof, ...]:
    """The static proofs of an edit after which the gaps are `after`."""
    tree = memory_tree({edit.path: edit.before, **PROVIDERS})
    known = [shim.gap for shim in edit.shims] if before is None else before
    return (*static(tree, edit, served(known)), *closed([edit], after, known))
