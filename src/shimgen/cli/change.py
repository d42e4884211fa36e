"""Commands about the patch: diff, apply, patch, verify, revert. Heavy imports wait until a command runs."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from click.core import ParameterSource

from shimgen.cli.console import about, emit, finish, note, paint, working
from shimgen.cli.options import with_settings, writes_work_tree
from shimgen.config import Settings
from shimgen.model.errors import GenerateError
from shimgen.model.results import Outcome


@click.command(short_help="Print the patch and nothing else.")
@with_settings
@click.option("--exit-code", is_flag=True, help="Exit 1 when the patch is not empty.")
def diff(settings: Settings, as_json: bool, exit_code: bool) -> None:
    """Print the patch and nothing else. Changes nothing."""
    from shimgen import pipeline

    with working("generating"):
        outcome = pipeline.generate(settings)
    _notes(settings, outcome)
    emit(_json(outcome) if as_json else outcome.patch)
    if exit_code and outcome.changes:
        finish(1)


class _Apply(click.Command):
    """`--commit` takes a value behind an equals sign only, so that what follows it is CHECKOUT."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--commit=each" if word == "--commit" else word for word in args])


@click.command(cls=_Apply, short_help="Apply the patch to the work tree: all or nothing.")
@with_settings
@click.option("--series", type=click.Path(path_type=Path), metavar="DIR", help="Bring back a reviewed series instead.")
@click.option("--branch", default="", metavar="NAME", help="On a new branch.")
@click.option("--commit", type=click.Choice(("each", "one")), help="Commit each patch of the series, or =one commit.")
@click.option("--dry-run", is_flag=True, help="Do everything but writing.")
def apply(
    settings: Settings, as_json: bool, series: Path | None, branch: str, commit: str | None, dry_run: bool
) -> None:
    """Generate, verify and apply the patch to the work tree: all or nothing."""
    from shimgen import pipeline
    from shimgen.report import text

    writes_work_tree(settings.rev, "apply")
    manner = pipeline.Manner(series, branch, commit or "", dry_run)
    with working("generating and verifying"):
        outcome = pipeline.apply(settings, manner)
    _notes(settings, outcome)
    if dry_run:
        note("a dry run: nothing was written")
    emit(
        _json(outcome) if as_json else text.changed(outcome, "added", paint) + text.committed(outcome, branch),
        done=True,
    )


@click.command(short_help="Write the series as files for `git am`.")
@with_settings
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Where files go.")
def patch(settings: Settings, as_json: bool, output: Path) -> None:
    """Write the series as files for `git am` or `git apply`."""
    from shimgen import pipeline

    with working("generating"):
        outcome, files = pipeline.series(settings, output)
    _notes(settings, outcome)
    if not files:
        left = f"; the series in {output} is an earlier one" if (output / "series").is_file() else ""
        note(f"nothing was written: nothing is missing in the checkout{left}")
    emit(_json(outcome) if as_json else "".join(f"{file}\n" for file in files), done=True)


@click.command(short_help="Take out what apply put in, byte for byte.")
@with_settings
def revert(settings: Settings, as_json: bool) -> None:
    """Take out of the work tree what apply put in, byte for byte."""
    from shimgen import pipeline
    from shimgen.report import json, text

    writes_work_tree(settings.rev, "revert")
    with working("reverting"):
        outcome = pipeline.revert(settings)
    _notes(settings, outcome)
    if not outcome.changes:
        note("nothing to revert: what shimgen apply put in is recorded, and no record is left here")
    changed = json.render(outcome.analysis, outcome.changes)
    emit(changed if as_json else text.changed(outcome, "removed", paint), done=True)


@click.command(short_help="Prove the shims by executing them.")
@with_settings
@click.option("--live/--no-live", default=None, help="Ask the real classes too, in --python (default: if named).")
@click.option("--stub", "stubs", multiple=True, metavar="NAME", help="A module that is replaced there; repeatable.")
def verify(settings: Settings, as_json: bool, live: bool | None, stubs: tuple[str, ...]) -> None:
    """Execute every shim in scope, and every one that stands in the checkout, against recording delegates."""
    from shimgen import pipeline
    from shimgen.model.results import summarise
    from shimgen.report import text

    python = _asked(settings, live)
    with working("generating and verifying"):
        outcome = pipeline.verify(settings, python, stubs)
    _notes(settings, outcome)
    tally = summarise(outcome.proofs)
    emit(_json(outcome) if as_json else text.proven(outcome.proofs))
    if not tally.passed:
        finish(GenerateError.exit_code)


def _asked(settings: Settings, live: bool | None) -> str:
    """The interpreter whose classes are asked, "" for none. It is asked unbidden when this command line names it."""
    named = click.get_current_context().get_parameter_source("python") is ParameterSource.COMMANDLINE
    if not (named if live is None else live):
        return ""
    if not settings.python and not settings.package:
        raise click.UsageError("--live asks the stack's own interpreter: name it with --python PATH")
    return settings.python or sys.executable


def _json(outcome: Outcome) -> str:
    from shimgen.report import json

    return json.render(outcome.analysis, outcome.changes, outcome.proofs, commits=outcome.commits)


def _notes(settings: Settings, outcome: Outcome) -> None:
    """What belongs on stderr: what was read, what an earlier run had left, and the gaps that stay open."""
    from shimgen.report import text

    about(settings, outcome.analysis)
    notes = (*filter(None, [outcome.recovered]), *text.carried(outcome.analysis))
    note(*notes, *text.left_to_a_person(outcome.analysis))
