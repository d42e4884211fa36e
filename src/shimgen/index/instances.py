"""Instance attributes: which constructors run, what they assign, and which classes the values may have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile

import msgspec
from msgspec.structs import replace

from shimgen.index.answers import Answers, Reads
from shimgen.index.evaluation import Evaluator
from shimgen.index.flow import always_assigned
from shimgen.index.frames import Frame, Values, called_method, self_attribute, union
from shimgen.model.calling import Taker, definition, takers
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Call, Expr, Function, Store
from shimgen.model.profile import Factory
from shimgen.model.program import Attribute, Program

_BINDING = frozenset(("assign", "other", "augment"))
_MOST = 500
"""So many times something runs at most while one object is made: helpers that call one another are not followed to
the end."""


class _Run(msgspec.Struct):
    """The constructors that have run and those that are running, by class and name, and the conditional arms of theirs
    that end in raise. `count`: how many times one has run, or a function that got the object."""

    ran: set[tuple[ClassRef, str]]
    running: set[tuple[ClassRef, str]] = msgspec.field(default_factory=set)
    raising: set[str] = msgspec.field(default_factory=set)
    count: int = 0

    def begin(self) -> int:
        """The number of what runs now."""
        self.count += 1
        return self.count


class _Assigned(msgspec.Struct):
    """Assignments to one attribute while constructors run."""

    owner: ClassRef
    stores: list[tuple[Store, Values]] = msgspec.field(default_factory=list)


class Instances:
    """The attributes of the instances of each class of a program; results are kept."""

    def __init__(self, program: Program, reads: Reads, factories: Sequence[Factory] = ()) -> None:
        self._program = program
        self._evaluator = Evaluator(program, factories, self._settled, self._so_far)
        self._made: dict[ClassRef, dict[str, _Assigned]] = {}
        self.attributes: Answers[ClassRef, Mapping[str, Attribute]] = Answers(reads, self._find, lambda _: {})
        """Attributes of instances of a class, those of the constructor first; none while it is being looked at."""

    def _settled(self, ref: ClassRef) -> Mapping[str, Attribute] | None:
        return None if self.attributes.is_asked(ref) else self.attributes(ref)

    def _so_far(self, ref: ClassRef, name: str) -> Values | None:
        """What the constructor that is running has assigned to an attribute by now, None for nothing."""
        item = self._made.get(ref, {}).get(name)
        return union(values for _, values in item.stores) if item is not None and item.stores else None

    def _find(self, ref: ClassRef) -> Mapping[str, Attribute]:
        ran: set[tuple[ClassRef, str]] = set()
        result = self._initial(ref, ran)
        result.update(self._later(ref, result, ran))
        self._made.pop(ref, None)
        return result

    def _initial(self, ref: ClassRef, ran: set[tuple[ClassRef, str]]) -> dict[str, Attribute]:
        start = definition(self._program, self._program.mro(ref).classes, "__init__")
        if start is None:
            return {}
        assigned: dict[str, _Assigned] = {}
        self._made[ref] = assigned
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
                if not function.stores and not function.handed:
                    continue
                runs_later = function.name not in nearer and (owner, function.name) not in ran
                frame = Frame(owner.path, function, {}, ref, owner, 3)
                for where, store in self._stores(frame):
                    name = self_attribute(where.function, store.target)
                    first = initial.get(name) if name else None
                    if first is not None and first.types and runs_later:
                        values = self._evaluator.evaluate(where, store.value)
                        result[name] = _replaced(result.get(name, first), store, values)
                    elif name and first is None and name not in result and store.how in _BINDING:
                        values = self._evaluator.evaluate(where, store.value)
                        seen = store if where is frame else _at(store, where.line, store.branch)
                        result[name] = replace(_attribute(name, owner, seen, values), optional=True, initial=False)
            nearer.update(function.name for function in functions)
        return result

    def _run(self, frame: Frame, assigned: dict[str, _Assigned], run: _Run, arm: str) -> None:
        """Executes the assignments of a constructor or of a helper it calls, in the order of their lines.

        `arm` leads to the call. Another function's arms begin with its number, since its lines are not this one's.
        """
        if frame.owner is None:
            return
        key = (frame.owner, frame.function.name)
        if key in run.running or frame.depth == 0 or run.count > _MOST:
            return
        run.ran.add(key)
        run.running.add(key)
        number = run.begin()
        run.raising.update(_arm(arm, number, raising) for raising in frame.function.raising)
        steps: list[Store | Call] = sorted([*frame.function.stores, *frame.function.calls], key=lambda step: step.line)
        for step in steps:
            branch = _arm(arm, number, _gone_on(frame.function, step))
            if isinstance(step, Call):
                self._run_call(frame, step, assigned, run, branch)
            elif name := self_attribute(frame.function, step.target):
                stored = Store(step.target, step.line, step.value, step.how, branch)
                self._assign(frame, name, stored, step.value, assigned)
        run.running.remove(key)

    def _assign(
        self, frame: Frame, name: str, stored: Store, value: Expr | None, assigned: dict[str, _Assigned]
    ) -> None:
        owner = frame.owner
        if owner is None:
            return
        item = assigned.setdefault(name, _Assigned(owner))
        if not stored.branch and stored.how == "assign":
            item.stores.clear()
            item.owner = owner
        gone = stored.how == "delete"
        item.stores.append((stored, Values(none=True) if gone else self._evaluator.evaluate(frame, value)))

    def _run_call(self, frame: Frame, call: Call, assigned: dict[str, _Assigned], run: _Run, branch: str) -> None:
        target = called_method(self._program, frame, call.expr.parts[0])
        if target is None:
            if call in frame.function.handed:
                self._run_takers(frame, call, assigned, run, branch)
            return
        owner, function, explicit_self = target
        bound = self._evaluator.bind(frame, call.expr, function, skip_self=not explicit_self)
        self._run(Frame(owner.path, function, bound, frame.self_type, owner, frame.depth - 1), assigned, run, branch)

    def _run_takers(self, frame: Frame, call: Call, assigned: dict[str, _Assigned], run: _Run, branch: str) -> None:
        """Executes the assignments of the functions that get the object by a call, as if they stood in its place."""
        numbers: dict[tuple[str, int], int] = {}
        for inner, store in self._taken(frame, call):
            name = self_attribute(inner.function, store.target)
            if name:
                function = (inner.path, inner.function.line)
                number = numbers[function] = numbers.get(function) or run.begin()
                arm = _arm(branch, number, store.branch)
                self._assign(inner, name, _at(store, call.line, arm), store.value, assigned)

    def _taken(self, frame: Frame, call: Call) -> Iterator[tuple[Frame, Store]]:
        """The assignments of the functions that get the object of a method by a call."""
        for taker in takers(self._program, Taker(frame.path, frame.function, frame.owner), call):
            inner = Frame(taker.path, taker.function, {}, frame.self_type, frame.owner, frame.depth - 1, call.line)
            yield from ((inner, store) for store in taker.function.stores)

    def _stores(self, frame: Frame) -> Iterator[tuple[Frame, Store]]:
        """The assignments of a method and of the functions that get its object."""
        yield from ((frame, store) for store in frame.function.stores)
        for call in frame.function.handed:
            yield from self._taken(frame, call)


def _at(store: Store, line: int, branch: str) -> Store:
    """An assignment of another function, seen from the line of the call that leads to it."""
    return Store(store.target, line, None, store.how, branch)


def _arm(outer: str, number: int, inner: str) -> str:
    """The path of an arm of the function that runs as the `number`th, which is itself called in the arm `outer`."""
    own = "/".join(f"{number}.{part}" for part in inner.split("/")) if inner else ""
    return f"{outer}/{own}" if outer and own else outer or own


def _gone_on(function: Function, step: Store | Call) -> str:
    """The arm of a step, with the other arm of each statement before it of which one returns."""
    arm = step.branch.split("/") if step.branch else []
    for returning in reversed(function.returning):
        left = returning.split("/")
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, arm, strict=False)))
        if shared == len(left) or _line_of(left[shared]) >= step.line:
            continue
        if not (arm[shared:] and _line_of(arm[shared]) == _line_of(left[shared])):  # not in another arm of the same one
            line, _, side = left[-1].partition(":")
            arm[shared:shared] = [*left[shared:-1], f"{line}:{1 - int(side)}"]
    return "/".join(arm)


def _line_of(part: str) -> int:
    return int(part.partition(":")[0])


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
    externals = tuple(sorted({*attribute.externals, *values.external}))
    optional = attribute.optional or values.none or store.how == "delete"
    return replace(attribute, types=types, externals=externals, optional=optional)


def _summary(name: str, item: _Assigned, raising: set[str]) -> Attribute:
    """One attribute from all its assignments in the constructors that run."""
    values = union(v for _, v in item.stores)
    real = [s for s, v in item.stores if v.instances or v.classes or v.external or v.unknown]
    store = real[0] if real else item.stores[0][0]
    order = [s for s, _ in item.stores]
    without = [s for s, v in item.stores if v.none and not (v.instances or v.unknown or v.external)]
    covered = always_assigned([s.branch for s in order if s not in without], raising)
    taken_away = any(order.index(s) > order.index(store) for s in without)
    either = any(s.how == "delete" or (v.none and (v.instances or v.external)) for s, v in item.stores)
    return replace(_attribute(name, item.owner, store, values), optional=not covered or taken_away or either)
