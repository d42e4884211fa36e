"""No test reads or writes the cache of the person who runs it, nor knows that person's settings of git."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import miniature
from tests.gitrepo import SETTINGS, Repo


@pytest.fixture(scope="session", autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base  # so that a release is parsed once
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHIMGEN_CACHE_DIR", str(shared / "cache"))
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        yield


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The miniature stack, tagged v1."""
    repo = miniature("mini", tmp_path, monkeypatch)
    repo.git("tag", "v1")
    return repo
