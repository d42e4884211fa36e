"""Commands that change nothing: scan, check, explain, upgrade. Heavy imports wait until a command runs."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from shimgen.cli.console import about, emit, finish, note, paint, working
from shimgen.cli.options import printed_as, with_settings
from shimgen.config import Settings
from shimgen.model.domain import Wrapper
from shimgen.model.errors import ConfigError, did_you_mean
from shimgen.model.results import Analysis, Explanation

if TYPE_CHECKING:
    from shimgen.model.upgrade import Upgrade


@click.command(short_help="List wrappers, demands and gaps.")
@with_settings
@printed_as("sarif", "html")
@click.option("--exit-code", is_flag=True, help="Exit 1 when a gap in scope could be closed.")
def scan(settings: Settings, form: str, exit_code: bool) -> None:
    """List wrappers, demands and gaps. Changes nothing."""
    from shimgen import pipeline
    from shimgen.report import json, text
    from shimgen.scope import judge

    analysis = pipeline.analyse(settings)
    about(settings, analysis)
    if form == "sarif":
        from shimgen.report import sarif

        emit(sarif.render(analysis, judge(analysis, settings.accepts, date.today())))
    elif form == "html":
        from shimgen.report import html

        emit(html.render(analysis))
    else:
        emit(json.render(analysis) if form == "json" else text.scan(analysis, paint, bool(settings.verbose)))
    if exit_code and analysis.pending:
        finish(1)


@click.command(short_help="A gate for CI: exit 1 while something is to be done.")
@with_settings
@printed_as("sarif")
@click.option("--strict", is_flag=True, help="Count refused gaps as well.")
def check(settings: Settings, form: str, strict: bool) -> None:
    """A gate for CI: exit 1 while a gap could be closed or a shim is stale."""
    from shimgen import pipeline
    from shimgen.report import json, text
    from shimgen.scope import judge

    analysis = pipeline.gate(settings)
    found = judge(analysis, settings.accepts, date.today())
    about(settings, analysis)
    if found.stale:
        note("shimgen apply writes the stale shims anew, or takes them out")
    if form == "sarif":
        from shimgen.report import sarif

        emit(sarif.render(analysis, found, strict))
    else:
        emit(json.render(analysis, accepts=found.accepts) if form == "json" else text.check(found, strict, paint))
    if found.fails(strict):
        finish(1)


@click.command(short_help="Show the whole evidence for a gap or a wrapper.")
@click.argument("target", metavar="CLASS[.MEMBER]")
@with_settings
def explain(settings: Settings, target: str, as_json: bool) -> None:
    """Show the whole chain of evidence for a gap, or all that is known of a wrapper."""
    from shimgen import pipeline
    from shimgen.report import json

    found = pipeline.explain(settings, lambda analysis: narrowed(analysis, target))
    analysis = found.analysis
    member = named(analysis, target)[1]
    about(settings, analysis)
    if as_json:
        emit(json.render(analysis))
    elif member:
        emit("\n".join(_member(found, wrapper, member) for wrapper in analysis.wrappers))
    else:
        emit("\n".join(_wrapper(found, wrapper) for wrapper in analysis.wrappers))


@click.command(short_help="Compare two revisions: what becomes needed, stale or upstream's own.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@with_settings
@printed_as("markdown")
@click.option("--exit-code", is_flag=True, help="Exit 1 when a shim comes, goes or changes, or a carried patch does.")
def upgrade(settings: Settings, old: str, new: str, form: str, exit_code: bool) -> None:
    """Compare two git revisions: for every member of every wrapper what becomes of its shim, and the demands
    that came, went or changed. Nothing is checked out."""
    from shimgen import pipeline
    from shimgen.report import text

    if settings.rev:
        raise click.UsageError("upgrade reads OLD and NEW; leave out --at")
    with working("comparing"):
        found = pipeline.upgrade(settings, old, new)
    for revision in (found.old, found.new):
        costs = text.costs(revision.stats) if settings.verbose else ()
        note(*(f"{revision.name}: {fact}" for fact in (*text.notes(revision.stats), *costs)))
    emit(_printed(found, form, bool(settings.verbose)))
    if exit_code and found.is_news:
        finish(1)


def narrowed(analysis: Analysis, target: str) -> Analysis:
    """The part of an analysis that CLASS[.MEMBER] names. Raises ConfigError with the nearest names."""
    wrappers, member = named(analysis, target)
    gaps = tuple(gap for gap in analysis.gaps if gap.wrapper in wrappers and member in ("", gap.member))
    return replace(analysis, wrappers=wrappers, gaps=gaps)


def named(analysis: Analysis, target: str) -> tuple[tuple[Wrapper, ...], str]:
    """The wrappers that CLASS[.MEMBER] names, and the member or "". Raises ConfigError with the nearest names."""
    classes = {wrapper.cls.name for wrapper in analysis.wrappers}
    name, _, member = (target, "", "") if target in classes else target.rpartition(".")
    if name not in classes:
        wrong = name or target
        hint = "shimgen scan --verbose"
        known = f"{did_you_mean(wrong, classes)}{analysis.stats.left_out}"
        raise ConfigError(f'no wrapper is called "{wrong}"{known}', hint)
    members = {demand.member for demand in analysis.demands} | {gap.member for gap in analysis.gaps}
    if member and member not in members:
        near = did_you_mean(member, members)
        raise ConfigError(f'the engine demands no member "{member}" of a model{near}', f"shimgen explain {name}")
    return tuple(wrapper for wrapper in analysis.wrappers if wrapper.cls.name == name), member


def _member(found: Explanation, wrapper: Wrapper, member: str) -> str:
    """The chain of evidence for one member of one wrapper, or why nothing is missing."""
    from shimgen.report import explain

    gaps = [gap for gap in found.analysis.gaps if gap.wrapper == wrapper]
    if gaps:
        shims = {(shim.place, shim.member): shim for shim in found.shims}
        return "\n".join(explain.member(gap, shims.get((gap.target, member)), paint) for gap in gaps)
    demand = next(demand for demand in found.analysis.demands if demand.member == member)
    return explain.nothing_missing(wrapper, demand, found.provided.get(wrapper.cls, {}).get(member), paint)


def _wrapper(found: Explanation, wrapper: Wrapper) -> str:
    from shimgen.report import explain

    gaps = [gap for gap in found.analysis.gaps if gap.wrapper == wrapper]
    return explain.wrapper(wrapper, gaps, found.provided.get(wrapper.cls, {}), paint)


def _printed(found: Upgrade, form: str, verbose: bool) -> str:
    if form == "json":
        from shimgen.report import upgrade_json

        return upgrade_json.render(found)
    if form == "markdown":
        from shimgen.report import upgrade_markdown

        return upgrade_markdown.markdown(found)
    from shimgen.report import upgrade

    return upgrade.text(found, paint, verbose)
