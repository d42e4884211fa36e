"""Protocols: what `isinstance(model, SupportsX)` asks for, and which protocols a function like `supports_x` tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from shimgen.model.calling import routine
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Expr, Function
from shimgen.model.globs import matches
from shimgen.model.profile import Profile
from shimgen.model.program import Program, is_protocol

_DEPTH = 4


def protocol_members(program: Program, path: str, dotted: str) -> tuple[str, ...]:
    """The members that the class called `dotted` in the module at `path` asks for, sorted.

    () when it is not a runtime-checkable protocol of the checkout: then isinstance asks for inheritance, which no
    forward can give.
    """
    ref = program.resolve(path, dotted).ref
    if ref is None or not _checkable(program, ref):
        return ()
    members: set[str] = set()
    for base in program.mro(ref).classes:
        cls = program.cls(base)
        members.update(f.name for f in cls.functions)
        members.update(a.name for a in cls.attributes)
    return tuple(sorted(m for m in members if not m.startswith("__")))


def _checkable(program: Program, ref: ClassRef) -> bool:
    decorators = program.cls(ref).decorators
    return is_protocol(program, ref) and any(d.rpartition(".")[2] == "runtime_checkable" for d in decorators)


class Declared:
    """The protocols that the profile lists as declared interfaces: a model supports one by having it as a base."""

    def __init__(self, program: Program, profile: Profile) -> None:
        self._program = program
        self._globs = profile.protocols

    @cached_property
    def protocols(self) -> tuple[ClassRef, ...]:
        """Those that some class of the model files has as a base, sorted; the others only help to test."""
        program = self._program
        if not self._globs:
            return ()
        used = {base for ref in program.model_classes() for base in program.mro(ref).classes if base != ref}
        found = (ref for ref in used if matches(program.package_path(ref.path), self._globs))
        return tuple(sorted(ref for ref in found if is_protocol(program, ref)))

    @cached_property
    def _markers(self) -> Mapping[str, tuple[ClassRef, ...]]:
        """The protocols that set an attribute to True, by the name of the attribute."""
        found: dict[str, list[ClassRef]] = {}
        for ref in self.protocols:
            for attribute in self._program.cls(ref).attributes:
                if attribute.value is not None and attribute.value.text == "True":
                    found.setdefault(attribute.name, []).append(ref)
        return {name: tuple(refs) for name, refs in found.items()}

    def asked(self, path: str, dotted: str) -> tuple[ClassRef, ...]:
        """The declared protocols that a test asks for, by a class or by a function that the module at `path` calls
        `dotted`; several when any of them may be meant."""
        if not self.protocols:
            return ()
        return tuple(dict.fromkeys(ref for ref in self._tests(path, dotted, _DEPTH) if ref in self.protocols))

    def _tests(self, path: str, dotted: str, depth: int) -> Iterator[ClassRef]:
        found = self._program.resolve(path, dotted)
        if found.ref is not None:
            yield found.ref
        elif depth and (function := routine(self._program, found)) is not None:
            for value in function.returned:
                yield from self._in_value(found.path, function, value, depth)

    def _in_value(self, path: str, function: Function, value: Expr, depth: int) -> Iterator[ClassRef]:
        """What makes the returned value true: isinstance, a marker, another such function, or a name for these."""
        if value.op == "choice":
            for part in value.parts:
                yield from self._in_value(path, function, part, depth)
        elif value.op == "name" and "." not in value.text:
            for store in function.stores:
                if store.target == value.text and store.value is not None and depth:
                    yield from self._in_value(path, function, store.value, depth - 1)
        elif value.op == "call" and value.parts[1:2] == (Expr("name", function.first),):
            callee, _, *rest = value.parts
            if callee.text == "isinstance" and rest:
                for cls in rest[0].parts or (rest[0],):
                    yield from self._tests(path, cls.text, 1)
            elif callee.text == "getattr" and rest and rest[0].op == "const":
                yield from self._markers.get(rest[0].literal, ())
            elif callee.op == "name":
                yield from self._tests(path, callee.text, depth - 1)
