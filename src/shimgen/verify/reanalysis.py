"""What can be shown without running anything: syntax, the extent of the edit, names, call sites, closed gaps."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from shimgen.model.binding import mismatch
from shimgen.model.domain import CALLABLE, Decision, FileChange, Gap, Shim, SiteKind
from shimgen.model.results import Proof
from shimgen.model.source import Tree
from shimgen.source import Source, read
from shimgen.syntax import is_literal
from shimgen.verify.edits import disturbed, new_bases, only_inserted, taken_up
from shimgen.verify.members import Member, NotFoundError, member
from shimgen.verify.names import Module, other_meaning, unbound

Key = tuple[str, str, str]
Served = Mapping[Key, Sequence[Gap]]


def closed(changes: Sequence[FileChange], after: Sequence[Gap], before: Sequence[Gap]) -> Iterator[Proof]:
    """Each shim's gaps are gone `after` the edit, and none is there that was not there before: a gap that is new is a
    failed proof of its own."""
    serving = served(before)
    left, known = {_key(g): g for g in after}, {_key(g) for g in before}
    for shim in (shim for change in changes for shim in change.shims):
        closing = (shim.gap, *serving.get(_place(shim), ()))
        open_still = [left[_key(g)] for g in closing if _key(g) in left]
        fault = f"{open_still[0].wrapper.cls.name} has the gap after the edit too" if open_still else ""
        yield _said(shim, "gap closed", fault)
    for key, gap in left.items():
        if key not in known:
            yield Proof(gap.wrapper.cls, gap.member, "no new gap", False, "after the edit this is a new gap")


def static(tree: Tree, change: FileChange, serving: Served) -> Iterator[Proof]:
    """What an edited file of `tree` shows by itself. What holds for the file is said of each of its shims."""
    fault = _compiles(change.path, change.after)
    if fault:
        yield from _each(change, "compiles", fault)
        return
    yield from _each(change, "compiles", "")
    after = read(change.after)
    module = Module(after.tree)
    found: list[tuple[Shim, Member]] = []
    for shim in (s for s in change.shims if s.gap.takes_base):
        yield _said(shim, "in place", taken_up(shim, after))
    for shim in (s for s in change.shims if not s.gap.takes_base):
        try:
            made = member(shim, after)
        except NotFoundError as error:
            yield _said(shim, "in place", str(error))
            continue
        found.append((shim, made))
        yield _said(shim, "in place", "")
        yield _said(shim, "names", unbound(made, module))
        yield _said(shim, "defaults", _defaults(tree, shim, made, after))
        yield from _asked(shim, made, (shim.gap, *serving.get(_place(shim), ())))
    yield from _each(change, "only inserts", _only_inserts(tree, change, after, found))


def _asked(shim: Shim, found: Member, served: Sequence[Gap]) -> Iterator[Proof]:
    """The checks against what the engine does, for each gap that the shim closes."""
    for check, ask in (("candidates", _candidates), ("level", _level), ("binds", _binds)):
        yield _said(shim, check, next(filter(None, (ask(gap, found) for gap in served)), ""))


def served(before: Sequence[Gap]) -> Served:
    """The gaps that are closed by a shim, by the shim's place: its own, and those of all wrappers that inherit it."""
    found: dict[Key, list[Gap]] = {}
    for gap in before:
        if gap.decision is not Decision.REFUSE:
            found.setdefault((gap.target.path, gap.target.name, gap.member), []).append(gap)
    return found


def _place(shim: Shim) -> Key:
    return (shim.place.path, shim.place.name, shim.member)


def _said(shim: Shim, check: str, fault: str) -> Proof:
    return Proof(shim.place, shim.member, check, not fault, fault)


def _each(change: FileChange, check: str, fault: str) -> Iterator[Proof]:
    yield from (_said(shim, check, fault) for shim in change.shims)


def _compiles(path: str, content: bytes) -> str:
    """Why the file does not compile, "" when it does."""
    source: ast.Module | bytes = content
    with suppress(SyntaxError, ValueError):  # which are met again below, where the path is known
        source = read(content).tree
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{path} does not compile: {error or type(error).__name__}"
    return ""


def _only_inserts(tree: Tree, change: FileChange, after: Source, found: Sequence[tuple[Shim, Member]]) -> str:
    """What the edit did besides inserting the shims, "" when nothing."""
    if change.path not in tree.blobs or tree.read(change.path) != change.before:
        return f"the edit of {change.path} does not start from the checkout's file"
    if only_inserted(change.before, after, [(shim.text, made) for shim, made in found]):
        return ""
    try:
        before = read(change.before)
    except (SyntaxError, ValueError) as error:
        return f"{change.path} did not parse before the edit: {error}"
    texts = [shim.text for shim in change.shims]
    return disturbed(before, after, texts, [s for _, made in found for s in made.everything], new_bases(change.shims))


def _candidates(gap: Gap, found: Member) -> str:
    """A property says no for a candidate without the member; anything else must be there in every candidate."""
    supplied = {(p.candidate.path, p.candidate.name) for p in gap.providers}
    lacking = [c.name for c in gap.wrapper.delegate.candidates if (c.path, c.name) not in supplied]
    if gap.decision is Decision.RECIPE or found.kind == "property" or not lacking:
        return ""
    return f"{', '.join(lacking)} does not have it, and a probe of the wrapper would say yes"


def _defaults(tree: Tree, shim: Shim, found: Member, after: Source) -> str:
    """A default that is copied as text must mean the same in both modules."""
    if all(p.default is None or is_literal(p.default) for p in found.params):
        return ""
    for provider in shim.gap.providers:
        path = provider.cls.path
        fault = other_meaning(found.params, after.tree, shim.place.path, read(tree.read(path)).tree, path)
        if fault:
            return fault
    return ""


def _level(gap: Gap, found: Member) -> str:
    """What the engine asks of the class must be there without an instance."""
    asked = gap.demand.asking(SiteKind.CLASS)
    if not asked or found.kind in ("classmethod", "staticmethod", "attribute"):
        return ""
    return f"{asked[0].place} asks the class, and the shim is a {found.kind} of instances"


def _binds(gap: Gap, found: Member) -> str:
    """The first call site that does not bind to the shim and to every provider, "" when all do."""
    for site in gap.demand.asking(SiteKind.CALL, SiteKind.CLASS):
        if site.shape is None or found.kind == "property":
            continue
        if found.function is None:
            return f"{site.place} calls it, and the shim is an attribute"
        fault = mismatch(found.params, site.shape)
        if fault:
            return f"the call at {site.place} does not bind to the shim: {fault}"
        for provider in gap.providers:
            fault = mismatch(provider.taken, site.shape) if provider.kind in CALLABLE else ""
            if fault:
                return f"the call at {site.place} does not bind to {provider.cls.name}: {fault}"
    return ""


def _key(gap: Gap) -> Key:
    """What a gap is, apart from its line, which moves."""
    return (gap.wrapper.cls.path, gap.wrapper.cls.name, gap.member)
