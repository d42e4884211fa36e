"""No test reads or writes the cache of the person who runs it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHIMGEN_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield
