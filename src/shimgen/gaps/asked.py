"""Members for which an object is asked by what it runs itself: a forward would give another answer there."""

from __future__ import annotations

from collections.abc import Iterator

from shimgen.gaps.case import Case, by_hand
from shimgen.model.calling import Taker, methods, takers
from shimgen.model.domain import CALLABLE, Refusal
from shimgen.model.facts import Expr, Function
from shimgen.model.reason import Reason

# A lookup that raises where there is nothing: getattr(self, "x").
_READ = ("getattr", 3)
_PROBE = ("hasattr", 3)


def asked_of_itself(case: Case) -> Refusal | None:
    """What the wrapper does where it lacks the member is what works today, be it in a function that it hands itself."""
    is_value = all(provider.kind not in CALLABLE for provider in case.providers)
    for path, function in _running(case):
        line = _asks(function, case.member, is_value)
        if line:
            return Refusal(Reason.ASKED, {"site": f"{path}:{line}"}, by_hand(case))
    return None


def _running(case: Case) -> Iterator[tuple[str, Function]]:
    for cls, function in methods(case.program, case.wrapper.cls):
        yield cls.path, function
        giver = Taker(cls.path, function, cls)
        for taker in (t for call in function.handed for t in takers(case.program, giver, call)):
            yield taker.path, taker.function


def _asks(function: Function, member: str, is_value: bool) -> int:
    """The line where a function asks whether its object has the member, 0 when it does not.

    Nor where it asks for a value only to read it: it waits for one, as loaders pass over the weights of other stages
    where a model has `start_layer`, and upstream writes such forwards by hand. What runs something would run it anew.
    """
    own = function.first
    chain = f"{own}.{member}."
    called = any(f"{call.expr.parts[0].text}.".startswith(chain) for call in function.calls)
    read = any(f"{read.chain}.".startswith(chain) for read in function.reads)
    harmless = (_READ, _PROBE) if is_value and read and not called else (_READ,)
    for call in function.calls:
        if own and probed(call.expr, member) == own and (call.expr.parts[0].text, len(call.expr.parts)) not in harmless:
            return call.line
    for access in function.reads:
        if access.chain == f"{own}.{member}" and any(first <= access.line <= last for first, last in function.caught):
            return access.line
    return 0


def probed(call: Expr, member: str) -> str:
    """The name on which a call looks for the member, "" when it does something else."""
    if call.op != "call":
        return ""
    callee, *arguments = call.parts
    looks = callee.text in ("hasattr", "getattr") and len(arguments) > 1 and arguments[1] == Expr("const", repr(member))
    return arguments[0].text if looks else ""
