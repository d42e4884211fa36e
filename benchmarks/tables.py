"""Reads the committed tables, and prints tables: tab-separated files, and tables of the documentation."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from shimgen.model.source import Tree

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


def arguments(heading: str, release: str, source: Tree) -> dict[tuple[str, str], str]:
    """What docs/truth.md argues under a heading for a release: class and column, or member, to the reason.

    Only rows whose quote is in the source count. A row may name several classes.
    """
    return {
        (name, row.get("column") or row.get("member", "class")): row["why"]
        for row in documented("truth.md", heading)
        for name in row["class"].split(", ")
        if release in row["release"].split(", ") and quoted(row["source"], source)
    }


def quoted(reference: str, source: Tree) -> bool:
    """Whether `path:line` `text` quotes the tree."""
    place, _, text = reference.strip("`").partition("` `")
    path, _, line = place.partition(":")
    lines = source.read(path).decode().splitlines() if path in source.blobs else []
    return line.isdigit() and 0 < int(line) <= len(lines) and bool(text) and text in lines[int(line) - 1]


def _table(lines: Iterator[str]) -> list[Row]:
    cells: list[list[str]] = []
    for line in lines:
        if line.startswith("|"):
            cells.append([cell.strip() for cell in line.strip("|").split(" | ")])
        elif cells or line.startswith("#"):
            break
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def show(header: Sequence[str], body: Iterable[Sequence[object]]) -> None:
    """Prints a table as Markdown."""
    print(markdown(header, body))


def markdown(header: Sequence[str], body: Iterable[Sequence[object]]) -> str:
    """A table as Markdown, padded so that it reads well on a terminal too."""
    lines = [[str(cell) for cell in row] for row in (header, *body)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(header))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def replaced(page: str, name: str, text: str) -> str:
    """The page with another text between the lines `<!-- NAME -->` and `<!-- end of NAME -->`.

    Raises ValueError when the page does not have each of them once, in this order.
    """
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = page.partition(start)
    _, _, after = rest.partition(end)
    if page.count(start) != 1 or page.count(end) != 1 or end not in rest:
        raise ValueError(f"the page needs one line {start.strip()} and below it one line {end.strip()}")
    return f"{before}{start}{text}\n{end}{after}"
