"""Errors that a user can meet. Each is one sentence with cause and place, and the next command to type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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


class FaultsError(ConfigError):
    """Some text that a person wrote is wrong in places: `what` it is, and every fault, each with its key."""

    def __init__(self, what: str, faults: Sequence[str], hint: str = "") -> None:
        count = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__("\n".join([f"{what} has {count}:", *(f"  {fault}" for fault in faults)]), hint)
        self.faults = tuple(faults)


class BaselineError(ShimgenError):
    """The checkout is not what was expected: pin, dirty files, not a checkout (exit 3)."""

    exit_code = 3


class GenerateError(ShimgenError):
    """A patch could not be generated, verified or applied; nothing was changed (exit 4)."""


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Up to three of the `known` names that a person who typed `name` most probably meant, the best first.

    Names that contain what was typed come first, then those that look alike, then those that begin alike; case does
    not matter.
    """
    from difflib import get_close_matches

    by_folded: dict[str, str] = {}
    for candidate in sorted(known):
        by_folded.setdefault(candidate.casefold(), candidate)
    typed = name.strip("*?").casefold()
    holding = sorted((len(folded), folded) for folded in by_folded if len(typed) > 2 and typed in folded)
    alike = get_close_matches(typed, by_folded, n=3, cutoff=0.6)
    shared = ((_shared_start(typed, folded), folded) for folded in by_folded)
    begin = sorted((-length, folded) for length, folded in shared if 2 * length >= max(len(typed), 6))
    ranked = dict.fromkeys([folded for _, folded in holding] + alike + [folded for _, folded in begin])
    return tuple(by_folded[folded] for folded in list(ranked)[:3])


def _shared_start(first: str, second: str) -> int:
    """How many characters two texts have in common at their begin."""
    pairs = zip(first, second, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The nearest names as the end of a sentence: `; did you mean "a" or "b"?`, "" when nothing is near."""
    found = [f'"{candidate}"' for candidate in nearest(name, known)]
    if not found:
        return ""
    return "; did you mean " + " or ".join(filter(None, [", ".join(found[:-1]), found[-1]])) + "?"
