"""Runtime-checkable protocols: `isinstance(model, SupportsX)` asks for every member that the protocol lists."""

from __future__ import annotations

from shimgen.model.domain import ClassRef
from shimgen.model.program import Program

_PROTOCOL = frozenset(("typing.Protocol", "typing_extensions.Protocol"))


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
    protocol = _PROTOCOL.intersection(program.mro(ref).externals)
    decorators = program.cls(ref).decorators
    return bool(protocol) and any(d.rpartition(".")[2] == "runtime_checkable" for d in decorators)
