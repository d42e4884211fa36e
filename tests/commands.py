"""The commands as a person types them, and the miniature stacks that they are typed at."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from shimgen.cli.main import shimgen
from tests.gitrepo import Repo, make_repo

FIXTURES = Path(__file__).parents[1] / "fixtures"


def run(*arguments: object) -> Result:
    """Run a command in this process. Fails when it ends as a traceback."""
    result = CliRunner().invoke(shimgen, [str(a) for a in arguments], prog_name="shimgen")
    assert "Traceback" not in result.output
    return result


def miniature(fixture: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A committed copy of a fixture, and beside it an empty folder as the working directory, and a cache."""
    monkeypatch.setenv("SHIMGEN_CACHE_DIR", str(folder / "cache"))
    (folder / "ops").mkdir()
    monkeypatch.chdir(folder / "ops")
    return committed(fixture, folder)


def committed(fixture: str, folder: Path) -> Repo:
    """A committed copy of a fixture."""
    shutil.copytree(FIXTURES / fixture / "before", folder / fixture)
    repo = make_repo(folder / fixture)
    repo.commit({}, message="v1")
    return repo
