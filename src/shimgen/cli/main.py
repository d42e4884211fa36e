"""The command line's entry point."""

from __future__ import annotations

import sys

import click

from shimgen import __version__
from shimgen.cli import change, init, inspect, pin, upgrade
from shimgen.cli.console import INTERRUPTED, Commands, leave_stdout, say

EPILOG = (
    "Exit codes: 0 done, nothing pending; 1 gaps or changes pending; 2 usage or configuration; "
    "3 the baseline is not what was expected; 4 nothing could be generated, verified or applied."
)


@click.group(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="shimgen", message="%(prog)s %(version)s")
def shimgen() -> None:
    """Forwarding methods for the composition wrappers of LLM serving stacks, as patches that git applies."""


for command in (
    init.init,
    inspect.scan,
    change.diff,
    change.apply,
    inspect.check,
    change.patch,
    inspect.explain,
    change.verify,
    change.revert,
    upgrade.upgrade,
    pin.pin,
):
    shimgen.add_command(command)


def main() -> None:
    """Run and exit."""
    try:
        try:
            shimgen.main()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except KeyboardInterrupt:
        say("shimgen: interrupted")
        sys.exit(INTERRUPTED)
    except OSError as error:  # --help and --version, which no command handles
        leave_stdout()
        say(f"shimgen: cannot write to stdout: {error.strerror}")
        sys.exit(4)
