"""Where in a class a shim goes: next to the forwards that are there, else before load_weights, else at the end."""

from __future__ import annotations

import ast

import msgspec

from shimgen.shims.marker import accessors, is_marked
from shimgen.shims.refusal import no_place
from shimgen.source import ClassSite, Source
from shimgen.syntax import FunctionNode, first_line, imported_as, last_line

LOADER = "load_weights"
# Forwards of these stand where the model's own logic is, not among the members that only pass through.
_LANDMARKS = (LOADER, "forward", "__init__")


class Place(msgspec.Struct, frozen=True):
    """Behind line `line`; `indent` of a member there, and `unit`, one more level of indentation."""

    line: int
    indent: str
    unit: str


def find_place(source: Source, site: ClassSite, attribute: str) -> Place:
    """The place for members that forward to `attribute`. Raises RefusedError where inserting is not safe."""
    body = site.node.body
    if not _begins_line(source, body[0]):
        raise no_place("its body stands on the line of the class statement")
    indent = source.indent(first_line(body[0]))
    unit = _unit(source, site, indent)
    position = _after(source, body, attribute)
    last = position == len(body) - 1
    return Place(_end(source, body[position], indent, last), indent, unit)


def _begins_line(source: Source, node: ast.stmt) -> bool:
    """Whether nothing but indentation stands before a statement on its line."""
    line = source.line(first_line(node))
    rest = line.lstrip(" \t\f")
    decorated = bool(getattr(node, "decorator_list", ()))
    return rest.startswith("@") if decorated else len((line[: len(line) - len(rest)]).encode()) == node.col_offset


def _unit(source: Source, site: ClassSite, indent: str) -> str:
    """What one level adds, as the methods of the class show it, else as the class itself does."""
    outer = source.indent(first_line(site.node))
    units = {_deeper(source, member, indent) for member in site.node.body if isinstance(member, FunctionNode)}
    units.discard("")
    if not units:
        units = {indent.removeprefix(outer)}
    kinds = {frozenset(unit) for unit in units} | {frozenset(indent)}
    if any(len(kind) > 1 for kind in kinds) or len(kinds - {frozenset()}) > 1:
        raise no_place("its indentation mixes tabs and spaces")
    return min(units, key=len)


def _deeper(source: Source, member: ast.stmt, indent: str) -> str:
    """What the body of a method adds to the indentation of the class body, "" for a body on the line of its def."""
    inner: ast.stmt = getattr(member, "body", [])[0]
    return source.indent(first_line(inner)).removeprefix(indent) if _begins_line(source, inner) else ""


def _after(source: Source, body: list[ast.stmt], attribute: str) -> int:
    """The index of the statement behind which the members go."""
    forwards = [i for i, node in enumerate(body) if _is_forward(source, node, attribute)]
    if forwards:
        return accessors(body, forwards[-1])
    loaders = [i for i, node in enumerate(body) if isinstance(node, FunctionNode) and node.name == LOADER]
    if loaders and loaders[0] > 0:
        return loaders[0] - 1
    return len(body) - 1


def _is_forward(source: Source, node: ast.stmt, attribute: str) -> bool:
    """A def of ours, or one that does nothing but hand on to `self.<attribute>`; one that first looks whether it
    can must hand on to the member of its own name."""
    if not isinstance(node, FunctionNode) or node.name in _LANDMARKS:
        return False
    if is_marked(source, node):
        return True
    last = node.body[-1]
    value = last.value if isinstance(last, ast.Return | ast.Expr) else None
    value = value.value if isinstance(value, ast.Await) else value
    value = value.func if isinstance(value, ast.Call) else value if isinstance(last, ast.Return) else None
    if not isinstance(value, ast.Attribute) or ast.unparse(value.value) != f"self.{attribute}":
        return False
    documented = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    return value.attr == node.name or len(node.body) == 1 + documented


def _end(source: Source, node: ast.stmt, indent: str, last: bool) -> int:
    """The last line that belongs to a statement: comments below it that are deeper than the class body are its own,
    and what is commented out at the end of a class stays where it is."""
    end = last_line(node)
    for number in range(end + 1, source.count + 1):
        text = source.line(number).strip(" \t\f")
        if not text:
            continue
        leading = source.indent(number)
        deeper = leading.startswith(indent) and (last or leading != indent)
        if not text.startswith("#") or not deeper:
            break
        end = number
    return end


def find_class(source: Source, name: str, line: int) -> ClassSite:
    """The class of that qualified name, at that line when there are several. Raises RefusedError."""
    found = source.named(name)
    exact = [site for site in found if site.node.lineno == line]
    if len(exact) == 1:
        return exact[0]
    if len(found) == 1 and not line:
        return found[0]
    raise no_place(f"no class {name} begins at line {line}")


def names_in_class(node: ast.ClassDef) -> dict[str, int]:
    """The names that the class body binds, each with the last line that does; bare annotations bind nothing."""
    found: dict[str, int] = {}
    stack: list[ast.AST] = list(node.body)
    while stack:
        item = stack.pop()
        if isinstance(item, FunctionNode | ast.ClassDef):
            found[item.name] = max(found.get(item.name, 0), item.lineno)
        elif isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
            found[item.id] = max(found.get(item.id, 0), item.lineno)
        elif isinstance(item, ast.alias):
            found[imported_as(item)] = max(found.get(imported_as(item), 0), getattr(item, "lineno", 0))
        elif isinstance(item, ast.AnnAssign) and item.value is None:
            continue
        elif not isinstance(item, ast.Lambda):
            stack.extend(ast.iter_child_nodes(item))
    return found
