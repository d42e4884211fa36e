"""The command line's entry point."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

import click

from shimgen import __version__
from shimgen.cli.console import BROKEN_PIPE, INTERRUPTED, Commands, leave_stdout, say

EPILOG = (
    "Exit codes: 0 done, nothing pending; 1 gaps or changes pending; 2 usage or configuration; "
    "3 the baseline is not what was expected; 4 nothing could be generated, verified or applied."
)


@click.group(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="shimgen", message="%(prog)s %(version)s")
def shimgen() -> None:
    """Forwarding methods for the composition wrappers of LLM serving stacks, as patches that git applies."""


def main() -> NoReturn:
    """Run and exit, at once: taking an analysis apart, object by object, can take longer than all else.

    A stop by SIGTERM, as from `timeout` and CI, and a hangup are taken for Ctrl-C: what was begun is tidied up.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    os._exit(_run())


def _run() -> int:
    """Run, and give the exit code, also of what went wrong outside of all commands."""
    try:
        try:
            return shimgen.main(standalone_mode=False) or 0
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except (KeyboardInterrupt, click.Abort):
        say("shimgen: interrupted")
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except SystemExit:  # so click ends where the reader of --help went away
        return BROKEN_PIPE
    except OSError as error:  # --help and --version, which no command handles
        leave_stdout()
        say(f"shimgen: cannot write to stdout: {error.strerror}")
        return 4
