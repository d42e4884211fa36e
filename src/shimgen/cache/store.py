"""Facts of blobs that were seen before, in this run or in an earlier one: the same bytes give the same facts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

import shimgen
from shimgen.cache.database import Cache
from shimgen.model.facts import ModuleFacts, Searched, lasting
from shimgen.model.profile import Profile

Facts = TypeVar("Facts", ModuleFacts, Searched)
_PACKAGE = Path(shimgen.__file__).parent
_CODE = (".py", ".j2")


class Shelf(Generic[Facts]):
    """Facts of one kind, by a key that names the bytes that they were extracted from. Decoded when asked for.

    `new` are the keys of what this run extracted.
    """

    def __init__(self, kind: type[Facts], space: bytes) -> None:
        """`space` stands for everything besides the bytes that the facts depend on."""
        self._decoder: msgspec.msgpack.Decoder[Facts] = msgspec.msgpack.Decoder(kind)
        self._space = space
        self._known: dict[str, Facts] = {}
        self._encoded: dict[str, bytes] = {}
        self._unsaved: dict[str, bytes] = {}
        self.new: set[str] = set()

    def get(self, key: str) -> Facts | None:
        """The facts, None when they are not known."""
        found = self._known.get(key)
        if found is None and key in self._encoded:
            try:
                found = self._known[key] = self._decoder.decode(self._encoded.pop(key))
            except msgspec.DecodeError:
                return None
        return found

    def holds(self, key: str) -> bool:
        """Whether the facts are known."""
        return key in self._known or key in self._encoded

    def put(self, key: str, facts: Facts) -> None:
        """Keep what was just extracted."""
        self._known[key] = facts
        self.new.add(key)
        if lasting(facts):
            self._unsaved[key] = msgspec.msgpack.encode(facts)

    def put_encoded(self, key: str, encoded: bytes) -> None:
        """Keep what another process has just extracted."""
        self.new.add(key)
        self._encoded[key] = self._unsaved[key] = encoded

    def lacking(self, keys: Iterable[str]) -> dict[bytes, str]:
        """The keys that are not known, by the cache's own keys."""
        return {self._outer(key): key for key in keys if not self.holds(key)}

    def take(self, found: dict[bytes, bytes], wanted: dict[bytes, str]) -> None:
        """Keep what the cache knew."""
        self._encoded.update((wanted[outer], found[outer]) for outer in wanted.keys() & found.keys())

    def unsaved(self) -> dict[bytes, bytes]:
        """What the cache does not know yet; asked again it is empty."""
        unsaved, self._unsaved = self._unsaved, {}
        return {self._outer(key): encoded for key, encoded in unsaved.items()}

    def _outer(self, key: str) -> bytes:
        return blake2b(key.encode("utf-8", "surrogateescape"), key=self._space, digest_size=16).digest()


class Results:
    """What was worked out of facts, as bytes, by a key that names everything that it depends on."""

    def __init__(self, space: bytes, cache: Cache | None) -> None:
        self._space = space
        self._cache = cache
        self._known: dict[bytes, bytes] = {}
        self._unsaved: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        """What is kept under a key, None when nothing is."""
        outer = self._outer(key)
        if outer not in self._known and self._cache is not None:
            self._known.update(self._cache.read([outer]))
        return self._known.get(outer)

    def put(self, key: bytes, value: bytes) -> None:
        """Keep something, in the place of what was kept under that key."""
        outer = self._outer(key)
        if self._known.get(outer) != value:
            self._known[outer] = self._unsaved[outer] = value

    def unsaved(self) -> dict[bytes, bytes]:
        """What the cache does not know yet; asked again it is empty."""
        unsaved, self._unsaved = self._unsaved, {}
        return unsaved

    def _outer(self, key: bytes) -> bytes:
        return blake2b(key, key=self._space, digest_size=16).digest()


class Store:
    """What is known of one profile's sources. With a cache it outlives the run, once `save` was called.

    Definitions are known by blob id. Uses also depend on the path, since a profile's receivers do.
    """

    def __init__(self, profile: Profile, cache: Cache | None = None) -> None:
        self._cache = cache
        version = code_version() if cache is not None else b""
        rules = version + msgspec.msgpack.encode(profile)
        self.definitions = Shelf(ModuleFacts, _space(version, b"definitions"))
        self.searches = Shelf(Searched, _space(rules, b"searches"))
        self.results = Results(_space(rules, b"results"), cache)

    @property
    def lasts(self) -> bool:
        """Whether what is put in is there in a later run."""
        return self._cache is not None and not self._cache.trouble

    @property
    def trouble(self) -> str:
        """Why the cache was not used, as a sentence; "" when nothing was wrong with it."""
        return self._cache.trouble if self._cache is not None else ""

    def fetch(self, definitions: Iterable[str] = (), searches: Iterable[str] = ()) -> None:
        """Bring from the cache, in one go, what it has of these keys."""
        if self._cache is None:
            return
        lacking = self.definitions.lacking(definitions), self.searches.lacking(searches)
        found = self._cache.read([*lacking[0], *lacking[1]])
        self.definitions.take(found, lacking[0])
        self.searches.take(found, lacking[1])

    def save(self) -> None:
        """Give the cache, in one go, what it does not have yet."""
        if self._cache is not None:
            self._cache.write({**self.definitions.unsaved(), **self.searches.unsaved(), **self.results.unsaved()})


def _space(depends: bytes, kind: bytes) -> bytes:
    return blake2b(depends, person=kind, digest_size=32).digest()


def code_version() -> bytes:
    """What everything depends on besides the bytes and the profile: shimgen's code, and Python's own grammar."""
    digest = blake2b(f"{shimgen.__version__} {sys.hexversion}".encode(), digest_size=16)
    for folder, folders, files in os.walk(_PACKAGE, followlinks=True):
        folders.sort()
        for name in sorted(files):
            if name.endswith(_CODE):
                digest.update(Path(folder, name).read_bytes())
    return digest.digest()
