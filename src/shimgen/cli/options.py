"""The options that all commands share, turned into `Settings`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from shimgen.cli.console import DEBUG, QUIET
from shimgen.config import SEVERITIES, Options, load_settings
from shimgen.model.domain import Scope

Command = Callable[..., Any]


def _remember(key: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    def callback(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            context.meta[key] = True

    return callback


_FILE = click.Path(path_type=Path)
_OPTIONS = (
    click.option("--interface", "interfaces", multiple=True, metavar="NAME", help="Only members of this interface."),
    click.option("--wrapper", "wrappers", multiple=True, metavar="GLOB", help="Only these wrapper classes."),
    click.option("--member", "members", multiple=True, metavar="NAME", help="Only this member."),
    click.option("--severity", type=click.Choice(SEVERITIES), help="Only gaps of this severity (default: crash)."),
    click.option("--profile", default="", metavar="NAME", help="The serving stack (default: recognised)."),
    click.option("--config", type=_FILE, metavar="FILE", help="The shimgen.toml to use."),
    click.option("--package", default="", metavar="NAME", help="An installed package, in place of CHECKOUT."),
    click.option("--python", default="", metavar="PATH", help="The stack's own interpreter (default: this one)."),
    click.option("--at", "rev", default="", metavar="REV", help="Read this git revision, not the work tree."),
    click.option("--json", "as_json", is_flag=True, help='Print one JSON object, schema "shimgen/1".'),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the cache of facts."),
    click.option("-v", "--verbose", count=True, help="Say more."),
    click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=_remember(QUIET), help="No notes."),
    click.option("--debug", is_flag=True, expose_value=False, callback=_remember(DEBUG), help="Show tracebacks."),
)


def with_settings(function: Command) -> Command:
    """Give a command CHECKOUT and the shared options; it is called with `settings`, `as_json` and its own options."""

    @wraps(function)
    def run(checkout: Path | None, config: Path | None, **given: Any) -> Any:
        return function(load_settings(checkout, config, requested(checkout, given)), **given)

    return shared_options(run)


def requested(checkout: Path | None, given: dict[str, Any]) -> Options:
    """The shared options, taken out of `given`. Raises a usage error when they name a source besides `checkout`."""
    names = {key: given.pop(key) for key in ("interfaces", "wrappers", "members")}
    scope = Scope(**names, severity=given.pop("severity") or "")
    rest = {key: given.pop(key) for key in ("profile", "rev", "verbose", "package", "python")}
    said = Options(scope, use_cache=not given.pop("no_cache"), **rest)
    if said.package and checkout is not None:
        raise click.UsageError(f"either the package {said.package} or {checkout} is meant: leave one of them out")
    return said


def shared_options(function: Command) -> Command:
    """Add CHECKOUT and the shared options to a command, in the order in which --help lists them."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return click.argument("checkout", required=False, type=_FILE)(function)


def printed_as(*forms: str) -> Callable[[Command], Command]:
    """Give a command, below the shared options, `--format` with these forms; it is called with `form` for what
    `--format` or `--json` says. Raises a usage error where they say two things."""

    def add(function: Command) -> Command:
        @wraps(function)
        def run(*args: Any, as_json: bool, form: str | None, **given: Any) -> Any:
            if as_json and form not in (None, "json"):
                raise click.UsageError(f"--json and --format {form} contradict each other")
            return function(*args, form="json" if as_json else form or "text", **given)

        choice = click.Choice(("text", "json", *forms))
        return click.option("--format", "form", type=choice, help="How to print it (default: text).")(run)

    return add


def writes_work_tree(rev: str | None, command: str) -> None:
    """Refuse `--at` where files are written. Raises a usage error."""
    if rev:
        raise click.UsageError(
            f"--at reads a revision and {command} writes files; try: shimgen patch --at {rev} -o DIR"
        )
