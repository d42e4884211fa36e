"""The case files of this stage: gaps in, edited file or refusal out."""

from __future__ import annotations

from pathlib import Path

import pytest

from shimgen.shims import find_shims, remove_shims, style_from_pyproject
from tests.shims.hand import run
from tests.support import cases, load_case


@pytest.mark.parametrize("path", cases("shims"), ids=lambda p: p.stem)
def test_case(path: Path) -> None:
    case = load_case(path)
    style = style_from_pyproject(case.files.get("pyproject.toml", b"").decode())
    changes, refused = run(case.files, case.expected("gaps"), style)
    after = {name[6:]: text for name, text in case.sections.items() if name.startswith("after ")}
    assert after or "refused" in case.sections, f"{path} expects nothing"
    got = {change.path: change.after.decode().strip("\n") for change in changes}
    for name, text in after.items():
        assert got.get(name) == text
    assert set(got) == set(after)
    sentences = [f"{gap.reason.name}: {gap.sentence}" for gap in refused if gap.reason]
    assert sentences == case.sections.get("refused", "").splitlines()
    for change in changes:
        assert change.before == case.files[change.path]
        added = [
            s for s in find_shims(change.after) if (s.cls, s.member) in {(n.place.name, n.member) for n in change.shims}
        ]
        assert remove_shims(change.after, added) == change.before
