"""The facts that an analysis begins with, extracted by several processes where many files are new."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from shimgen import workers
from shimgen.index.extract import definitions_of, search_first
from shimgen.index.files import Files
from shimgen.model.facts import Expr, Import, ModuleFacts, Searched, lasting

_FEW = 12
"""So many modules are parsed sooner than a process is forked."""
_TEXTS, _MODULES = 48, 6
"""Files of one task at most: most engine files are only searched as text, modules are parsed."""
_SHARES = 12
"""Tasks there should be of a kind at least, so that no process waits long for the last one of another."""
_MOST_TASKS = 500

Locate = Callable[[str, Import], str | None]


class _Facts(msgspec.Struct, array_like=True):
    """What a task finds: facts by key, and the imports of each path that are called or inherited from."""

    searches: dict[str, Searched] = {}
    modules: dict[str, ModuleFacts] = {}
    leads: dict[str, list[Import]] = {}


class _Sent(msgspec.Struct, array_like=True):
    """The same, as it comes from another process: facts stay encoded until they are asked for."""

    searches: dict[str, msgspec.Raw]
    modules: dict[str, msgspec.Raw]
    leads: dict[str, list[Import]]


class _Task(msgspec.Struct, frozen=True):
    searches: Sequence[str] = ()
    modules: Sequence[str] = ()


def gather(files: Files, locate: Locate) -> None:
    """Bring the facts of all model and engine files, and of the modules that the models most probably lead to.

    What is not brought here is extracted when it is asked for. `locate` gives the path of what an import of a file
    names.
    """
    files.fetch(files.model_paths, files.use_paths)
    modules = [path for path in files.model_paths if not files.knows_module(path)]
    searches = [path for path in files.use_paths if not files.knows_uses(path)]
    if len(modules) + len(searches) / 8 < _FEW:
        return
    crew = _Crew(files)
    crew.work([*_tasks(searches, _TEXTS, "searches"), *_tasks(modules, _MODULES, "modules")])
    leads = {(path, lead) for path, leads in crew.leads.items() for lead in leads}
    followed: set[tuple[str, Import]] = set()
    while leads:
        followed |= leads
        found = {(target, lead.name) for path, lead in leads if (target := locate(path, lead)) is not None}
        near = sorted({path for path, _ in found})
        files.fetch(near, ())
        crew.work(list(_tasks([path for path in near if not files.knows_module(path)], _MODULES, "modules")))
        leads = {(path, lead) for path, name in found for lead in _onward(files.known_module(path), name)} - followed


def _tasks(paths: Sequence[str], size: int, kind: str) -> Iterator[_Task]:
    size = max(min(size, len(paths) // _SHARES + 1), len(paths) * 2 // _MOST_TASKS + 1)
    for start in range(0, len(paths), size):
        yield _Task(**{kind: paths[start : start + size]})


class _Crew(msgspec.Struct):
    files: Files
    leads: dict[str, list[Import]] = msgspec.field(default_factory=dict)
    _decoder: msgspec.msgpack.Decoder[_Sent] = msgspec.field(default_factory=lambda: msgspec.msgpack.Decoder(_Sent))

    def work(self, tasks: Sequence[_Task]) -> None:
        """Extract the facts of all files of the tasks."""

        def here(number: int) -> None:
            self._keep(self._extract(tasks[number]))

        def away(number: int) -> bytes:
            return msgspec.msgpack.encode(self._extract(tasks[number]))

        processes = workers.available() if len(tasks) > 1 else 1
        for result in workers.spread(len(tasks), here, away, processes):
            self._receive(self._decoder.decode(result))

    def _extract(self, task: _Task) -> _Facts:
        files, found = self.files, _Facts()
        contents = files.tree.load([*task.searches, *task.modules])
        for path in task.searches:
            uses, facts = search_first(contents[path], files.package_path(path), files.profile)
            if lasting(uses):
                found.searches[files.search_key(path)] = uses
            if facts is not None and lasting(facts):
                found.modules[files.tree.blobs[path]] = facts
        for path in task.modules:
            facts = definitions_of(contents[path])
            if lasting(facts):
                found.modules[files.tree.blobs[path]] = facts
                found.leads[path] = list(_leads(facts))
        return found

    def _keep(self, found: _Facts) -> None:
        for key, uses in found.searches.items():
            self.files.store.searches.put(key, uses)
        for key, facts in found.modules.items():
            self.files.store.definitions.put(key, facts)
        self.leads.update(found.leads)

    def _receive(self, sent: _Sent) -> None:
        for key, uses in sent.searches.items():
            self.files.store.searches.put_encoded(key, bytes(uses))
        for key, facts in sent.modules.items():
            self.files.store.definitions.put_encoded(key, bytes(facts))
        self.leads.update(sent.leads)


def _leads(facts: ModuleFacts) -> Iterator[Import]:
    """The imports that the analysis will most probably follow: of what is inherited from, or made and kept."""
    names = {_root(base) for cls in facts.classes for base in cls.bases}
    for cls in facts.classes:
        for function in cls.functions:
            own = f"{function.params[0].name}." if function.params else ""
            kept = (s.value for s in function.stores if s.value is not None and s.target.startswith(own))
            names.update(called for value in kept for called in _called(value))
    for imported in facts.imports:
        if imported.local in names or imported.local == "*":
            yield imported


def _onward(facts: ModuleFacts | None, name: str) -> Iterator[Import]:
    """The imports through which a module has a name, or that a class of that name inherits from."""
    if facts is None:
        return
    names = {name, *(_root(base) for cls in facts.classes if cls.name == name for base in cls.bases)}
    own = {cls.name for cls in facts.classes}
    for imported in facts.imports:
        if imported.local in names or (imported.local == "*" and name not in own):
            yield imported


def _called(value: Expr) -> Iterator[str]:
    """The first names of what is called for a value, but not where something is taken out of the result."""
    if value.op == "call":
        callee = value.parts[0]
        yield _root(callee)
        yield from _called(callee.parts[0]) if callee.op == "attr" else ()
    for part in value.parts if value.op != "attr" else ():
        yield from _called(part)


def _root(value: Expr) -> str:
    return value.text.partition(".")[0]
