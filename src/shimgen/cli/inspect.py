"""Commands that change nothing: scan, check, explain. Heavy imports wait until a command runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import click

from shimgen.cli.console import emit, finish, note, paint
from shimgen.cli.options import with_settings
from shimgen.config import Accept, Settings
from shimgen.model.domain import Gap, Scope, Shim, Wrapper
from shimgen.model.errors import ConfigError, did_you_mean
from shimgen.model.results import Analysis, Verdict


@click.command(short_help="List wrappers, demands and gaps.")
@with_settings
@click.option("--exit-code", is_flag=True, help="Exit 1 when a gap in scope could be closed.")
def scan(settings: Settings, as_json: bool, exit_code: bool) -> None:
    """List wrappers, demands and gaps. Changes nothing."""
    from shimgen import pipeline
    from shimgen.report import json, text

    analysis = pipeline.analyse(settings)
    note(*text.notes(analysis))
    emit(json.render(analysis) if as_json else text.scan(analysis, paint, bool(settings.verbose)))
    if exit_code and analysis.pending:
        finish(1)


@click.command(short_help="A gate for CI: exit 1 while something is to be done.")
@with_settings
@click.option("--strict", is_flag=True, help="Count refused gaps as well.")
def check(settings: Settings, as_json: bool, strict: bool) -> None:
    """A gate for CI: exit 1 while a gap could be closed or a shim is stale."""
    from shimgen import pipeline
    from shimgen.report import json, text

    analysis = pipeline.analyse(settings)
    found = judge(analysis, settings.accepts, date.today())
    note(*text.notes(analysis))
    emit(json.render(analysis) if as_json else text.check(found, strict, paint))
    if found.fails(strict):
        finish(1)


@click.command(short_help="Show the whole evidence for a gap or a wrapper.")
@click.argument("target", metavar="CLASS[.MEMBER]")
@with_settings
def explain(settings: Settings, target: str, as_json: bool) -> None:
    """Show the whole chain of evidence for a gap, or all that is known of a wrapper."""
    from shimgen import pipeline
    from shimgen.report import explain as explain_
    from shimgen.report import json, text

    analysis = pipeline.analyse(replace(settings, scope=Scope(severity="all")))
    wrappers, member = named(analysis, target)
    gaps = tuple(gap for gap in analysis.gaps if gap.wrapper in wrappers and member in ("", gap.member))
    narrowed = replace(analysis, wrappers=wrappers, gaps=gaps)
    note(*text.notes(analysis))
    if as_json:
        emit(json.render(narrowed))
    elif member:
        shims = _shims(settings, narrowed, member)
        emit("\n".join(_member(wrapper, member, gaps, shims) for wrapper in wrappers))
    else:
        emit("\n".join(explain_.wrapper(w, [gap for gap in gaps if gap.wrapper == w], {}, paint) for w in wrappers))


def named(analysis: Analysis, target: str) -> tuple[tuple[Wrapper, ...], str]:
    """The wrappers that CLASS[.MEMBER] names, and the member or "". Raises ConfigError with the nearest names."""
    classes = {wrapper.cls.name for wrapper in analysis.wrappers}
    name, _, member = (target, "", "") if target in classes else target.rpartition(".")
    if name not in classes:
        wrong = name or target
        hint = "shimgen scan --verbose"
        raise ConfigError(f'no wrapper is called "{wrong}"{did_you_mean(wrong, classes)}', hint)
    members = {demand.member for demand in analysis.demands} | {gap.member for gap in analysis.gaps}
    if member and member not in members:
        near = did_you_mean(member, members)
        raise ConfigError(f'the engine demands no member "{member}" of a model{near}', f"shimgen explain {name}")
    return tuple(wrapper for wrapper in analysis.wrappers if wrapper.cls.name == name), member


def _shims(settings: Settings, narrowed: Analysis, member: str) -> tuple[Shim, ...]:
    """What would be inserted for the gaps of an explanation."""
    from shimgen import pipeline

    if not narrowed.pending:
        return ()
    scope = Scope(wrappers=(narrowed.wrappers[0].cls.name,), members=(member,), severity="all")
    return tuple(shim for change in pipeline.generate(replace(settings, scope=scope)).changes for shim in change.shims)


def _member(wrapper: Wrapper, member: str, gaps: tuple[Gap, ...], shims: tuple[Shim, ...]) -> str:
    """The chain of evidence for one member of one wrapper, or the sentence that nothing is missing."""
    from shimgen.report import explain

    found = [gap for gap in gaps if gap.wrapper == wrapper]
    if not found:
        return f"{wrapper.cls.name}.{member}: no gap, {wrapper.cls.name} provides it or is not asked for it\n"
    chains = []
    for gap in found:
        shim = next((s for s in shims if (s.gap.wrapper, s.gap.member) == (gap.wrapper, gap.member)), None)
        chains.append(explain.member(gap, shim, paint))
    return "\n".join(chains)


def judge(analysis: Analysis, accepts: tuple[Accept, ...], today: date) -> Verdict:
    """Sort the gaps of an analysis into what counts and what the user accepted."""

    def accepted(gap: Gap) -> str | None:
        name = gap.wrapper.cls.name
        return next((a.reason for a in accepts if a.covers(name, gap.member, today)), None)

    reasons = {id(gap): accepted(gap) for gap in analysis.gaps}
    return Verdict(
        pending=tuple(gap for gap in analysis.pending if reasons[id(gap)] is None),
        refused=tuple(gap for gap in analysis.refused if reasons[id(gap)] is None),
        accepted=tuple((gap, reason) for gap in analysis.gaps if (reason := reasons[id(gap)]) is not None),
        stale=analysis.stale,
    )
