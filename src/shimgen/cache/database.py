"""Facts of earlier runs, kept in sqlite3 under the user's cache directory.

The cache saves time and nothing else: whatever is wrong with it, a run goes on without it and remembers why. Each
value carries a checksum that its key is part of, so that a damaged file cannot give wrong facts. A rollback journal
is used, not a write-ahead log, because home directories on network file systems have no shared memory.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from zlib import crc32

LIMIT = 256 * 1024 * 1024
"""How large the file may become; then what was not used for longest goes."""
PATIENCE = 2.0
"""Seconds to wait for another shimgen that writes."""
_FILE = "facts-1.sqlite3"
_AT_ONCE = 500
# Not a database, not a whole one, or one with other columns.
_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)
_TABLE = "CREATE TABLE IF NOT EXISTS facts (key BLOB PRIMARY KEY, day INTEGER NOT NULL, value BLOB NOT NULL)"


def default_folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Where the cache is: $SHIMGEN_CACHE_DIR, else "shimgen" in the user's cache directory; None without a home."""
    named = environ.get("SHIMGEN_CACHE_DIR")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        from platformdirs import user_cache_path

        return user_cache_path("shimgen", appauthor=False)
    # What platformdirs answers elsewhere; importing it takes longer than reading the cache.
    given = environ.get("XDG_CACHE_HOME", "").strip()
    try:
        return Path(given or Path.home() / ".cache") / "shimgen"
    except RuntimeError:
        return None


class Cache:
    """Values by key. Opened when it is first used; after the first fault it answers nothing and keeps nothing."""

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self._path = folder / _FILE
        self._limit = limit
        self._connection: sqlite3.Connection | None = None
        self._process = os.getpid()
        self._day = int(time.time() // 86400)
        self._old: list[bytes] = []
        self.trouble = ""

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values that are there, by key."""
        if self.trouble:
            return {}
        try:
            return self._read(keys)
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)
            return {}

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Keep values for later runs, all or none."""
        if self.trouble or not (values or self._old):
            return
        try:
            self._write(values)
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._process != os.getpid():  # forked: that connection is neither to be used nor to be closed here
            self._process, self._connection = os.getpid(), None
        if self._connection is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)
            weakref.finalize(self, self._connection.close)  # which also keeps it until then
            self._connection.execute("PRAGMA page_size = 16384")
            # A crash of the machine may damage the file; the checksums show it.
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.execute(_TABLE)
        return self._connection

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        connection = self._open()
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            query = f"SELECT key, day, value FROM facts WHERE key IN ({','.join('?' * len(some))})"  # noqa: S608
            for key, day, value in connection.execute(query, some):
                if isinstance(value, bytes) and value[:4] == _checksum(key, value[4:]):
                    found[key] = value[4:]
                if day != self._day:
                    self._old.append(key)
        return found

    def _write(self, values: Mapping[bytes, bytes]) -> None:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            touched = ((self._day, key) for key in self._old)
            connection.executemany("UPDATE facts SET day = ? WHERE key = ?", touched)
            rows = ((key, self._day, _checksum(key, value) + value) for key, value in values.items())
            connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", rows)
            self._evict(connection)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.rollback()
        self._old = []

    def _evict(self, connection: sqlite3.Connection) -> None:
        """Delete what was not used for longest until a quarter is free again, once the limit is reached."""
        if _used(connection) <= self._limit:
            return
        oldest = connection.execute("SELECT key, length(value) FROM facts ORDER BY day, rowid").fetchall()
        excess = sum(size for _, size in oldest) - self._limit * 3 // 4
        connection.executemany("DELETE FROM facts WHERE key = ?", _first(oldest, excess))

    def _give_up(self, error: Exception) -> None:
        damaged = getattr(error, "sqlite_errorcode", None) in _DAMAGED
        self.trouble = f"the cache {self._path} is not used: {error}"
        try:
            self.close()
            if damaged:
                self._path.unlink()
                self.trouble = f"the cache {self._path} was damaged ({error}) and is begun anew"
        except (sqlite3.Error, OSError):
            return


def _used(connection: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    size, pages, free = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
    )
    return int(size * (pages - free))


def _first(rows: Iterable[tuple[bytes, int]], excess: int) -> Iterator[tuple[bytes]]:
    """The keys of the first rows that together have `excess` bytes."""
    for key, size in rows:
        if excess <= 0:
            return
        yield (key,)
        excess -= size


def _checksum(key: bytes, value: bytes) -> bytes:
    return crc32(value, crc32(key)).to_bytes(4, "big")
