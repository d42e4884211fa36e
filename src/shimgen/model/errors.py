"""Errors that a user can meet. Each is one sentence with cause and place, and the next command to type."""

from __future__ import annotations


class ShimgenError(Exception):
    """Base of every expected failure.

    `message` says cause and place, `hint` the next command to type ("" when there is none);
    `exit_code` is the process exit status of the command line (see README, exit codes).
    """

    exit_code = 4

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(ShimgenError):
    """Usage or configuration is wrong (exit 2)."""

    exit_code = 2


class BaselineError(ShimgenError):
    """The checkout is not what was expected: pin, dirty files, not a checkout (exit 3)."""

    exit_code = 3


class GenerateError(ShimgenError):
    """A patch could not be generated, verified or applied; nothing was changed (exit 4)."""

    exit_code = 4
