"""The bytes of one file -> facts. What cannot be parsed gives facts that say so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import msgspec

from shimgen.index.bindings import hiding
from shimgen.index.definitions import extract_definitions
from shimgen.model.facts import LIMIT, MARKER, ModuleFacts, Searched
from shimgen.model.profile import Profile
from shimgen.syntax import parsed


def parse(source: bytes) -> ast.Module | ModuleFacts:
    """The syntax tree, or facts that carry nothing but the reason why there is none."""
    try:
        return parsed(source)
    except SyntaxError as error:
        return ModuleFacts(error=f"does not parse: {error.msg}", error_line=error.lineno or 0)
    except ValueError as error:
        return ModuleFacts(error=f"does not parse: {error}")
    except (RecursionError, MemoryError):
        return ModuleFacts(error=LIMIT)


def definitions_of(source: bytes, known: ast.Module | None = None) -> ModuleFacts:
    """Definitions of a file from its bytes, of which `known` may be the syntax; a file that does not parse gives
    facts with `error` set."""
    module = known or parse(source)
    lines = source.count(b"\n")
    if isinstance(module, ModuleFacts):
        return msgspec.structs.replace(module, lines=lines)
    try:
        facts = extract_definitions(module, lines, hiding(source))
    except RecursionError:
        return ModuleFacts(lines=lines, error=LIMIT)
    marked = tuple(_marked(source))
    return msgspec.structs.replace(facts, marked=marked, own=tuple(_own(facts, marked))) if marked else facts


def _marked(source: bytes) -> Iterator[int]:
    """The lines that are a marker, counted from 1 as `ast` counts them."""
    marker = MARKER.encode()
    if marker in source:
        yield from (n for n, line in enumerate(source.splitlines(), 1) if line.lstrip().startswith(marker))


def _own(facts: ModuleFacts, marked: tuple[int, ...]) -> Iterator[int]:
    """The lines of the members that stand right below a marker, their decorators between them."""
    for cls in facts.classes:
        yield from (f.line for f in cls.functions if f.line - len(f.decorators) - 1 in marked)
        yield from (attribute.line for attribute in cls.attributes if attribute.line - 1 in marked)


def search(source: bytes, package_path: str, profile: Profile) -> Searched:
    """Uses of receivers in a file from its bytes; a file that does not parse gives facts with `error` set."""
    return _search(source, package_path, profile)[0]


def search_first(source: bytes, package_path: str, profile: Profile) -> tuple[Searched, ModuleFacts | None]:
    """The same, and the definitions of a file that probes a model: an analysis looks at what is around a probe."""
    found, module = _search(source, package_path, profile)
    probes = module is not None and any(use.kind == "probe" for use in found.uses)
    return found, definitions_of(source, module) if probes else None


def _search(source: bytes, package_path: str, profile: Profile) -> tuple[Searched, ast.Module | None]:
    from shimgen.index.uses import extract_uses, may_hold_uses  # not needed where models alone have changed

    lines = source.count(b"\n")
    if not may_hold_uses(source, package_path, profile):
        return Searched(lines), None
    module = parse(source)
    if isinstance(module, ModuleFacts):
        return Searched(lines, True, (), module.error, module.error_line), None
    try:
        return Searched(lines, True, extract_uses(module, package_path, profile, source)), module
    except RecursionError:
        return Searched(lines, True, (), LIMIT), None
