"""The files of one tree: which of them matter, and the facts of each, from the store or from its bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from shimgen.cache import Store
from shimgen.index.extract import definitions_of, search
from shimgen.model.facts import ModuleFacts, Searched, Use
from shimgen.model.profile import Profile, is_model, is_searched
from shimgen.model.source import Skipped, Stats, Tree

Mentions = tuple[tuple[str, int], ...]


class Files:
    """Facts of files, extracted when they are first asked for."""

    def __init__(self, tree: Tree, profile: Profile, root: str, store: Store) -> None:
        """`root` is the prefix under which the profile's package stands in the checkout ("" or "python/")."""
        self.tree = tree
        self.profile = profile
        self._root = root
        self.store = store
        self.modules: dict[str, ModuleFacts] = {}
        self.searches: dict[str, Searched] = {}
        self.mentioned: dict[str, Mentions] = {}
        self.python = tuple(path for path in sorted(tree.blobs) if path.endswith(".py"))

    def package_path(self, path: str) -> str:
        """The path from the folder that contains the package."""
        return path.removeprefix(self._root)

    @cached_property
    def model_paths(self) -> tuple[str, ...]:
        """The files of the profile's model folders, sorted."""
        return tuple(path for path in self._inside() if is_model(self.package_path(path), self.profile.models))

    @cached_property
    def use_paths(self) -> tuple[str, ...]:
        """The files searched for demands, sorted."""
        return tuple(path for path in self._inside() if is_searched(self.package_path(path), self.profile))

    def _inside(self) -> Iterator[str]:
        return (path for path in self.python if path.startswith(self._root))

    def fetch(self, modules: Iterable[str], searched: Iterable[str]) -> None:
        """Bring from the cache, in one go, what it knows of modules and of the uses in other files."""
        self.store.fetch([self.tree.blobs[path] for path in modules], [self.search_key(path) for path in searched])

    def knows_module(self, path: str) -> bool:
        """Whether the definitions of a file are at hand."""
        return self.store.definitions.holds(self.tree.blobs[path])

    def known_module(self, path: str) -> ModuleFacts | None:
        """The definitions of a file, if they are at hand. That they were asked for does not count."""
        return self.store.definitions.get(self.tree.blobs[path])

    def knows_uses(self, path: str) -> bool:
        """Whether the uses in a file are at hand."""
        return self.store.searches.holds(self.search_key(path))

    def module(self, path: str) -> ModuleFacts:
        """The definitions of a file. Raises KeyError when the tree has no such file."""
        found = self.modules.get(path)
        if found is None:
            found = self.modules[path] = self._module(path, self.tree.blobs[path])
        return found

    def _module(self, path: str, blob: str) -> ModuleFacts:
        shelf = self.store.definitions
        if not shelf.holds(blob):
            self.store.fetch([blob])
        found = shelf.get(blob)
        if found is None:
            found = definitions_of(self.tree.read(path))
            shelf.put(blob, found)
        return found

    def uses(self, path: str) -> tuple[Use, ...]:
        """The uses of models in a file."""
        return self.searched(path).uses

    def searched(self, path: str) -> Searched:
        """What the search for uses finds in a file."""
        key = self.search_key(path)
        found = self.store.searches.get(key)
        if found is None:
            found = search(self.tree.read(path), self.package_path(path), self.profile)
            self.store.searches.put(key, found)
        self.searches[path] = found
        return found

    def search_key(self, path: str, blob: str = "") -> str:
        """What the uses in a file are known by: its bytes, or others, and its place."""
        return f"{blob or self.tree.blobs[path]} {self.package_path(path)}"

    def mentions(self, name: str) -> Mentions:
        """Path and line wherever a file has `name` as an attribute or as a text of its own. Reads every file."""
        found = self.mentioned.get(name)
        if found is None:
            found = self.mentioned[name] = self.mentions_in(name, self._inside())
        return found

    def mentions_in(self, name: str, paths: Iterable[str]) -> Mentions:
        """The same, in some files."""
        pattern = re.compile(rb"(?:\.|[\"'])%s\b" % re.escape(name).encode())
        contents = self.tree.load(paths)
        return tuple(
            (path, content.count(b"\n", 0, match.start()) + 1)
            for path, content in sorted(contents.items())
            for match in pattern.finditer(content)
        )

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Files met so far that are not Python, sorted."""
        met: dict[str, ModuleFacts | Searched] = {**self.searches, **self.modules}
        return tuple(Skipped(path, met[path].error, met[path].error_line) for path in sorted(met) if met[path].error)

    @property
    def stats(self) -> Stats:
        """What was seen so far. The facts of a file that is neither parsed nor filtered were known before."""
        searched = {path for path, found in self.searches.items() if found.parsed}
        new = self.store.definitions.new, self.store.searches.new
        parsed = {path for path in self.modules if self.tree.blobs[path] in new[0]}
        parsed |= {path for path in searched if self.search_key(path) in new[1]}
        looked_at = len(self.modules.keys() | searched)
        lines = {path: found.lines for path, found in self.searches.items()}
        lines.update((path, facts.lines) for path, facts in self.modules.items())
        return Stats(
            files=len(self.python),
            parsed=len(parsed),
            cached=looked_at - len(parsed),
            filtered=len(self.python) - looked_at,
            read=len(lines),
            lines=sum(lines.values()),
            skipped=self.skipped,
        )
