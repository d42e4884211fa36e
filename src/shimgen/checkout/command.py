"""How git is started: a fixed argument list, and nothing of what the checkout's own configuration could run.

A checkout may be hostile. No command that is used here runs hooks, filters, text conversion, an external diff, a
pager, an alias or a fetch; what git would start by itself (the file system monitor) is switched off.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from shimgen.model.errors import GenerateError

GIT = (
    "git",
    "--no-pager",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.untrackedCache=false",
)
# Variables of the caller that say how git reads its configuration; all others (GIT_DIR...) are about another work tree.
KEPT = ("GIT_CONFIG_", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
FIXED = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
# Neither the user's nor the machine's configuration: for output that must be the same everywhere.
ISOLATED = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "0",
    "GIT_CONFIG_PARAMETERS": "",
}


class GitError(GenerateError):
    """git ended with an error. `said` is the line that says which, without the advice that git gives besides."""

    def __init__(self, complaint: str) -> None:
        lines = complaint.splitlines() or ["no reason given"]
        line = next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[0])
        self.said = line.removeprefix("fatal: ").removeprefix("error: ").rstrip(".")
        super().__init__(f"git failed: {self.said}", "git status")


class GitMissingError(Exception):
    """There is no git on this machine."""


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment git runs in."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(KEPT)}
    return {**own, **FIXED, **(extra or {})}


def start(
    folder: Path, *arguments: str, extra: Mapping[str, str] | None = None, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Start git in `folder`, to be used in a `with` statement. Raises GitMissingError when there is none."""
    try:
        return subprocess.Popen(
            [*GIT, *arguments],
            cwd=folder,
            env=environment(extra),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except FileNotFoundError as error:
        if error.filename != GIT[0]:
            raise
        raise GitMissingError from error


def finish(process: subprocess.Popen[bytes], given: bytes | None = None) -> bytes:
    """What the started command prints. Raises GitError when it ends with an error."""
    output, complaint = process.communicate(given)
    if process.returncode:
        raise GitError(complaint.decode("utf-8", "replace").strip())
    return output


def ask(folder: Path, *arguments: str, errors: str = "surrogateescape") -> str:
    """What one git command says, "" where it has no answer. `errors`: what becomes of bytes that are no text."""
    try:
        return git(folder, *arguments).decode("utf-8", errors).strip()
    except GitError:
        return ""


def paths_in(output: bytes) -> list[str]:
    """The paths in what a command prints with -z."""
    return [name.decode("utf-8", "surrogateescape") for name in output.split(b"\0") if name]


def git(folder: Path, *arguments: str, given: bytes | None = None, extra: Mapping[str, str] | None = None) -> bytes:
    """Run one git command in `folder`, with `given` as its input, and return what it prints. Raises GitError."""
    stdin = subprocess.DEVNULL if given is None else subprocess.PIPE
    with start(folder, *arguments, extra=extra, stdin=stdin) as process:
        return finish(process, given)
