"""The cache gives back what was put in, or nothing; never anything else, and never an error."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from shimgen.cache import database as module
from shimgen.cache.database import Cache, default_folder

VALUES = {b"key %d" % n: b"value %d " % n * 200 for n in range(1200)}
KEYS = list(VALUES)


def written(folder: Path) -> Path:
    cache = Cache(folder)
    cache.write(VALUES)
    cache.close()
    assert cache.trouble == ""
    return next(folder.glob("*.sqlite3"))


def test_what_one_run_writes_the_next_one_reads(tmp_path: Path) -> None:
    written(tmp_path)
    assert Cache(tmp_path).read([*KEYS, b"other"]) == VALUES


def test_who_drops_the_cache_lets_go_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(path: Path, **options: Any) -> sqlite3.Connection:
        opened.append(connect(path, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    assert Cache(tmp_path).read(KEYS) == {}
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].execute("SELECT 1")


def test_an_empty_cache_is_made_where_there_is_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "a" / "b")
    assert cache.read(KEYS) == {}
    assert cache.trouble == ""


@pytest.mark.parametrize("size", [0, 1, 100, 5000, 30_000])
def test_a_file_cut_short_gives_nothing_wrong(tmp_path: Path, size: int) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes()[:size])
    found = Cache(tmp_path).read(KEYS)
    assert found.items() <= VALUES.items()


@pytest.mark.parametrize("step", [997, 4099, 16_411])
def test_damaged_bytes_give_nothing_wrong(tmp_path: Path, step: int) -> None:
    path = written(tmp_path)
    content = bytearray(path.read_bytes())
    for at in range(step, len(content), step):
        content[at] ^= 0x11
    path.write_bytes(content)
    found = Cache(tmp_path).read(KEYS)
    assert len(found) < len(VALUES)
    assert found.items() <= VALUES.items()


def test_a_value_under_another_key_is_not_taken(tmp_path: Path) -> None:
    connection = sqlite3.connect(written(tmp_path))
    with connection:
        connection.execute("DELETE FROM facts WHERE key = ?", (KEYS[0],))
        connection.execute("UPDATE facts SET key = ? WHERE key = ?", (KEYS[0], KEYS[1]))
    connection.close()
    assert Cache(tmp_path).read(KEYS[:2]) == {}


def garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)


def foreign(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE facts (name TEXT, content TEXT)")
    connection.close()


def numbers(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE facts SET value = 7")
    connection.close()


@pytest.mark.parametrize("spoil", [garbage, foreign])
def test_what_is_no_cache_is_begun_anew(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(written(tmp_path))
    cache = Cache(tmp_path)
    assert cache.read(KEYS) == {}
    assert "begun anew" in cache.trouble
    cache.write(VALUES)
    written(tmp_path)
    assert Cache(tmp_path).read(KEYS) == VALUES


def test_values_of_another_type_are_no_values(tmp_path: Path) -> None:
    numbers(written(tmp_path))
    cache = Cache(tmp_path)
    assert cache.read(KEYS) == {}
    assert cache.trouble == ""


def in_a_file(folder: Path) -> Path:
    (folder / "file").write_bytes(b"")
    return folder / "file" / "cache"


def not_a_file(folder: Path) -> Path:
    (folder / "facts-1.sqlite3").mkdir()
    return folder


@pytest.mark.parametrize("place", [in_a_file, not_a_file])
def test_a_place_that_cannot_be_written_is_said_and_nothing_else(tmp_path: Path, place: Callable[[Path], Path]) -> None:
    cache = Cache(place(tmp_path))
    assert cache.read(KEYS) == {}
    cache.write(VALUES)
    cache.close()
    assert "is not used" in cache.trouble


def test_a_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    written(tmp_path)
    cache = Cache(tmp_path)
    assert cache.read(KEYS) == VALUES
    assert cache._connection is not None
    cache._connection.execute("PRAGMA max_page_count = 1")
    cache.write({b"more %d" % n: bytes(5000) for n in range(500)})
    assert "full" in cache.trouble
    assert Cache(tmp_path).read([*KEYS, b"more 0"]) == VALUES


def test_a_cache_that_another_run_holds_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    other = sqlite3.connect(written(tmp_path), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    cache = Cache(tmp_path)
    assert cache.read(KEYS) == {}
    assert "locked" in cache.trouble
    other.execute("ROLLBACK")
    other.close()
    assert Cache(tmp_path).read(KEYS) == VALUES


def test_several_runs_at_once(tmp_path: Path) -> None:
    def run(number: int) -> str:
        cache = Cache(tmp_path)
        found = cache.read(KEYS)
        assert found.items() <= VALUES.items()
        cache.write({key: VALUES[key] for key in KEYS[number * 50 : number * 50 + 600]})
        cache.close()
        return cache.trouble

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(run, range(12))) == {""}
    assert Cache(tmp_path).read(KEYS).keys() == set(KEYS[:1150])


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = 400_000
    now = 1_000_000_000.0
    for number in range(12):
        monkeypatch.setattr("time.time", lambda moment=now + 86400 * number: moment)
        cache = Cache(tmp_path, limit)
        cache.read([b"precious"])
        cache.write({b"precious": b"gold"} if number == 0 else {b"%d" % number: bytes(60_000)})
        cache.close()
        assert cache.trouble == ""
    found = Cache(tmp_path, limit).read([b"precious", *(b"%d" % n for n in range(1, 12))])
    assert {b"precious", b"11"} <= found.keys()
    assert b"1" not in found
    assert next(tmp_path.glob("*.sqlite3")).stat().st_size < 2 * limit


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"SHIMGEN_CACHE_DIR": "/there", "XDG_CACHE_HOME": "/x"}, Path("/there")),
        ({"XDG_CACHE_HOME": "/x"}, Path("/x/shimgen")),
        ({"XDG_CACHE_HOME": " "}, Path.home() / ".cache/shimgen"),
        ({}, Path.home() / ".cache/shimgen"),
    ],
)
def test_where_it_is(environ: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    assert default_folder(environ) == folder


def test_without_a_home_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert default_folder({}) is None


def test_a_forked_process_does_not_use_the_connection_of_the_one_before(tmp_path: Path) -> None:
    script = """
import os, sys
from pathlib import Path
from shimgen.cache.database import Cache

cache = Cache(Path(sys.argv[1]))
cache.write({b"one": b"1"})
before = cache._connection
child = os.fork()
if not child:
    seen = cache.read([b"one"])
    cache.write({b"two": b"2"})
    os._exit(0 if seen == {b"one": b"1"} and cache._connection is not before and not cache.trouble else 1)
print(os.waitpid(child, 0)[1], cache.read([b"one", b"two"]), cache._connection is before, repr(cache.trouble))
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "0 {b'one': b'1', b'two': b'2'} True ''\n"
