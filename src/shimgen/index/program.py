"""The index of one baseline: facts by path, names resolved across files, MROs. Implements `model.program.Program`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from shimgen.cache import Store
from shimgen.index.answers import Answers, Reads
from shimgen.index.files import Files
from shimgen.index.gather import gather
from shimgen.index.instances import Instances
from shimgen.index.registry import registered
from shimgen.index.trace import Trace, traced
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Class, Function, Import, ModuleFacts, Use
from shimgen.model.linear import linearise
from shimgen.model.profile import Profile
from shimgen.model.program import Attribute, Mro, Resolved
from shimgen.model.source import Skipped, Stats, Tree

_UNKNOWN = Resolved("unknown")


def _ends_here(ref: ClassRef) -> Mro:
    """What a class that inherits from itself gives itself."""
    return Mro((ref,))


class Index:
    """Facts of one tree, extracted when they are first asked for."""

    def __init__(
        self, tree: Tree, profile: Profile, root: str = "", store: Store | None = None, like: Index | None = None
    ) -> None:
        """`root` is the prefix under which the profile's package stands in the checkout ("" or "python/").
        `store` holds the facts of blobs that were seen before. The index of a tree that is much `like` this one
        gives the answers that do not depend on what the two differ in; it has the same profile and root."""
        self._profile = profile
        self._files = Files(tree, profile, root, store if store is not None else Store(profile))
        self._by_module = {self.module_name(path): path for path in self._files.python}
        self._names: dict[str, dict[str, Resolved | Import]] = {}
        self._choices: dict[tuple[str, str], list[Resolved | Import]] = {}
        self._own_imports: dict[str, list[Import]] = {}
        self._own_classes: dict[str, list[ClassRef]] = {}
        self._stars: dict[str, list[Import]] = {}
        self._classes: dict[ClassRef, Class] = {}
        self._reads: Reads = Reads(like._reads if like is not None else None)
        self._resolved = Answers(self._reads, self._resolve_from, lambda _: _UNKNOWN)
        self._mros = Answers(self._reads, self._linearise, _ends_here)
        self._registered = Answers(self._reads, self._registry, lambda _: {})
        self._instances = Instances(self, self._reads, profile.models.factories)
        if like is not None and like._files.python == self._files.python:
            self._take(like)

    def _take(self, other: Index) -> None:
        """Take over the answers of the index of a tree that has files of the same names."""
        old, new = other._files.tree.blobs, self._files.tree.blobs
        changed = self._reads.set_of(path for path in self._files.python if old[path] != new[path])
        self._resolved.take(other._resolved, changed)
        self._mros.take(other._mros, changed)
        self._registered.take(other._registered, changed)
        self._instances.attributes.take(other._instances.attributes, changed)

    # -- files ---------------------------------------------------------------------------------------------

    def gather(self, progress: Callable[[float], None] = lambda _: None) -> None:
        """Bring the facts that every analysis needs, in one go; else each is brought when it is asked for.

        `progress` is told how much of the work is done, from 0 to 1, when it takes time.
        """
        gather(self._files, self._locate, progress)

    def _locate(self, path: str, imported: Import) -> str | None:
        """The path of the module that an import names, or takes a name from; None outside of the checkout."""
        module = self._absolute(path, imported)
        return self._by_module.get(f"{module}.{imported.name}") or self._by_module.get(module)

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Files met so far that are not Python, sorted."""
        return self._seen().skipped

    @property
    def stats(self) -> Stats:
        """What was seen so far."""
        return self._seen().stats

    def trace(self) -> Trace:
        """What was seen so far."""
        return traced(self._seen())

    def _seen(self) -> Files:
        """The files, with the facts also of those that answers which were taken over have been read from."""
        for path in self._reads.paths(self._reads.files):
            self._files.module(path)
        return self._files

    def package_path(self, path: str) -> str:
        return self._files.package_path(path)

    def module_name(self, path: str) -> str:
        parts = self.package_path(path).removesuffix(".py").split("/")
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def model_paths(self) -> tuple[str, ...]:
        """The files of the profile's model folders, sorted."""
        return self._files.model_paths

    def use_paths(self) -> tuple[str, ...]:
        return self._files.use_paths

    def module(self, path: str) -> ModuleFacts:
        self._reads.note(path)
        return self._files.module(path)

    def uses(self, path: str) -> tuple[Use, ...]:
        return self._files.uses(path)

    def mentions(self, name: str) -> tuple[tuple[str, int], ...]:
        return self._files.mentions(name)

    # -- classes -------------------------------------------------------------------------------------------

    def model_classes(self) -> tuple[ClassRef, ...]:
        return tuple(ref for path in self.model_paths() for ref in self.classes_of(path))

    def classes_of(self, path: str) -> tuple[ClassRef, ...]:
        """The classes of one file in the order of their lines."""
        return tuple(ClassRef(path, cls.name, cls.line) for cls in self.module(path).classes)

    def cls(self, ref: ClassRef) -> Class:
        self._reads.note(ref.path)
        found = self._classes.get(ref)
        if found is None:
            for item in self.module(ref.path).classes:
                self._classes[ClassRef(ref.path, item.name, item.line)] = item
            found = self._classes[ref]
        return found

    def attributes(self, ref: ClassRef) -> Mapping[str, Attribute]:
        return self._instances.attributes(ref)

    def find(self, ref: ClassRef, member: str) -> tuple[ClassRef, Function] | None:
        for cls in self.mro(ref).classes:
            for function in reversed(self.cls(cls).functions):
                if function.name == member and function.kind not in ("setter", "deleter"):
                    return (cls, function) if not function.stub else None
        return None

    def registered(self) -> Mapping[str, ClassRef]:
        return self._registered(self._profile.models.registry)

    def _registry(self, registry: str) -> Mapping[str, ClassRef]:
        return registered(self, self._by_module, registry) if registry else {}

    def mro(self, ref: ClassRef) -> Mro:
        return self._mros(ref)

    def _linearise(self, ref: ClassRef) -> Mro:
        parents: list[Mro] = []
        externals: list[str] = []
        unresolved: list[str] = []
        for base in self.cls(ref).bases:
            text = base.parts[0].text if base.op == "item" else base.text
            target = self.resolve(ref.path, text) if text else _UNKNOWN
            if target.ref is not None and target.ref != ref:
                parents.append(self.mro(target.ref))
            elif target.kind == "external":
                externals.append(target.name)
            elif text != "object":
                unresolved.append(text or base.op)
        classes = linearise(ref, [mro.classes for mro in parents])
        for mro in parents:
            externals += mro.externals
            unresolved += mro.unresolved
        return Mro(classes, tuple(dict.fromkeys(externals)), tuple(dict.fromkeys(unresolved)))

    # -- names ---------------------------------------------------------------------------------------------

    def resolve(self, path: str, dotted: str, function: Function | None = None) -> Resolved:
        head, _, rest = dotted.partition(".")
        near = self._imports_in(path, head, function) if function is not None else ()
        if near:
            inside = {self._imported(path, imported, rest, frozenset()) for imported in near}
            return inside.pop() if len(inside) == 1 else _UNKNOWN
        local = self._class_in(path, head, function) if function is not None else None
        if local is not None:
            return Resolved("class", path, local.name, local) if not rest else self._nested(local, rest)
        return self._resolved((path, dotted))

    def _resolve_from(self, place: tuple[str, str]) -> Resolved:
        path, dotted = place
        head, _, rest = dotted.partition(".")
        return self._resolve(path, head, rest, frozenset())

    def choices(self, path: str, name: str) -> tuple[Resolved, ...]:
        self._module_names(path)
        entries = self._choices.get((path, name), ())
        return tuple(self._imported(path, e, "", frozenset()) if isinstance(e, Import) else e for e in entries)

    def _imports_in(self, path: str, name: str, function: Function) -> list[Import]:
        """What a function itself imports under a name."""
        self._reads.note(path)
        own = self._own_imports.get(path)
        if own is None:
            own = self._own_imports[path] = [i for i in self.module(path).imports if i.where == "function"]
        return [i for i in own if i.local == name and function.line <= i.line <= function.end_line]

    def _class_in(self, path: str, name: str, function: Function) -> ClassRef | None:
        """The class that a function itself defines under a name."""
        self._reads.note(path)
        own = self._own_classes.get(path)
        if own is None:
            own = self._own_classes[path] = [ref for ref in self.classes_of(path) if "<locals>" in ref.name]
        if not own:
            return None
        inside = (c for c in own if c.name.rpartition(".")[2] == name)
        return next((c for c in inside if function.line < c.line <= function.end_line), None)

    def _resolve(self, path: str, head: str, rest: str, seen: frozenset[tuple[str, str]]) -> Resolved:
        if (path, head) in seen:
            return _UNKNOWN
        seen = seen | {(path, head)}
        entry = self._module_names(path).get(head)
        if entry is None:
            return self._from_star(path, head, rest, seen)
        if isinstance(entry, Import):
            return self._imported(path, entry, rest, seen)
        if entry.kind == "value":
            return self._through_alias(path, entry, rest, seen)
        if rest and entry.ref is not None:
            return self._nested(entry.ref, rest)
        return entry

    def _through_alias(self, path: str, entry: Resolved, rest: str, seen: frozenset[tuple[str, str]]) -> Resolved:
        one = (path, entry.name) not in self._choices
        values = [s.value for s in self.module(path).stores if one and s.target == entry.name]
        if len(values) == 1 and values[0] is not None and values[0].op == "name":
            head, _, tail = values[0].text.partition(".")
            return self._resolve(path, head, ".".join(p for p in (tail, rest) if p), seen)
        return _UNKNOWN if rest else entry

    def _nested(self, ref: ClassRef, rest: str) -> Resolved:
        name = f"{ref.name}.{rest}"
        inner = [r for r in self.classes_of(ref.path) if r.name == name]
        if inner:
            return Resolved("class", ref.path, name, inner[-1])
        return Resolved("value", ref.path, name) if "." not in rest else _UNKNOWN

    def _from_star(self, path: str, head: str, rest: str, seen: frozenset[tuple[str, str]]) -> Resolved:
        self._reads.note(path)
        stars = self._stars.get(path)
        if stars is None:
            stars = self._stars[path] = [i for i in self.module(path).imports if i.local == "*"]
        for imported in stars:
            target = self._by_module.get(self._absolute(path, imported))
            found = self._resolve(target, head, rest, seen) if target else _UNKNOWN
            if found.kind != "unknown":
                return found
        return _UNKNOWN

    def _imported(self, path: str, imported: Import, rest: str, seen: frozenset[tuple[str, str]]) -> Resolved:
        module = self._absolute(path, imported)
        if not imported.name:
            return self._in_module(module, rest, seen)
        return self._in_module(module, ".".join(p for p in (imported.name, rest) if p), seen)

    def _in_module(self, module: str, rest: str, seen: frozenset[tuple[str, str]]) -> Resolved:
        """What `rest` is, seen from `module`: the longest module path wins, as far as modules exist."""
        parts = rest.split(".") if rest else []
        while parts and f"{module}.{parts[0]}" in self._by_module and not self._defines(module, parts[0]):
            module = f"{module}.{parts.pop(0)}"
        target = self._by_module.get(module)
        if target is not None:
            return self._resolve(target, parts[0], ".".join(parts[1:]), seen) if parts else Resolved("module", target)
        if parts and self._is_package(f"{module}.{parts[0]}"):
            return self._in_module(f"{module}.{parts[0]}", ".".join(parts[1:]), seen)
        if self._is_package(module):
            return _UNKNOWN
        return Resolved("external", "", ".".join(p for p in (module, *parts) if p))

    def _defines(self, module: str, name: str) -> bool:
        path = self._by_module.get(module)
        return path is not None and name in self._module_names(path)

    def _is_package(self, module: str) -> bool:
        return module.partition(".")[0] == self._profile.package and module.replace(".", "/") in self._folders

    @cached_property
    def _folders(self) -> frozenset[str]:
        """Every folder that holds a Python file, itself or further below."""
        folders: set[str] = set()
        for path in self._by_module.values():
            folder = self.package_path(path).rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(folders)

    def _absolute(self, path: str, imported: Import) -> str:
        if not imported.level:
            return imported.module
        package = self.module_name(path).split(".")
        drop = imported.level - (1 if path.endswith("/__init__.py") else 0)
        base = package[: len(package) - drop] if drop else package
        return ".".join([*base, imported.module] if imported.module else base)

    def _module_names(self, path: str) -> Mapping[str, Resolved | Import]:
        self._reads.note(path)
        names = self._names.get(path)
        if names is None:
            names = self._names[path] = self._bind(path)
        return names

    def _bind(self, path: str) -> dict[str, Resolved | Import]:
        """What each name of a module stands for. A later binding wins, a local one never hides a module-level one;
        a name that is bound again under a condition is a value, of which `choices` tells more."""
        names: dict[str, Resolved | Import] = {}
        typed: dict[str, Resolved | Import] = {}
        bound: dict[str, list[Resolved | Import]] = {}
        for name, where, entry in _bindings(path, self.module(path)):
            if where in ("function", "class"):
                names[name] = entry
            elif where == "typing":
                typed[name] = entry
            else:
                bound[name] = [*bound.get(name, ()), entry] if where else [entry]
        self._choices.update({(path, name): entries for name, entries in bound.items() if len(entries) > 1})
        names.update(typed)
        names.update((n, e[0] if len(e) == 1 else Resolved("value", path, n)) for n, e in bound.items())
        return names


def _bindings(path: str, facts: ModuleFacts) -> list[tuple[str, str, Resolved | Import]]:
    """The names that a module binds, in the order of the lines, with the statement around and what each stands for.

    A name that is assigned what a call makes of it (a decorator, by hand) keeps its meaning.
    """
    found: list[tuple[int, str, str, Resolved | Import]] = [
        (i.line, i.local, i.where, i) for i in facts.imports if i.local != "*"
    ]
    found += [(f.line, f.name, f.scope, Resolved("function", path, f.name)) for f in facts.functions]
    for cls in facts.classes:
        inside = "<locals>" in cls.name
        resolved = Resolved("class", path, cls.name, ClassRef(path, cls.name, cls.line))
        name = cls.name.rpartition(".")[2] if inside else cls.name
        found.append((cls.line, name, "function" if inside else cls.scope, resolved))
    bound = {name for _, name, _, _ in found}
    for s in facts.stores:
        made = s.value is not None and s.value.op == "call" and s.target in {p.text for p in s.value.parts[1:]}
        if not made or s.target not in bound:
            found.append((s.line, s.target, s.branch, Resolved("value", path, s.target)))
    return [(name, where, entry) for _, name, where, entry in sorted(found, key=lambda b: b[0])]
