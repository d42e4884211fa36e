"""Instance attributes: which constructors run, what they assign, and which classes the values may have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from shimgen.index.answers import Answers, Reads
from shimgen.index.coverage import always_assigned
from shimgen.index.evaluation import Evaluator
from shimgen.index.frames import Frame, Values, called_method, self_attribute, union
from shimgen.model.calling import definition
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Call, Store
from shimgen.model.profile import Factory
from shimgen.model.program import Attribute, Program

_BINDING = frozenset(("assign", "other", "augment"))


class _Run(msgspec.Struct):
    """The constructors that have run, by class and name, and the conditional arms of theirs that end in raise."""

    ran: set[tuple[ClassRef, str]] = msgspec.field(default_factory=set)
    raising: set[str] = msgspec.field(default_factory=set)


class _Assigned(msgspec.Struct):
    """Assignments to one attribute while constructors run."""

    owner: ClassRef
    stores: list[tuple[Store, Values]] = msgspec.field(default_factory=list)


class Instances:
    """The attributes of the instances of each class of a program; results are kept."""

    def __init__(self, program: Program, reads: Reads, factories: Sequence[Factory] = ()) -> None:
        self._program = program
        self._evaluator = Evaluator(program, factories, self._settled)
        self.attributes: Answers[ClassRef, Mapping[str, Attribute]] = Answers(reads, self._find, lambda _: {})
        """Attributes of instances of a class, those of the constructor first; none while it is being looked at."""

    def _settled(self, ref: ClassRef) -> Mapping[str, Attribute] | None:
        return None if self.attributes.is_asked(ref) else self.attributes(ref)

    def _find(self, ref: ClassRef) -> Mapping[str, Attribute]:
        ran: set[tuple[ClassRef, str]] = set()
        result = self._initial(ref, ran)
        result.update(self._later(ref, result, ran))
        return result

    def _initial(self, ref: ClassRef, ran: set[tuple[ClassRef, str]]) -> dict[str, Attribute]:
        start = definition(self._program, self._program.mro(ref).classes, "__init__")
        if start is None:
            return {}
        assigned: dict[str, _Assigned] = {}
        run = _Run(ran)
        self._run(Frame(start[0].path, start[1], {}, ref, start[0]), assigned, run, "")
        return {name: _summary(name, item, run.raising) for name, item in assigned.items()}

    def _later(
        self, ref: ClassRef, initial: Mapping[str, Attribute], ran: Collection[tuple[ClassRef, str]]
    ) -> dict[str, Attribute]:
        """Attributes that methods besides the constructors assign: there once such a method has run, or another object
        of the checkout then, or none."""
        result: dict[str, Attribute] = {}
        nearer = {"__init__"}
        for owner in self._program.mro(ref).classes:
            functions = self._program.cls(owner).functions
            for function in functions:
                runs_later = function.name not in nearer and (owner, function.name) not in ran
                for store in function.stores:
                    name = self_attribute(function, store.target)
                    first = initial.get(name) if name else None
                    if first is not None and first.types and runs_later:
                        values = self._evaluator.evaluate(Frame(owner.path, function, {}, ref, owner, 3), store.value)
                        result[name] = _replaced(result.get(name, first), store, values)
                    elif name and first is None and name not in result and store.how in _BINDING:
                        values = self._evaluator.evaluate(Frame(owner.path, function, {}, ref, owner, 3), store.value)
                        result[name] = replace(_attribute(name, owner, store, values), optional=True, initial=False)
            nearer.update(function.name for function in functions)
        return result

    def _run(self, frame: Frame, assigned: dict[str, _Assigned], run: _Run, arm: str) -> None:
        """Executes the assignments of a constructor or of a helper it calls, in the order of their lines.

        `arm` leads to the call. Another function's arms begin with its number, since its lines are not this one's.
        """
        if frame.owner is None:
            return
        key = (frame.owner, frame.function.name)
        if key in run.ran or frame.depth == 0:
            return
        run.ran.add(key)
        number = len(run.ran)
        run.raising.update(_arm(arm, number, raising) for raising in frame.function.raising)
        steps: list[Store | Call] = sorted([*frame.function.stores, *frame.function.calls], key=_line)
        for step in steps:
            branch = _arm(arm, number, step.branch)
            if isinstance(step, Call):
                self._run_call(frame, step, assigned, run, branch)
            elif name := self_attribute(frame.function, step.target):
                item = assigned.setdefault(name, _Assigned(frame.owner))
                if not branch and step.how == "assign":
                    item.stores.clear()
                    item.owner = frame.owner
                stored = Store(step.target, step.line, step.value, step.how, branch)
                item.stores.append((stored, self._evaluator.evaluate(frame, step.value)))

    def _run_call(self, frame: Frame, call: Call, assigned: dict[str, _Assigned], run: _Run, branch: str) -> None:
        target = called_method(self._program, frame, call.expr.parts[0])
        if target is None:
            return
        owner, function, explicit_self = target
        bound = self._evaluator.bind(frame, call.expr, function, skip_self=not explicit_self)
        self._run(Frame(owner.path, function, bound, frame.self_type, owner, frame.depth - 1), assigned, run, branch)


def _arm(outer: str, number: int, inner: str) -> str:
    """The path of an arm of the function that runs as the `number`th, which is itself called in the arm `outer`."""
    own = "/".join(f"{number}.{part}" for part in inner.split("/")) if inner else ""
    return f"{outer}/{own}" if outer and own else outer or own


def _line(step: Store | Call) -> int:
    return step.line


def _attribute(name: str, owner: ClassRef, store: Store, values: Values) -> Attribute:
    return Attribute(
        name,
        owner,
        store.line,
        tuple(sorted(values.instances)),
        tuple(sorted(values.external)),
        values.none,
        values.unknown,
        True,
        store.value,
        values.registered,
    )


def _replaced(attribute: Attribute, store: Store, values: Values) -> Attribute:
    """The attribute once another method may have assigned or deleted it; what is not known there tells nothing."""
    if store.how not in ("assign", "delete"):
        return attribute
    types = tuple(sorted({*attribute.types, *values.instances}))
    return replace(attribute, types=types, optional=attribute.optional or values.none or store.how == "delete")


def _summary(name: str, item: _Assigned, raising: set[str]) -> Attribute:
    """One attribute from all its assignments in the constructors that run."""
    values = union(v for _, v in item.stores)
    real = [s for s, v in item.stores if v.instances or v.classes or v.external or v.unknown]
    store = real[0] if real else item.stores[0][0]
    assigned = [s.branch for s, v in item.stores if not (v.none and not (v.instances or v.unknown or v.external))]
    covered = always_assigned(assigned, raising)
    optional = not covered or any(v.none and (v.instances or v.external) for _, v in item.stores)
    return replace(_attribute(name, item.owner, store, values), optional=optional)
