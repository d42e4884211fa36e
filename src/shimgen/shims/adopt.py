"""Taking up a base: the class statement names it, an import binds it, and a comment above says so."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from shimgen.model.domain import ClassRef
from shimgen.model.program import Program, absolute
from shimgen.shims.headers import bases_of, names_of
from shimgen.shims.lists import Edit
from shimgen.shims.marker import adoption_marker
from shimgen.shims.refusal import no_place
from shimgen.shims.scopes import Scope
from shimgen.source import ClassSite, Source
from shimgen.syntax import first_line, last_line


class Adoption(msgspec.Struct, frozen=True):
    """A class that takes up a protocol. `statement` is the import that grows by its name, `new` a line that imports
    it; neither where the module knows it already."""

    site: ClassSite
    protocol: ClassRef
    statement: ast.ImportFrom | None = None
    new: str = ""
    after: int = 0

    @property
    def name(self) -> str:
        return self.protocol.name


def adoption(program: Program, source: Source, site: ClassSite, scope: Scope, protocol: ClassRef) -> Adoption:
    """How a class takes up a protocol. Raises RefusedError where that is not safe."""
    if site.scopes:
        raise no_place("it is defined inside a function or another class")
    if getattr(site.node, "type_params", ()):
        raise no_place("its class statement has type parameters")
    bases_of(source, site.node)
    if scope.means(protocol.name) == "early":
        if program.resolve(scope.path, protocol.name).ref == protocol:
            return Adoption(site, protocol)
        raise no_place(f"its module calls something else {protocol.name}")
    if scope.means(protocol.name) == "builtin" or protocol.name in scope.hidden:
        raise no_place(f"its module calls something else {protocol.name}")
    module = program.module_name(protocol.path)
    imports = [node for node in source.tree.body if isinstance(node, ast.ImportFrom) and node.lineno < site.node.lineno]
    for node in imports:
        if _module(program, scope.path, node) == module and all(alias.name != "*" for alias in node.names):
            return Adoption(site, protocol, node)
    if not _is_loaded(program, scope.path, module) and not _is_leaf(program, scope.path, protocol.path):
        raise no_place(f"its module does not import {module}, and nothing shows that it can")
    text, after = _new_import(program, scope.path, imports, module, protocol.name)
    return Adoption(site, protocol, None, text, after)


def _module(program: Program, path: str, node: ast.ImportFrom) -> str:
    """The dotted name of the module that an import names."""
    return absolute(program, path, node.module or "", node.level)


def _is_loaded(program: Program, path: str, module: str) -> bool:
    """Whether something that the file imports has imported the module before, so that no cycle can arise."""
    always = (imported for imported in program.module(path).imports if not imported.where)
    targets = {program.resolve(path, imported.local).path for imported in always} - {"", path}
    return any(
        not inner.where and inner.name and absolute(program, target, inner.module, inner.level) == module
        for target in targets
        for inner in program.module(target).imports
    )


def _is_leaf(program: Program, path: str, other: str) -> bool:
    """Whether the module at `other` imports nothing of the checkout, and stands in a package around the file."""
    module = program.module_name(other)
    package, top = module.rpartition(".")[0], module.partition(".")[0]
    if package and not program.module_name(path).startswith(f"{package}."):
        return False
    found = (program.resolve(other, i.local) for i in program.module(other).imports if i.where != "typing")
    return all(f.kind == "external" and f.name.partition(".")[0] != top for f in found)


def _new_import(
    program: Program, path: str, imports: Sequence[ast.ImportFrom], module: str, name: str
) -> tuple[str, int]:
    """The line that imports a name, and the line behind which it goes: the last import that sorts before it."""
    package, _, last = module.rpartition(".")
    here = program.module_name(path).rpartition(".")[0]
    relative = package == here and any(node.level == 1 for node in imports)
    line = f"from {'.' + last if relative else module} import {name}"
    alike = [node for node in imports if bool(node.level) == relative] or list(imports)
    if not alike:
        raise no_place("its module imports nothing in this form")
    before = [node for node in alike if _module(program, path, node) <= module]
    above = first_line(alike[0]) - 1
    return line, last_line(before[-1]) if before else above or last_line(alike[0])


def header_edits(source: Source, adoptions: Sequence[Adoption], limit: int) -> list[Edit]:
    """The edits of one file for all of its adoptions: imports, class statements, and the comments above these."""
    edits: list[Edit] = []
    stood: dict[str, str] = {}
    for statement in {id(a.statement): a.statement for a in adoptions if a.statement is not None}.values():
        names = sorted({a.name for a in adoptions if a.statement is statement})
        grown, was = names_of(source, statement).grown(_positions(statement, names), limit)
        edits += grown
        stood |= dict.fromkeys(names, was)
    for new, after in sorted({(a.new, a.after) for a in adoptions if a.new}):
        text = new + (source.terminator(after) or "\n")
        edits.append(Edit(source.after(after), source.after(after), text.encode(source.encoding)))
    for mine in _by_class(adoptions):
        edits += _class_edits(source, mine, stood, limit)
    return edits


def _class_edits(source: Source, adoptions: Sequence[Adoption], stood: Mapping[str, str], limit: int) -> Iterator[Edit]:
    """The edits for the class that takes up these; `stood` tells where an import was before it was wrapped."""
    node = adoptions[0].site.node
    grown, was = bases_of(source, node).grown([(len(node.bases), a.name.encode()) for a in adoptions], limit)
    yield from grown
    indent = source.indent(first_line(node))
    newline = source.terminator(first_line(node)) or "\n"
    marks = (
        adoption_marker(a.name, a.statement is not None or bool(a.new), was, stood.get(a.name, "")) for a in adoptions
    )
    above = "".join(indent + mark + newline for mark in marks)
    start = source.starts[first_line(node) - 1]
    yield Edit(start, start, above.encode(source.encoding))


def _by_class(adoptions: Sequence[Adoption]) -> Iterator[list[Adoption]]:
    groups: dict[tuple[str, int], list[Adoption]] = {}
    for one in adoptions:
        groups.setdefault((one.site.name, one.site.node.lineno), []).append(one)
    for key in sorted(groups):
        yield sorted(groups[key], key=lambda a: a.name)


def _positions(node: ast.ImportFrom, names: Sequence[str]) -> list[tuple[int, bytes]]:
    """Where new names go in an import: in the order that the names there follow, else behind them."""
    there = [alias.name for alias in node.names]
    order = next((key for key in _ORDERS if there == sorted(there, key=key)), None)
    if order is None:
        return [(len(there), name.encode()) for name in names]
    return [(sum(order(t) < order(name) for t in there), name.encode()) for name in sorted(names, key=order)]


def _by_type(name: str) -> tuple[int, str]:
    """isort's order: constants, classes, the rest."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name


_ORDERS: tuple[Callable[[str], tuple[int, str]], ...] = (
    _by_type,
    lambda name: (0, name.casefold()),
    lambda name: (0, name),
)
