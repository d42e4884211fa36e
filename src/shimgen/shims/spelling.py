"""The words of a signature as its author wrote them (`1e-5`, `0x10`), where facts hold them in canonical form."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec.structs import replace

from shimgen.model.facts import Param
from shimgen.shims.signature import Origin, Signature
from shimgen.source import Source
from shimgen.syntax import FunctionNode, expression, first_line


def spelled(signature: Signature, origin: Origin, member: str) -> Signature:
    """The signature with defaults as written in the def where it comes from; as it is when that is not found."""
    several_ways = [p for p in signature.params if p.default is not None and not p.default.isidentifier()]
    if origin.source is None or not several_ways:
        return signature  # a name, None, True and False can be written in one way only
    header = _header(origin.source, origin.line, member)
    if all(_is_written(p, header) for p in several_ways):
        return signature  # so that libcst, which takes longer to import than most patches to make, is not needed
    words = dict(_defaults(header)) if header else {}
    params = [
        replace(p, default=words[p.name]) if p.default is not None and _equal(p.default, words.get(p.name)) else p
        for p in signature.params
    ]
    return Signature(signature.own, signature.own_kind, tuple(params), signature.returns)


def _header(source: Source, line: int, member: str) -> str:
    """The def without its body, as a statement; "" when there is no such def."""
    for node in ast.walk(source.tree):
        if isinstance(node, FunctionNode) and node.lineno == line and node.name == member:
            lines = [source.line(number) for number in range(line, first_line(node.body[0]))]
            return "\n".join(lines).strip() + " pass\n" if lines else ""
    return ""


def _is_written(param: Param, header: str) -> bool:
    """Whether the author wrote the default in its canonical form."""
    return bool(re.search(rf"\b{param.name}\b[^,=]*=\s*{re.escape(param.default or '')}\s*[,)]", header))


def _defaults(header: str) -> Iterator[tuple[str, str]]:
    import libcst

    try:
        function = libcst.parse_statement(header)
    except libcst.ParserSyntaxError:
        return
    if isinstance(function, libcst.FunctionDef):
        params = function.params
        for param in (*params.posonly_params, *params.params, *params.kwonly_params):
            if param.default is not None:
                yield param.name.value, libcst.Module([]).code_for_node(param.default)


def _equal(canonical: str, written: str | None) -> bool:
    """Whether both are the same expression; what runs over several lines stays canonical."""
    if written is None or "\n" in written or "#" in written:
        return False
    tree = expression(written)
    return tree is not None and ast.unparse(tree) == canonical
