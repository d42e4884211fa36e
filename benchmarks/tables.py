"""Reads the committed tables, and prints tables: tab-separated files, and tables of the documentation."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRUTH = Path(__file__).with_name("truth")

Row = dict[str, str]


def rows(name: str) -> list[Row]:
    """The rows of a tab-separated file of `benchmarks/truth`. Raises FileNotFoundError."""
    with (TRUTH / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def documented(page: str, heading: str) -> list[Row]:
    """The rows of the first table below a heading of a page in `docs`. Raises ValueError when there is none."""
    lines = iter((ROOT / "docs" / page).read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.startswith("#") and line.lstrip("# ") == heading:
            return _table(lines)
    raise ValueError(f"docs/{page} has no heading {heading!r}")


def _table(lines: Iterator[str]) -> list[Row]:
    cells: list[list[str]] = []
    for line in lines:
        if line.startswith("|"):
            cells.append([cell.strip() for cell in line.strip("|").split(" | ")])
        elif cells or line.startswith("#"):
            break
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def show(header: Sequence[str], body: Iterable[Sequence[object]]) -> None:
    """Prints a table as Markdown, padded so that it reads well on a terminal too."""
    lines = [[str(cell) for cell in row] for row in (header, *body)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(header))]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |")
