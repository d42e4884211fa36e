"""What leaves the program: results on stdout, notes on stderr, and every error as one sentence with an exit code."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, NoReturn

import click

from shimgen.config import Settings
from shimgen.model.errors import GenerateError, ShimgenError
from shimgen.model.results import Analysis

_HOMES = {
    "init": "init",
    "scan": "inspect",
    "diff": "change",
    "apply": "change",
    "check": "inspect",
    "patch": "change",
    "explain": "inspect",
    "verify": "change",
    "revert": "change",
    "upgrade": "inspect",
    "pin": "init",
}
"""The commands in the order in which a person meets them, and the modules that they are in."""
QUIET, DEBUG = "shimgen.quiet", "shimgen.debug"
BROKEN_PIPE, INTERRUPTED = 141, 130
_COLOURS: dict[str, dict[str, Any]] = {
    "name": {"bold": True},
    "crash": {"fg": "red"},
    "silent": {"fg": "yellow"},
    "drift": {"fg": "magenta"},
    "forward": {"fg": "green"},
    "recipe": {"fg": "green"},
    "refuse": {"fg": "yellow"},
    "faint": {"dim": True},
}


class Commands(click.Group):
    """The command group. Whatever goes wrong below it ends as one sentence and an exit code, never as a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which a person meets them."""
        return list(_HOMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, of whose module nothing is imported before."""
        home = _HOMES.get(cmd_name)
        if home is None:
            return None
        found: click.Command = getattr(import_module(f"shimgen.cli.{home}"), cmd_name)
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an empty argument: it comes of a variable without value, and would mean something else."""
        empty = next((n for n, word in enumerate(args) if not word or (word[:2] == "--" and word[-1] == "=")), None)
        if empty is not None:
            raise click.UsageError(f"an argument is empty: {' '.join(args[:empty])} {args[empty] or repr('')}", ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Raises click's own exceptions, and with --debug any other."""
        try:
            if sys.stdout is None:  # the process was started without one
                fail("there is no stdout to write the result to")
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except ShimgenError as error:
            fail(error.message, error.hint, error.exit_code)
        except BrokenPipeError:
            leave_stdout()
            finish(BROKEN_PIPE)
        except KeyboardInterrupt:
            say("shimgen: interrupted")
            finish(INTERRUPTED)
        except Exception as error:
            if ctx.meta.get(DEBUG):
                raise
            fail(*_unexpected(error, ctx.invoked_subcommand or ""))


def fail(message: str, hint: str = "", code: int = 4) -> NoReturn:
    """Say what went wrong and what to type next, and end the command with that exit code."""
    say(f"shimgen: {message}")
    if hint:
        say(f"  next: {hint}")
    finish(code)


def emit(text: str | bytes, done: bool = False) -> None:
    """Write the result of a command to stdout, as it is. Characters that stdout cannot show are escaped.

    Ends the command when stdout takes nothing, in another way where what the command changes is `done`; a reader who
    went away is left to `Commands`.
    """
    stream = sys.stdout.buffer
    try:
        stream.write(text.encode(sys.stdout.encoding, "backslashreplace") if isinstance(text, str) else text)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        leave_stdout()
        what = "the command did its work, but cannot write" if done else "cannot write"
        fail(f"{what} the result to stdout: {error.strerror}", code=BROKEN_PIPE if done else GenerateError.exit_code)


def say(text: str) -> None:
    """Write a line to stderr; a closed or odd stderr is no reason to fail."""
    try:
        stream = sys.stderr.buffer
        stream.write(f"{text}\n".encode(sys.stderr.encoding, "backslashreplace"))
        stream.flush()
    except (OSError, ValueError, AttributeError):
        return


def note(*texts: str) -> None:
    """Write notes to stderr, unless the user asked for quiet."""
    context = click.get_current_context(silent=True)
    if context is None or not context.meta.get(QUIET):
        for text in texts:
            say(f"note: {text}")


def about(settings: Settings, analysis: Analysis) -> None:
    """Notes on what was read: files left out, a baseline that is not the pinned one; with -v what it cost."""
    from shimgen.report import text

    note(*text.notes(analysis.stats), *analysis.notes)
    if settings.verbose:
        note(*text.costs(analysis.stats))


def paint(role: str, text: str) -> str:
    """Colour a part of a report, on a terminal only."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or not text:
        return text
    return click.style(text, **_COLOURS[role])


def working(text: str) -> AbstractContextManager[object]:
    """Show on stderr that something goes on, on a terminal only."""
    context = click.get_current_context(silent=True)
    if sys.stderr is None or not sys.stderr.isatty() or (context is not None and context.meta.get(QUIET)):
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(text)


def finish(code: int) -> NoReturn:
    """End the command with that exit code."""
    raise click.exceptions.Exit(code)


def leave_stdout() -> None:
    """Stdout takes nothing more: let the interpreter's last flush go nowhere instead of complaining."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


def _unexpected(error: Exception, command: str) -> tuple[str, str]:
    """Sentence and hint for an error that no stage foresaw: the system said no, or shimgen is wrong."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    module = str(frame.tb_frame.f_globals.get("__name__")) if frame else ""
    if isinstance(error, OSError) and error.strerror:
        if error.filename is not None:
            return f"cannot access {error.filename}: {error.strerror}", f"ls -ld {error.filename}"
        if module.startswith("click."):  # --help, which writes to stdout by itself
            leave_stdout()
            return f"cannot write to stdout: {error.strerror}", ""
        return f"the system said no in {module}: {error.strerror}", f"ulimit -a, or: shimgen {command} --debug"
    if isinstance(error, UnicodeEncodeError):
        odd = error.object[max(error.start - 40, 0) : error.end + 40]
        other = "" if error.encoding == "utf-8" else f", or: PYTHONUTF8=1 shimgen {command}"
        return f"{odd!r} cannot be written as {error.encoding}", f"rename it{other}"
    spot = f" in {module}, line {frame.tb_lineno}" if frame else ""
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"internal error{spot}: {what}", f"shimgen {command} --debug, and report the traceback"
