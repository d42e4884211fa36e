"""`shimgen upgrade`: what a new revision changes. Heavy imports wait until the command runs."""

from __future__ import annotations

import click

from shimgen.cli.console import emit, finish, note, paint, working
from shimgen.cli.options import printed_as, with_settings
from shimgen.config import Settings
from shimgen.model.upgrade import Upgrade


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


def _printed(found: Upgrade, form: str, verbose: bool) -> str:
    if form == "json":
        from shimgen.report import upgrade_json

        return upgrade_json.render(found)
    if form == "markdown":
        from shimgen.report import upgrade_markdown

        return upgrade_markdown.markdown(found)
    from shimgen.report import upgrade

    return upgrade.text(found, paint, verbose)
