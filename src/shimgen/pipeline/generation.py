"""Gaps -> verified series."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from shimgen import checkout as baseline
from shimgen.collector import collector_off
from shimgen.config import Settings
from shimgen.model.carried import CarriedState
from shimgen.model.domain import ClassRef, Decision, FileChange, Gap, Provider
from shimgen.model.errors import GenerateError
from shimgen.model.results import Analysis, Explanation, Outcome, Proof, Step, summarise
from shimgen.model.source import Tree
from shimgen.pipeline.analysis import Found, Work, find, work_out
from shimgen.pipeline.carried import lay, refuse_conflicts, settled
from shimgen.pipeline.ground import Layers, edits
from shimgen.pipeline.making import Maker, Shims, make_shims, pyproject
from shimgen.pipeline.session import Session, open_session, timed
from shimgen.scope import in_scope

_FEW = 10
"""How many pending gaps are generated to see whether any can be written at all."""


def explain(settings: Settings, choose: Callable[[Analysis], Analysis]) -> Explanation:
    """What is known of the part of the analysis that `choose` returns; gaps of every severity, whatever the scope.

    The shims are as `generate` makes them; they are not verified. Raises BaselineError, ConfigError, GenerateError.
    """
    session = open_session(replace(settings, scope=replace(settings.scope, severity="all")))
    work = work_out(session)
    analysis = choose(work.analysis)
    with session.clock.stage("shims"):
        made = _sketch(session, analysis.pending, work.found)
        owned = _owned(session, analysis, work.found)
    shims = tuple(shim for change in made.changes for shim in change.shims)
    return Explanation(timed(session, with_refusals(analysis, made.refused)), shims, dict(owned.members))


class _Owned(msgspec.Struct, frozen=True, array_like=True):
    """What each wrapper provides by itself of what is demanded."""

    members: tuple[tuple[ClassRef, Mapping[str, Provider]], ...]


def _sketch(session: Session, gaps: tuple[Gap, ...], found: Found) -> Shims:
    """The shims for people to look at."""
    if not gaps:
        return Shims()
    depends = gaps, pyproject(session.checkout)
    return session.memory.once(Shims, found.tree, depends, lambda: make_shims(session, gaps, found))


def _owned(session: Session, analysis: Analysis, found: Found) -> _Owned:
    wrappers = tuple(wrapper.cls for wrapper in analysis.wrappers)

    def look() -> _Owned:
        from shimgen.gaps import provided

        return _Owned(tuple(provided(found.program, session.profile, wrappers, analysis.demands).items()))

    return session.memory.once(_Owned, found.tree, (wrappers, analysis.demands), look)


def gate(settings: Settings) -> Analysis:
    """The analysis as `apply` would act on it: what cannot be written after all is refused. Nothing is verified.

    Where nothing is pending, nothing is generated, so that an open gate costs no more than a scan. Where much is, a
    few gaps are enough to see that something can be written; what `apply` leaves over is looked at the next time.
    """
    session = open_session(settings)
    work = work_out(session)
    done = _settled(session, work)
    if done is not None:
        return timed(session, done)
    pending = work.analysis.pending
    with session.clock.stage("shims"):
        shut = len(pending) > _FEW and _sketch(session, pending[:_FEW], work.found).changes
    if not work.bare.cargo and (shut or not pending):
        return timed(session, work.analysis)
    with session.clock.stage("shims"):
        made = _sketch(session, wanted(session, work), work.bare.found)
    return timed(session, with_refusals(finish(session, work, made.changes).analysis, made.refused))


def generate(settings: Settings) -> Outcome:
    """The analysis and its verified series.

    A shim that cannot be placed becomes a refusal. Raises GenerateError when one fails its proof: nothing is emitted
    that was not shown to hold.
    """
    return generate_in(open_session(settings))


def generate_in(session: Session, steps: bool = False) -> Outcome:
    """Everything is generated from the source without anything of shimgen's, and compared with what stands there.

    Where all of it stands already nothing is generated, unless the `steps` that lead there are asked for.
    """
    from shimgen.patch import render_changes

    with Maker(session) as maker:
        work = work_out(session, maker.get_ready)
        done = None if steps else _settled(session, work)
        if done is not None:
            return Outcome(timed(session, done))
        changes, refused, proofs = proven(session, work, maker)
    _require(proofs)
    made = finish(session, work, changes)
    refuse_conflicts(made.analysis.carried)
    _require_syntax(made.changes, {change.after for change in changes})
    with session.clock.stage("patch"):
        patch = baseline.render_patch(session.checkout, made.changes, render_changes) if made.changes else b""
    analysis = timed(session, with_refusals(made.analysis, refused))
    return replace(made, analysis=analysis, patch=patch, proofs=proofs)


def _settled(session: Session, work: Work) -> Analysis | None:
    """The analysis where everything stands already, None where something may be to be done."""
    if work.analysis.pending or work.analysis.stale:
        return None
    carried = settled(session, work.bare.ground, work.bare.cargo, work.bare.first)
    return replace(work.analysis, carried=carried) if carried is not None else None


def verify(settings: Settings, python: str = "", stubs: Sequence[str] = ()) -> Outcome:
    """Every shim in scope, and every one that stands in the checkout, with the proofs of each; nothing is written.

    With `python`, the serving stack's own interpreter is asked as well; `stubs` names modules to be replaced there.
    A failed proof is in the outcome and raises nothing.
    """
    session = open_session(settings)
    with Maker(session) as maker:
        work = work_out(session, maker.get_ready)
        changes, refused, proofs = proven(session, work, maker)
    if python:
        from shimgen.verify import live

        with session.clock.stage("live"):
            proofs += live(changes, session.checkout.root, session.root, python, stubs)
    return Outcome(timed(session, with_refusals(work.analysis, refused)), changes, b"", proofs)


def proven(
    session: Session, work: Work, maker: Maker
) -> tuple[tuple[FileChange, ...], tuple[Gap, ...], tuple[Proof, ...]]:
    """What is generated from the bare source, the gaps that are refused after all, and the proofs."""
    with collector_off(), session.clock.stage("shims"):
        made = maker.make(wanted(session, work), work.bare.found)
    scoped = in_scope(work.bare.found.gaps, session.settings.scope)
    with collector_off(), session.clock.stage("proofs"):
        return made.changes, made.refused, _prove(session, work.bare.found, scoped, made.changes)


def wanted(session: Session, work: Work) -> tuple[Gap, ...]:
    """What is to be generated: the gaps in scope, and those that shims of earlier runs rightly close."""
    scoped = in_scope(work.bare.found.gaps, session.settings.scope)
    every = {(g.wrapper.cls, g.member): g for g in (*scoped, *work.kept) if g.decision is not Decision.REFUSE}
    return tuple(every.values())


def finish(session: Session, work: Work, shims: Sequence[FileChange]) -> Outcome:
    """The series: from the source without anything of shimgen's step by step to what it is to be, and the changes as
    seen from the checkout as it stands. A carried patch that conflicts is in the analysis and in no step."""
    layers = Layers(work.bare.layers.read)
    layers.put({change.path: change.after for change in shims})
    last = lay(work.bare.cargo, "after", layers)
    steps = [Step(patch.changes, patch) for patch in work.bare.first if patch.changes]
    steps += [Step(tuple(shims))] if shims else []
    steps += [Step(patch.changes, patch) for patch in last if patch.changes]
    final = {**work.bare.ground.contents, **work.bare.layers.changed, **layers.changed}
    changes = edits(final, session.read, shims)
    pending = {change.path for change in changes}
    carried = tuple(
        replace(patch, stands=patch.state is CarriedState.THERE or (patch.made and pending.isdisjoint(patch.paths)))
        for patch in (*work.bare.first, *last)
    )
    return Outcome(replace(work.analysis, carried=carried), changes, steps=tuple(steps))


def _require_syntax(changes: Sequence[FileChange], proven: Collection[bytes]) -> None:
    """Raises GenerateError when a changed Python file is none any more, which only a carried patch can cause: the
    contents in `proven` are known to compile."""
    for change in changes:
        if change.path.endswith(".py") and change.after not in proven:
            try:
                ast.parse(change.after)
            except (SyntaxError, ValueError) as error:
                message = f"{change.path} would no longer be valid Python: {error}; nothing was changed"
                raise GenerateError(message, "correct the carried patch") from error


def _prove(session: Session, base: Found, gaps: Sequence[Gap], changes: Sequence[FileChange]) -> tuple[Proof, ...]:
    from shimgen.verify import prove

    def again(tree: Tree) -> Sequence[Gap]:
        return in_scope(find(session, tree, base).gaps, session.settings.scope)

    return prove(base.tree, changes, again, gaps) if changes else ()


def _require(proofs: Sequence[Proof]) -> None:
    """Raises GenerateError when a proof failed: what was not shown to hold is not emitted."""
    tally = summarise(proofs)
    if not tally.passed:
        first = tally.failures[0]
        where = f"{first.wrapper.path}: {first.wrapper.name}.{first.member}"
        message = f"{where} was generated and failed verification ({first.check}): {first.detail}; nothing was changed"
        raise GenerateError(message, f"shimgen explain {first.wrapper.name}.{first.member}")


def with_refusals(analysis: Analysis, refused: Sequence[Gap]) -> Analysis:
    """The analysis with gaps that cannot be written after all. They were found in the bare source, where a class may
    stand on another line."""
    late = {_place(gap): gap for gap in refused}
    return replace(analysis, gaps=tuple(_refused(g, late.get(_place(g))) for g in analysis.gaps))


def _place(gap: Gap) -> tuple[str, str, str, str]:
    return gap.wrapper.cls.path, gap.wrapper.cls.name, gap.wrapper.delegate.attribute, gap.member


def _refused(gap: Gap, late: Gap | None) -> Gap:
    if late is None or gap.decision is Decision.REFUSE:
        return gap
    return replace(gap, decision=late.decision, reason=late.reason, detail=late.detail, advice=late.advice)
