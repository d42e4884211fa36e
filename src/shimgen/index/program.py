"""The index of one baseline: facts by path, names resolved across files, MROs. Implements `model.program.Program`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shimgen.cache import Store
from shimgen.index.answers import Answers, Reads
from shimgen.index.files import Files
from shimgen.index.gather import gather
from shimgen.index.instances import Instances
from shimgen.index.names import UNKNOWN, Names
from shimgen.index.trace import Trace, traced
from shimgen.model.calling import assigned
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Class, Expr, Function, ModuleFacts
from shimgen.model.profile import Profile
from shimgen.model.program import Mro, Program, linearise
from shimgen.model.source import Skipped, Stats, Tree


def _spelled(base: Expr) -> str:
    """How a sentence names a base that is no name."""
    return f"what {base.parts[0].text}() gives" if base.op == "call" else "a computed base"


class Index:
    """Facts of one tree, extracted when they are first asked for."""

    def __init__(
        self, tree: Tree, profile: Profile, root: str = "", store: Store | None = None, like: Index | None = None
    ) -> None:
        """`root` is the prefix under which the profile's package stands in the checkout ("" or "python/").
        `store` holds the facts of blobs that were seen before. The index of a tree that is much `like` this one
        gives the answers that do not depend on what the two differ in; it has the same profile and root."""
        self._profile = profile
        self._files = files = Files(tree, profile, root, store if store is not None else Store(profile))
        self.package_path, self.uses, self.mentions = files.package_path, files.uses, files.mentions
        self._classes: dict[ClassRef, Class] = {}
        self._reads: Reads = Reads(like._reads if like is not None else None)
        self._names = Names(self, self._reads, files.python, profile.package)
        self.resolve, self.choices = self._names.resolve, self._names.choices
        # A class that inherits from itself gives itself no more than what it has.
        self.mro = Answers(self._reads, self._linearise, lambda ref: Mro((ref,)))
        self._registered = Answers(self._reads, self._registry, lambda _: {})
        self.attributes = Instances(self, self._reads, profile.models.factories).attributes
        if like is not None and like._files.python == self._files.python:
            self._take(like)

    def _take(self, other: Index) -> None:
        """Take over the answers of the index of a tree that has files of the same names."""
        old, new = other._files.tree.blobs, self._files.tree.blobs
        changed = self._reads.set_of(path for path in self._files.python if old[path] != new[path])
        self._names.resolved.take(other._names.resolved, changed)
        self.mro.take(other.mro, changed)
        self._registered.take(other._registered, changed)
        self.attributes.take(other.attributes, changed)

    # -- files ---------------------------------------------------------------------------------------------

    def gather(self) -> None:
        """Bring the facts that every analysis needs, in one go; else each is brought when it is asked for."""
        gather(self._files, self._names.locate)

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

    def find(self, ref: ClassRef, member: str) -> tuple[ClassRef, Function] | None:
        for cls in self.mro(ref).classes:
            for function in reversed(self.cls(cls).functions):
                if function.name == member and function.kind not in ("setter", "deleter"):
                    return (cls, function) if not function.stub else None
        return None

    def registered(self) -> Mapping[str, ClassRef]:
        return self._registered(self._profile.models.registry)

    def _registry(self, registry: str) -> Mapping[str, ClassRef]:
        return registered(self, self._names.by_module, registry) if registry else {}

    def _linearise(self, ref: ClassRef) -> Mro:
        parents: list[Mro] = []
        externals: list[str] = []
        unresolved: list[str] = []
        for base in self.cls(ref).bases:
            text = base.parts[0].text if base.op == "item" else base.text
            target = self.resolve(ref.path, text) if text else UNKNOWN
            if target.ref is not None and target.ref != ref:
                parents.append(self.mro(target.ref))
            elif target.kind == "external":
                externals.append(target.name)
            elif text != "object":
                unresolved.append(text or _spelled(base))
        classes = linearise(ref, [mro.classes for mro in parents])
        for mro in parents:
            externals += mro.externals
            unresolved += mro.unresolved
        return Mro(classes, tuple(dict.fromkeys(externals)), tuple(dict.fromkeys(unresolved)))


_DEPTH = 4


def registered(program: Program, paths: Mapping[str, str], registry: str) -> Mapping[str, ClassRef]:
    """The classes of the table at the dotted name `registry`, by the names they are registered under.

    `paths` maps module names to files. Modules of the table are counted from the registry's own folder; tables that
    it takes up with ** are part of it. What is no (module, class) pair of the checkout is left out.
    """
    module, _, variable = registry.rpartition(".")
    path = paths.get(module)
    if path is None:
        return {}
    package = module if path.endswith("/__init__.py") else module.rpartition(".")[0]
    found: dict[str, ClassRef] = {}
    for name, inner, cls in _rows(program, path, Expr("name", variable), _DEPTH):
        target = paths.get(f"{package}.{inner}") or paths.get(inner)
        ref = program.resolve(target, cls).ref if target is not None else None
        if ref is not None:
            found[name] = ref
    return found


def _rows(program: Program, path: str, value: Expr, depth: int) -> Iterator[tuple[str, str, str]]:
    """Name, module and class of each entry, in the order of the source: of one name the last entry counts."""
    if value.op == "name" and depth:
        for given in assigned(program, path, value.text):
            yield from _rows(program, path, given, depth - 1)
    for key, part in zip(value.keys, value.parts, strict=True) if value.op == "dict" else ():
        if key == "**":
            yield from _rows(program, path, part, depth)
        elif part.op == "seq" and len(part.parts) == 2 and all(item.op == "const" for item in part.parts):
            module, cls = (item.literal for item in part.parts)
            yield key.strip("'\""), module, cls
