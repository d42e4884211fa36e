"""docs/decisions.md: every reason and every shape with its examples, made from the case files.

python -m tests.decisions > docs/decisions.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from shimgen.model.reason import Reason
from tests.support import CASES, Case, cases, load_case

HEAD = """\
# Decisions

Made from the case files in `tests/cases` by `make docs`; a test holds it to them. Every gap ends as a forward, a
recipe, or a refusal whose reason is one of these sentences, the names filled in.
"""
STAGES = tuple(stage for stage in ("gaps", "drift", "shims") if (CASES / stage).is_dir())


def document() -> str:
    """The whole page."""
    found = [(stage, load_case(path)) for stage in STAGES for path in cases(stage)]
    return "\n".join([HEAD, *_refused(found), *_emitted(found), *_shapes(found)]) + "\n"


def reasons_without_case() -> tuple[str, ...]:
    """The reasons that no case file shows."""
    shown = {reason for stage in STAGES for path in cases(stage) for reason in _reasons(load_case(path))}
    return tuple(reason.name for reason in Reason if reason not in shown)


def _reasons(case: Case) -> set[Reason]:
    words = set(" ".join(case.sections.values()).replace(":", " ").split())
    return {reason for reason in Reason if reason.name in words}


def _link(stage: str, case: Case) -> str:
    return f"[{case.path.stem}](../tests/cases/{stage}/{case.path.name})"


def _refused(found: list[tuple[str, Case]]) -> Iterator[str]:
    yield "## Refused\n"
    for reason in Reason:
        yield f"**{reason.name}**: {reason.value}\n"
        for stage, case in found:
            if reason in _reasons(case):
                yield f"- {_link(stage, case)}: {case.purpose}"
        yield ""


def _emitted(found: list[tuple[str, Case]]) -> Iterator[str]:
    yield "## Forwarded, or assembled by a recipe\n"
    for stage, case in found:
        lines = case.sections.get("gaps", "").splitlines() if stage == "gaps" else []
        if any({"forward", "recipe"} & set(line.split()) for line in lines):
            yield f"- {_link(stage, case)}: {case.purpose}"
    yield ""


def _shapes(found: list[tuple[str, Case]]) -> Iterator[str]:
    """What is written: the inserted lines of the cases about code."""
    yield "## Shapes\n"
    for stage, case in found:
        if stage == "shims":
            shims = [shim for name, text in case.sections.items() if name.startswith("after") for shim in _shims(text)]
            if shims:
                yield f"{_link(stage, case)}: {case.purpose}\n"
                yield "\n\n".join(dict.fromkeys(f"```python\n{shim}\n```" for shim in shims[:6])) + "\n"


def _shims(text: str) -> Iterator[str]:
    """The members that follow a marker, without their indentation."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.strip().startswith("# shimgen: "):
            indent = line[: len(line) - len(line.lstrip())]
            body = [line[len(indent) :]]
            for following in lines[number + 1 :]:
                done = len(body) > 1 and (not following.strip() or not following.startswith(indent))
                if done:
                    break
                body.append(following[len(indent) :])
            yield "\n".join(body)


if __name__ == "__main__":
    sys.stdout.write(document())
