"""Which shims in a checkout would not be written today, and why. Judged on the checkout without them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from textwrap import dedent

from shimgen.model.domain import Decision, Demand, Gap, MemberKind, Provider
from shimgen.model.results import Marked, Stale
from shimgen.syntax import FunctionNode, parameters

Key = tuple[str, str, str]
_TARGET = re.compile(r"# shimgen: forwards to (self\.\w+)")


def find_stale(
    marked: Sequence[Marked],
    gaps: Sequence[Gap],
    demands: Sequence[Demand],
    own: Callable[[Marked], Provider | None],
) -> tuple[Stale, ...]:
    """The stale ones of the shims in `marked`, in their order.

    `gaps` of every severity, `demands` and `own` (what supplies the member where a shim is taken away) are those of
    the checkout without any shim.
    """
    due: dict[Key, list[Gap]] = {}
    for gap in gaps:
        due.setdefault((gap.target.path, gap.target.name, gap.member), []).append(gap)
    members = {demand.member for demand in demands}
    verdicts = ((shim, _why(shim, due.get(_key(shim), []), members, own)) for shim in marked)
    return tuple(Stale(shim.cls, shim.member, shim.line, why) for shim, why in verdicts if why)


def _key(shim: Marked) -> Key:
    return shim.cls.path, shim.cls.name, shim.member


def _why(shim: Marked, gaps: Sequence[Gap], members: set[str], owned: Callable[[Marked], Provider | None]) -> str:
    """Why the shim is stale, "" when it is not."""
    closing = next((gap for gap in gaps if gap.decision is not Decision.REFUSE), None)
    if closing is not None:
        return _differs(shim, closing)
    own = owned(shim)
    if own is not None:
        return f"{shim.cls.name} has {shim.member} without it, from {own.cls.name} ({own.cls.at(own.line)})"
    if gaps:
        return f"today it would be refused: {gaps[0].sentence}"
    if shim.member not in members:
        return f"the engine no longer demands {shim.member}"
    return f"nothing that the engine can hold needs {shim.member} of {shim.cls.name}"


def _differs(shim: Marked, gap: Gap) -> str:
    """What a shim written today would do differently, as far as facts tell: another delegate, other parameters."""
    attribute = f"self.{gap.wrapper.delegate.attribute}"
    target = _TARGET.search(shim.text)
    if target is not None and target[1] != attribute:
        return f"it forwards to {target[1]}, and the delegate is in {attribute} now"
    provider = gap.providers[0] if gap.providers else None
    function = _function(shim.text)
    if provider is None or function is None or provider.kind is not MemberKind.METHOD or function.decorator_list:
        return ""
    own, now = ([(p.name, p.kind) for p in params] for params in (parameters(function.args), provider.params))
    if own != now:
        return f"{provider.cls.name}.{shim.member} takes {provider.signature} now"
    return ""


def _function(text: str) -> FunctionNode | None:
    """The function that a shim's text defines, None when it is a plain assignment."""
    try:
        body = ast.parse(dedent(text.replace("\r\n", "\n").lstrip("\n"))).body
    except SyntaxError:
        return None
    return next((node for node in body if isinstance(node, FunctionNode)), None)
