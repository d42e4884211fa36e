"""Case files: one loader, and helpers named for what they check.

A case file is text. It begins with a sentence of purpose; `--- path` heads a file of a pretend checkout;
`=== name` heads a section with an expectation or an input of another kind. A case without expectation fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True, slots=True)
class Case:
    """A parsed case file; `sections` maps the headings to their text, stripped of outer blank lines."""

    path: Path
    purpose: str
    files: dict[str, bytes]
    sections: dict[str, str]

    def expected(self, name: str) -> list[str]:
        """The lines of a section. Fails when the case has no such section: it would prove nothing."""
        assert name in self.sections, f"{self.path} has no section '=== {name}'"
        return [line for line in self.sections[name].splitlines() if line.strip()]


def load_case(path: Path) -> Case:
    """Reads a case file; raises ValueError when it has no purpose or no section."""
    purpose: list[str] = []
    files: dict[str, list[str]] = {}
    sections: dict[str, list[str]] = {}
    current = purpose
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.startswith("--- "):
            current = files.setdefault(line[4:].strip(), [])
        elif line.startswith("=== "):
            current = sections.setdefault(line[4:].strip(), [])
        else:
            current.append(line)
    if not "".join(purpose).strip() or not sections:
        raise ValueError(f"{path} needs a sentence of purpose and an expectation")
    texts = {name: "".join(lines).strip("\n") for name, lines in sections.items()}
    return Case(path, "".join(purpose).strip(), {p: "".join(lines).encode() for p, lines in files.items()}, texts)


def cases(stage: str) -> list[Path]:
    """The case files of a stage, sorted. Fails when there are none."""
    found = sorted((CASES / stage).glob("*.case"))
    assert found, f"no case files for {stage}"
    return found
