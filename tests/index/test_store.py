"""Facts outlive a run only for the same bytes, the same profile and the same code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from shimgen.cache import Cache, Store, store
from shimgen.index import Index
from shimgen.model.facts import ModuleFacts
from shimgen.model.profile import Profile
from shimgen.model.source import Stats, Tree, memory_tree
from tests.stack import PROFILE

FILES = {
    "models/one.py": b"class One:\n    def forward(self, ids, batch):\n        return self.two(ids)\n",
    "models/two.py": b"from models.one import One\n\nEntryClass = One\n",
    "engine/worker.py": b"def run(self):\n    self.runner.model.start()\n",
    "engine/other.py": b"def run(self):\n    pass\n",
    "setup.py": b"\n",
}


def run(folder: Path, files: dict[str, bytes], profile: Profile = PROFILE) -> tuple[Index, Stats]:
    """One run over all files that an analysis looks at, with the cache in `folder`."""
    return over(memory_tree(files), folder, profile)


def over(tree: Tree, folder: Path, profile: Profile = PROFILE) -> tuple[Index, Stats]:
    shelves = Store(profile, Cache(folder))
    index = Index(tree, profile, "", shelves)
    index.gather()
    for path in index.model_paths():
        index.module(path)
    for path in index.use_paths():
        index.uses(path)
    shelves.save()
    assert shelves.trouble == ""
    return index, index.stats


def test_the_second_run_parses_nothing_and_knows_the_same(tmp_path: Path) -> None:
    first, cold = run(tmp_path, FILES)
    second, warm = run(tmp_path, FILES)
    assert (cold.files, cold.parsed, cold.cached, cold.filtered, cold.lines) == (5, 3, 0, 2, 10)
    assert (warm.files, warm.parsed, warm.cached, warm.filtered, warm.lines) == (5, 0, 3, 2, 10)
    assert [second.module(p) for p in second.model_paths()] == [first.module(p) for p in first.model_paths()]
    assert [second.uses(p) for p in second.use_paths()] == [first.uses(p) for p in first.use_paths()]
    assert any(second.uses(p) for p in second.use_paths())


def test_a_known_file_is_not_even_read(tmp_path: Path) -> None:
    run(tmp_path, FILES)
    known = memory_tree(FILES)

    def unreadable(paths: object) -> dict[str, bytes]:
        raise AssertionError(paths)

    _, stats = over(Tree(known.baseline, known.blobs, unreadable), tmp_path)
    assert stats.parsed == 0


@pytest.mark.parametrize("path", ["models/one.py", "engine/worker.py"])
def test_a_changed_file_costs_that_file(tmp_path: Path, path: str) -> None:
    run(tmp_path, FILES)
    _, stats = run(tmp_path, {**FILES, path: FILES[path] + b"\n"})
    assert (stats.parsed, stats.cached) == (1, 2)


def test_a_moved_engine_file_is_searched_again(tmp_path: Path) -> None:
    run(tmp_path, FILES)
    moved = {path.replace("engine/worker", "engine/draft/worker"): content for path, content in FILES.items()}
    _, stats = run(tmp_path, moved)
    assert (stats.parsed, stats.cached) == (1, 2)


def test_another_profile_searches_again_and_keeps_definitions(tmp_path: Path) -> None:
    run(tmp_path, FILES)
    _, stats = run(tmp_path, FILES, msgspec.structs.replace(PROFILE, hooks=()))
    assert (stats.parsed, stats.cached) == (1, 2)


def test_another_version_knows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, FILES)
    monkeypatch.setattr(store, "code_version", lambda: b"another")
    assert run(tmp_path, FILES)[1].cached == 0


def test_the_version_is_that_of_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {store.code_version(), store.code_version()}
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "values.py").write_bytes(b"DEPTH = 6\n")
    monkeypatch.setattr(store, "_PACKAGE", tmp_path)
    versions.add(store.code_version())
    (tmp_path / "index" / "values.py").write_bytes(b"DEPTH = 7\n")
    versions.add(store.code_version())
    assert len(versions) == 3


def test_facts_of_another_form_are_extracted_again(tmp_path: Path) -> None:
    class Strange(msgspec.Struct, array_like=True):
        imports: int = 5

    shelves = Store(PROFILE, Cache(tmp_path))
    tree = memory_tree(FILES)
    shelves.definitions.put_encoded(tree.blobs["models/one.py"], msgspec.msgpack.encode(Strange()))
    shelves.save()
    index, stats = over(tree, tmp_path)
    assert [cls.name for cls in index.module("models/one.py").classes] == ["One"]
    assert stats.parsed == 3


BROKEN = b"class One:\n  def\n"


def recursion(source: bytes) -> None:
    raise RecursionError


def memory(source: bytes) -> None:
    raise MemoryError


def test_a_file_that_does_not_parse_is_known_as_such(tmp_path: Path) -> None:
    files = {**FILES, "models/one.py": BROKEN, "engine/worker.py": b"self.runner.model.start(\n"}
    cold, warm = run(tmp_path, files)[1], run(tmp_path, files)[1]
    assert cold.skipped == warm.skipped
    assert [(s.path, s.line) for s in cold.skipped] == [("engine/worker.py", 1), ("models/one.py", 2)]
    assert warm.parsed == 0


@pytest.mark.parametrize("limit", [recursion, memory])
def test_the_limits_of_one_run_are_not_those_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: Callable[[bytes], None]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("ast.parse", limit)
        _, stats = run(tmp_path, FILES)
    assert [s.path for s in stats.skipped] == ["engine/worker.py", "models/one.py", "models/two.py"]
    index, stats = run(tmp_path, FILES)
    assert (stats.parsed, stats.skipped) == (3, ())
    assert index.module("models/one.py") != ModuleFacts()
