"""What names mean: bound in a module, imported across files, inside of classes and functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, cached_property

from shimgen.index.answers import Answers, Reads
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Function, Import, ModuleFacts
from shimgen.model.program import Program, Resolved, absolute

UNKNOWN = Resolved("unknown")


class Names:
    """The names of each file of a program, bound when they are first asked for."""

    def __init__(self, program: Program, reads: Reads, python: Iterable[str], package: str) -> None:
        """`python` are the files of the program, `package` is the name of the profile's package."""
        self._program = program
        self._reads = reads
        self._package = package
        self.by_module = {program.module_name(path): path for path in python}
        """The files by the names of their modules."""
        self.resolved = Answers(reads, self._resolve_from, lambda _: UNKNOWN)
        """What a dotted name means at the top of a file, by path and name."""
        self._names = cache(self._bind)
        self._choices: dict[tuple[str, str], list[Resolved | Import]] = {}
        self._own_imports = cache(lambda path: [i for i in program.module(path).imports if i.where == "function"])
        self._own_classes = cache(lambda path: [c for c in program.classes_of(path) if "<locals>" in c.name])
        self._stars = cache(lambda path: [i for i in program.module(path).imports if i.local == "*"])

    def locate(self, path: str, imported: Import) -> str | None:
        """The path of the module that an import names, or takes a name from; None outside of the checkout."""
        module = self._absolute(path, imported)
        return self.by_module.get(f"{module}.{imported.name}") or self.by_module.get(module)

    def resolve(self, path: str, dotted: str, function: Function | None = None) -> Resolved:
        """What `dotted` means in a file, seen from inside `function`."""
        head, _, rest = dotted.partition(".")
        near = self._imports_in(path, head, function) if function is not None else ()
        if near:
            inside = {self._imported(path, imported, rest, frozenset()) for imported in near}
            return inside.pop() if len(inside) == 1 else UNKNOWN
        local = self._class_in(path, head, function) if function is not None else None
        if local is not None:
            return Resolved("class", path, local.name, local) if not rest else self._nested(local, rest)
        return self.resolved((path, dotted))

    def _resolve_from(self, place: tuple[str, str]) -> Resolved:
        path, dotted = place
        head, _, rest = dotted.partition(".")
        return self._resolve(path, head, rest, frozenset())

    def choices(self, path: str, name: str) -> tuple[Resolved, ...]:
        """What a value of a module may stand for, where statements under a condition bind it besides."""
        self._module_names(path)
        entries = self._choices.get((path, name), ())
        return tuple(self._imported(path, e, "", frozenset()) if isinstance(e, Import) else e for e in entries)

    def _imports_in(self, path: str, name: str, function: Function) -> list[Import]:
        """What a function itself imports under a name."""
        self._reads.note(path)
        return [i for i in self._own_imports(path) if i.local == name and function.line <= i.line <= function.end_line]

    def _class_in(self, path: str, name: str, function: Function) -> ClassRef | None:
        """The class that a function itself defines under a name."""
        self._reads.note(path)
        inside = (c for c in self._own_classes(path) if c.name.rpartition(".")[2] == name)
        return next((c for c in inside if function.line < c.line <= function.end_line), None)

    def _resolve(self, path: str, head: str, rest: str, seen: frozenset[tuple[str, str]]) -> Resolved:
        if (path, head) in seen:
            return UNKNOWN
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
        values = [s.value for s in self._program.module(path).stores if one and s.target == entry.name]
        if len(values) == 1 and values[0] is not None and values[0].op == "name":
            head, _, tail = values[0].text.partition(".")
            return self._resolve(path, head, ".".join(p for p in (tail, rest) if p), seen)
        return UNKNOWN if rest else entry

    def _nested(self, ref: ClassRef, rest: str) -> Resolved:
        name = f"{ref.name}.{rest}"
        inner = [r for r in self._program.classes_of(ref.path) if r.name == name]
        if inner:
            return Resolved("class", ref.path, name, inner[-1])
        return Resolved("value", ref.path, name) if "." not in rest else UNKNOWN

    def _from_star(self, path: str, head: str, rest: str, seen: frozenset[tuple[str, str]]) -> Resolved:
        self._reads.note(path)
        for imported in reversed(self._stars(path)):  # a later one binds its names again
            target = self.by_module.get(self._absolute(path, imported))
            found = self._resolve(target, head, rest, seen) if target else UNKNOWN
            if found.kind != "unknown":
                return found
        return UNKNOWN

    def _imported(self, path: str, imported: Import, rest: str, seen: frozenset[tuple[str, str]]) -> Resolved:
        module = self._absolute(path, imported)
        if not imported.name:
            return self._in_module(module, rest, seen)
        return self._in_module(module, ".".join(p for p in (imported.name, rest) if p), seen)

    def _in_module(self, module: str, rest: str, seen: frozenset[tuple[str, str]]) -> Resolved:
        """What `rest` is, seen from `module`: the longest module path wins, as far as modules exist."""
        parts = rest.split(".") if rest else []
        while parts and self._is_module(f"{module}.{parts[0]}") and not self._defines(module, parts[0]):
            module = f"{module}.{parts.pop(0)}"
        target = self.by_module.get(module)
        if target is not None:
            return self._resolve(target, parts[0], ".".join(parts[1:]), seen) if parts else Resolved("module", target)
        if self._is_package(module):
            return UNKNOWN
        return Resolved("external", "", ".".join(p for p in (module, *parts) if p))

    def _defines(self, module: str, name: str) -> bool:
        path = self.by_module.get(module)
        return path is not None and name in self._module_names(path)

    def _is_module(self, name: str) -> bool:
        return name in self.by_module or self._is_package(name)

    def _is_package(self, module: str) -> bool:
        """Whether it is a folder of the profile's package, be it without a file of its own."""
        return module.partition(".")[0] == self._package and module.replace(".", "/") in self._folders

    @cached_property
    def _folders(self) -> frozenset[str]:
        """Every folder that holds a Python file, itself or further below."""
        folders: set[str] = set()
        for path in self.by_module.values():
            folder = self._program.package_path(path).rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(folders)

    def _absolute(self, path: str, imported: Import) -> str:
        return absolute(self._program, path, imported.module, imported.level)

    def _module_names(self, path: str) -> Mapping[str, Resolved | Import]:
        self._reads.note(path)
        return self._names(path)

    def _bind(self, path: str) -> dict[str, Resolved | Import]:
        """What each name of a module stands for. A later binding wins, a local one never hides a module-level one;
        a name that is bound again under a condition is a value, of which `choices` tells more."""
        names: dict[str, Resolved | Import] = {}
        typed: dict[str, Resolved | Import] = {}
        bound: dict[str, list[Resolved | Import]] = {}
        for name, where, entry in _bindings(path, self._program.module(path)):
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
