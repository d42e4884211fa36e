"""The resolved index as the later stages see it: names, classes and MROs. The implementation is in `index/`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec

from shimgen.model.domain import ClassRef
from shimgen.model.facts import Class, Expr, Function, ModuleFacts, Use
from shimgen.model.source import Skipped


class Resolved(msgspec.Struct, frozen=True, gc=False):
    """What a name stands for. `kind`: "class" (`ref`), "function" (`path`, `name`), "value" (a module-level
    assignment: `path`, `name`), "module" (`path`), "external" (`name` is its dotted import name) or "unknown"."""

    kind: str
    path: str = ""
    name: str = ""
    ref: ClassRef | None = None


class Mro(msgspec.Struct, frozen=True, gc=False):
    """C3 linearisation of the classes found in the checkout, with the external bases met on the way.

    `unresolved`: base expressions that resolve to nothing known; then the MRO is not complete.
    """

    classes: tuple[ClassRef, ...]
    externals: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()


class Attribute(msgspec.Struct, frozen=True, gc=False):
    """An attribute that instances have because some method assigns it.

    `owner` is the class whose method does, at `line`. `types` are the classes of the checkout that the value may be
    an instance of, `externals` the dotted names of other classes. `optional`: it may be None or never assigned.
    `unknown` says why the value could not be followed ("" when it was). `initial`: the constructor assigns it.
    `registered`: a factory of the profile makes it, so that it is a model even where its class is unknown.
    """

    name: str
    owner: ClassRef
    line: int
    types: tuple[ClassRef, ...] = ()
    externals: tuple[str, ...] = ()
    optional: bool = False
    unknown: str = ""
    initial: bool = True
    value: Expr | None = None
    registered: bool = False


class Program(Protocol):
    """Facts of one baseline with names resolved across files. All answers are deterministic."""

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Files that could not be read as Python, and why."""

    def model_classes(self) -> Iterable[ClassRef]:
        """The classes in the profile's model paths, sorted."""

    def model_paths(self) -> Iterable[str]:
        """The files in the profile's model paths, sorted."""

    def classes_of(self, path: str) -> Iterable[ClassRef]:
        """The classes of one file in the order of their lines."""

    def use_paths(self) -> Iterable[str]:
        """The files searched for demands, sorted."""

    def module(self, path: str) -> ModuleFacts:
        """Facts of a file of the checkout. Raises KeyError when the baseline has no such file."""

    def uses(self, path: str) -> tuple[Use, ...]:
        """Uses of receivers in a file of `use_paths`, in the order of their lines."""

    def cls(self, ref: ClassRef) -> Class:
        """Facts of a class."""

    def resolve(self, path: str, dotted: str, function: Function | None = None) -> Resolved:
        """What `dotted` means in the module at `path` (seen from inside `function`, for local imports)."""

    def choices(self, path: str, name: str) -> tuple[Resolved, ...]:
        """What a value of a module may stand for, where statements under a condition bind it besides; () elsewhere."""

    def registered(self) -> Mapping[str, ClassRef]:
        """The classes that the profile's registry lists, by the names they are registered under."""

    def mro(self, ref: ClassRef) -> Mro:
        """The method resolution order, `ref` first."""

    def attributes(self, ref: ClassRef) -> Mapping[str, Attribute]:
        """Instance attributes of a class: what the constructors that really run assign, then other methods."""

    def find(self, ref: ClassRef, member: str) -> tuple[ClassRef, Function] | None:
        """The nearest function of that name in the MRO, and its class; None when there is none, or it is a stub."""

    def mentions(self, name: str) -> tuple[tuple[str, int], ...]:
        """Path and line wherever a Python file has `name` as an attribute or as a text of its own, sorted."""

    def module_name(self, path: str) -> str:
        """The dotted import name of the module at `path`."""

    def package_path(self, path: str) -> str:
        """`path` without the prefix under which the package stands in the checkout ("python/")."""


def absolute(program: Program, path: str, module: str, level: int) -> str:
    """The dotted name of the module that an import in the file at `path` names, with `level` dots before it."""
    if not level:
        return module
    package = program.module_name(path).split(".")
    if not path.endswith("/__init__.py"):
        package.pop()
    return ".".join(filter(None, (*package[: len(package) - level + 1], module)))


_PROTOCOL = frozenset(("typing.Protocol", "typing_extensions.Protocol"))


def is_protocol(program: Program, ref: ClassRef) -> bool:
    """Whether a class is a protocol itself, and not one that inherits from protocols."""
    bases = ((base.parts[0].text if base.op == "item" else base.text) for base in program.cls(ref).bases)
    return any(program.resolve(ref.path, text).name in _PROTOCOL for text in bases if text)


def linearise(ref: ClassRef, parents: list[tuple[ClassRef, ...]]) -> tuple[ClassRef, ...]:
    """The order (C3, Python's own) in which members of `ref` are looked up, given its parents' orders.

    Where C3 has no answer (Python would refuse the class), depth-first order without repetitions is returned.
    """
    order = merged(ref, parents)
    return order or tuple(dict.fromkeys([ref, *(cls for order in parents for cls in order)]))


def merged(ref: ClassRef, parents: list[tuple[ClassRef, ...]]) -> tuple[ClassRef, ...]:
    """As `linearise`, () where Python would refuse the class."""
    queues = [list(order) for order in parents if order]
    queues.append([order[0] for order in parents if order])
    result = [ref]
    while any(queues):
        head = next((q[0] for q in queues if q and not any(q[0] in other[1:] for other in queues)), None)
        if head is None:
            return ()
        result.append(head)
        queues = [[cls for cls in queue if cls != head] for queue in queues]
    return tuple(result)
