"""The order of the stages: the only place that knows it. Here are the entry points that the command line calls."""

from __future__ import annotations

from pathlib import Path

from shimgen.config import Settings
from shimgen.model.errors import GenerateError
from shimgen.model.results import Analysis, Outcome, Recognition

_MISSING = "the stages of the analysis are not joined yet"


def recognise(settings: Settings) -> Recognition:
    """What the checkout is. Raises BaselineError, ConfigError."""
    raise GenerateError(_MISSING)


def analyse(settings: Settings) -> Analysis:
    """Wrappers, demands, gaps in scope and stale shims. Raises BaselineError, ConfigError."""
    raise GenerateError(_MISSING)


def generate(settings: Settings) -> Outcome:
    """The analysis and its verified series. Raises GenerateError besides what `analyse` raises."""
    raise GenerateError(_MISSING)


def apply(settings: Settings) -> Outcome:
    """`generate`, then write the series to the work tree: all or nothing."""
    raise GenerateError(_MISSING)


def revert(settings: Settings) -> Outcome:
    """Take applied shims out of the work tree; `changes` are the files that changed."""
    raise GenerateError(_MISSING)


def series(settings: Settings, folder: Path) -> tuple[Outcome, tuple[Path, ...]]:
    """`generate`, then write the series as files into `folder`; returns them in order."""
    raise GenerateError(_MISSING)
