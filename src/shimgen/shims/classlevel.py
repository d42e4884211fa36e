"""Members that belong to the class: by which name the wrapper's module knows the delegate's class, and how what is
passed to the wrapper's class becomes what the delegate's class wants."""

from __future__ import annotations

from shimgen.model.construction import Construction, projection
from shimgen.model.domain import ClassRef, Gap
from shimgen.model.facts import Param
from shimgen.model.program import Program
from shimgen.model.reason import Reason
from shimgen.shims.refusal import RefusedError, no_place
from shimgen.shims.scopes import Scope


def class_name(gap: Gap, made: Construction | None, program: Program, scope: Scope) -> str:
    """The name of the delegate's class in the wrapper's module, bound there before the class statement for sure.

    Raises RefusedError when it has none.
    """
    candidates = gap.wrapper.delegate.candidates
    if len(candidates) != 1:
        behind = f"{len(candidates)} classes may stand behind self.{gap.wrapper.delegate.attribute}"
        raise RefusedError(Reason.KIND, {"kind": f"member of the class, while {behind}"})
    for name in (made.callee if made else "", candidates[0].name):
        if name and _is_bound(name, candidates[0], program, scope):
            return name
    raise no_place(f"above it, {scope.path} binds no name to the one class that {gap.member} is to be asked of")


def _is_bound(name: str, candidate: ClassRef, program: Program, scope: Scope) -> bool:
    if scope.means(name.partition(".")[0]) != "early":
        return False
    return program.resolve(scope.path, name).ref == candidate


def project(param: Param, made: Construction | None, program: Program) -> str:
    """What to pass for a parameter of a class-level member: what the wrapper's constructor makes of it for the
    delegate. What is no configuration is passed as it is. Raises RefusedError."""
    if param.kind in ("var", "varkw"):
        return param.name
    if made is not None and param.name in made.given:
        text = projection(program, made, param.name)
    else:
        text = None if "config" in param.name else param.name
    if text is None:
        raise RefusedError(Reason.CONFIG, {})
    return text
