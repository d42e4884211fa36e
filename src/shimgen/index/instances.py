"""Instance attributes: which constructors run, what they assign, and which classes the values may have.

A small abstract interpretation over facts: names, calls of classes and of functions that return classes or
instances, conditional values, dictionaries of classes, parameters bound by a subclass's `super().__init__` call.
What it cannot follow is unknown, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from shimgen.index.coverage import always_assigned
from shimgen.index.registry import literal
from shimgen.index.values import OTHER
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Call, Expr, Function, Store
from shimgen.model.profile import Factory
from shimgen.model.program import Attribute, Program, Resolved

_DEPTH = 8
# Methods of torch.nn.Module that return the module itself (its documentation: "Returns: self").
_RETURN_SELF = frozenset(
    ("to", "eval", "train", "cuda", "cpu", "half", "float", "double", "bfloat16", "type", "requires_grad_", "apply")
)


class Values(msgspec.Struct, frozen=True):
    """What an expression may evaluate to: instances of classes, the classes themselves, None, or unknown.
    `registered`: a factory of the profile makes it."""

    instances: frozenset[ClassRef] = frozenset()
    classes: frozenset[ClassRef] = frozenset()
    external: frozenset[str] = frozenset()
    none: bool = False
    unknown: str = ""
    registered: bool = False

    def __or__(self, other: Values) -> Values:
        return Values(
            self.instances | other.instances,
            self.classes | other.classes,
            self.external | other.external,
            self.none or other.none,
            self.unknown or other.unknown,
            self.registered or other.registered,
        )


NOTHING = Values()


class Frame(msgspec.Struct, frozen=True):
    """A function under evaluation: for which object, defined by which class, with which arguments."""

    path: str
    function: Function
    bound: Mapping[str, Values]
    self_type: ClassRef | None = None
    owner: ClassRef | None = None
    depth: int = _DEPTH


class _Assigned(msgspec.Struct):
    """Assignments to one attribute while constructors run."""

    owner: ClassRef
    stores: list[tuple[Store, Function, Values]] = msgspec.field(default_factory=list)


class Evaluator:
    """Evaluates expressions of facts; one per program, results per class are kept."""

    def __init__(self, program: Program, factories: Sequence[Factory] = ()) -> None:
        self._program = program
        self._factories = {factory.function: factory.names for factory in factories}
        self._attributes: dict[ClassRef, Mapping[str, Attribute]] = {}
        self._running: set[ClassRef] = set()

    # -- attributes ----------------------------------------------------------------------------------------

    def attributes(self, ref: ClassRef) -> Mapping[str, Attribute]:
        """Attributes of instances of `ref`, those of the constructor first."""
        found = self._attributes.get(ref)
        if found is not None:
            return found
        if ref in self._running:
            return {}
        self._running.add(ref)
        try:
            result = self._initial(ref)
            for name, attribute in self._later(ref, result).items():
                result.setdefault(name, attribute)
        finally:
            self._running.discard(ref)
        self._attributes[ref] = result
        return result

    def _initial(self, ref: ClassRef) -> dict[str, Attribute]:
        start = self._next_definition(ref, None, "__init__")
        if start is None:
            return {}
        assigned: dict[str, _Assigned] = {}
        self._run(Frame(start[0].path, start[1], {}, ref, start[0]), assigned, set(), "")
        return {name: _summary(name, item) for name, item in assigned.items()}

    def _later(self, ref: ClassRef, initial: Mapping[str, Attribute]) -> dict[str, Attribute]:
        """Attributes that only other methods assign: there once such a method has run."""
        result: dict[str, Attribute] = {}
        for owner in self._program.mro(ref).classes:
            for function in self._program.cls(owner).functions:
                for store in function.stores:
                    name = _self_attribute(function, store.target)
                    if name and name not in initial and name not in result and store.how == "assign":
                        frame = Frame(owner.path, function, {}, ref, owner, 3)
                        values = self.evaluate(frame, store.value)
                        result[name] = replace(_attribute(name, owner, store, values), optional=True, initial=False)
        return result

    def _run(self, frame: Frame, assigned: dict[str, _Assigned], ran: set[tuple[ClassRef, str]], arm: str) -> None:
        """Executes the assignments of a constructor or of a helper it calls, in the order of their lines."""
        if frame.owner is None:
            return
        key = (frame.owner, frame.function.name)
        if key in ran or frame.depth == 0:
            return
        ran.add(key)
        steps: list[Store | Call] = sorted([*frame.function.stores, *frame.function.calls], key=_line)
        for step in steps:
            branch = f"{arm}/{step.branch}" if arm and step.branch else arm or step.branch
            if isinstance(step, Call):
                self._run_call(frame, step, assigned, ran, branch)
            elif name := _self_attribute(frame.function, step.target):
                item = assigned.setdefault(name, _Assigned(frame.owner))
                if not branch and step.how == "assign":
                    item.stores.clear()
                    item.owner = frame.owner
                stored = Store(step.target, step.line, step.value, step.how, branch)
                item.stores.append((stored, frame.function, self.evaluate(frame, step.value)))

    def _run_call(
        self, frame: Frame, call: Call, assigned: dict[str, _Assigned], ran: set[tuple[ClassRef, str]], branch: str
    ) -> None:
        target = self._called_method(frame, call.expr.parts[0])
        if target is None:
            return
        owner, function, explicit_self = target
        bound = self._bind(frame, call.expr, function, skip_self=not explicit_self)
        self._run(Frame(owner.path, function, bound, frame.self_type, owner, frame.depth - 1), assigned, ran, branch)

    def _called_method(self, frame: Frame, callee: Expr) -> tuple[ClassRef, Function, bool] | None:
        """The method of the object under construction that `callee` names, and whether self is passed by hand."""
        ref = frame.self_type
        if ref is None:
            return None
        if callee.op == "attr" and callee.parts[0].op == "call" and callee.parts[0].parts[0].text == "super":
            found = self._next_definition(ref, frame.owner, callee.text)
            return (*found, False) if found else None
        if callee.op != "name" or "." not in callee.text:
            return None
        head, _, member = callee.text.rpartition(".")
        if head == _first_parameter(frame.function):
            found = self._next_definition(ref, None, member)
            return (*found, False) if found else None
        base = self._program.resolve(frame.path, head).ref
        if base is not None and base in self._program.mro(ref).classes:
            found = self._next_definition(base, None, member)
            return (*found, True) if found else None
        return None

    def _next_definition(self, ref: ClassRef, after: ClassRef | None, name: str) -> tuple[ClassRef, Function] | None:
        order = list(self._program.mro(ref).classes)
        if after is not None and after in order:
            order = order[order.index(after) + 1 :]
        for cls in order:
            for function in reversed(self._program.cls(cls).functions):
                if function.name == name:
                    return cls, function
        return None

    # -- values --------------------------------------------------------------------------------------------

    def evaluate(self, frame: Frame, expr: Expr | None) -> Values:
        """What `expr` may be inside `frame`."""
        if expr is None or frame.depth == 0:
            return Values(unknown="not a value that can be followed")
        if expr.op == "name":
            return self._name(frame, expr.text)
        if expr.op == "call":
            return self._call(frame, expr)
        if expr.op == "choice":
            return _union(self.evaluate(frame, part) for part in expr.parts)
        if expr.op == "const":
            return Values(none=True) if expr.text == "None" else Values(external=frozenset({"builtins.object"}))
        if expr.op == "item":
            return self._item(frame, expr)
        if expr.op in ("dict", "seq", "lambda"):
            return Values(external=frozenset({"builtins.object"}))
        return Values(unknown="the value is computed")

    def _name(self, frame: Frame, text: str) -> Values:
        head, _, rest = text.partition(".")
        if frame.self_type is not None and head == _first_parameter(frame.function):
            if frame.function.kind == "classmethod":
                return Values(classes=frozenset({frame.self_type})) if not rest else Values(unknown=f"{text}")
            return self._member(frame, frame.self_type, rest, text) if rest else Values(frozenset({frame.self_type}))
        local = [s for s in frame.function.stores if s.target == head and s.how in ("assign", "other")]
        if local and not rest:
            inner = replace(frame, depth=frame.depth - 1)
            return _union(self.evaluate(inner, store.value) for store in local)
        if not rest and head in {p.name for p in frame.function.params}:
            return self._parameter(frame, head)
        if local or head in {p.name for p in frame.function.params}:
            return Values(unknown=f"{text} depends on {head}")
        return self._global(frame, text)

    def _global(self, frame: Frame, text: str) -> Values:
        target = self._program.resolve(frame.path, text, frame.function)
        if target.ref is not None:
            return Values(classes=frozenset({target.ref}))
        if target.kind == "external":
            return Values(external=frozenset({target.name}))
        if target.kind == "value":
            stores = [s for s in self._program.module(target.path).stores if s.target == target.name]
            inner = replace(frame, path=target.path, function=_MODULE, self_type=None, depth=frame.depth - 1)
            return _union(self.evaluate(inner, store.value) for store in stores)
        return Values(unknown=f"{text} is not a class that is known")

    def _parameter(self, frame: Frame, name: str) -> Values:
        if name in frame.bound:
            return frame.bound[name]
        param = next(p for p in frame.function.params if p.name == name)
        default = NOTHING
        if param.default is not None and param.default.replace(".", "").isidentifier():
            default = Values(none=True) if param.default == "None" else self._global(frame, param.default)
        if default.classes or default.instances:
            return default
        return Values(none=default.none, unknown=f"{name} is a parameter")

    def _member(self, frame: Frame, ref: ClassRef, rest: str, text: str) -> Values:
        """The value of a dotted chain of attributes that starts at an instance of `ref`."""
        name, _, tail = rest.partition(".")
        attribute = self.attributes(ref).get(name)
        if attribute is None and ref in self._running:
            values = self._from_running(frame, ref, name)
        elif attribute is None:
            values = self._class_value(ref, name, frame)
        else:
            values = Values(
                frozenset(attribute.types),
                frozenset(),
                frozenset(attribute.externals),
                attribute.optional,
                attribute.unknown,
                attribute.registered,
            )
        if not tail:
            return values
        parts = [self._member(replace(frame, depth=frame.depth - 1), item, tail, text) for item in values.instances]
        return _union(parts) if parts and frame.depth > 1 else Values(unknown=f"{text} could not be followed")

    def _from_running(self, frame: Frame, ref: ClassRef, name: str) -> Values:
        """An attribute of the object whose constructor is running: what this function has assigned so far."""
        first = _first_parameter(frame.function)
        stores = [s for s in frame.function.stores if s.target == f"{first}.{name}" and s.how == "assign"]
        inner = replace(frame, depth=frame.depth - 1)
        if stores and frame.depth > 1:
            return _union(self.evaluate(inner, store.value) for store in stores)
        return self._class_value(ref, name, frame)

    def _class_value(self, ref: ClassRef, name: str, frame: Frame) -> Values:
        for cls in self._program.mro(ref).classes:
            for attribute in self._program.cls(cls).attributes:
                if attribute.name == name and attribute.value is not None:
                    inner = Frame(cls.path, _MODULE, {}, None, None, frame.depth - 1)
                    return self.evaluate(inner, attribute.value)
        return Values(unknown=f"self.{name} could not be followed")

    def _item(self, frame: Frame, expr: Expr) -> Values:
        container = expr.parts[0]
        found = self._container(frame, container, frame.depth)
        if found is None:
            return Values(unknown="an item of a container that is filled at run time")
        inner, table = found
        return _union(self.evaluate(inner, part) for part in table.parts)

    def _container(self, frame: Frame, expr: Expr, depth: int) -> tuple[Frame, Expr] | None:
        """The dict or list display that `expr` names, with the frame in which its items are read."""
        if expr.op in ("dict", "seq"):
            return frame, expr
        if expr.op != "name" or depth == 0:
            return None
        for store in frame.function.stores:
            if store.target == expr.text and store.value is not None:
                return self._container(frame, store.value, depth - 1)
        target = self._program.resolve(frame.path, expr.text)
        if target.kind == "value":
            for store in self._program.module(target.path).stores:
                if store.target == target.name and store.value is not None:
                    inner = Frame(target.path, _MODULE, {}, None, None, depth - 1)
                    return self._container(inner, store.value, depth - 1)
        return None

    def _call(self, frame: Frame, expr: Expr) -> Values:
        callee = expr.parts[0]
        inner = replace(frame, depth=frame.depth - 1)
        if callee.op == "attr":
            return self._method_of_value(inner, callee, expr)
        if callee.op == "name":
            if callee.text == "getattr" and len(expr.parts) >= 3:
                return Values(unknown="the value is looked up by name")
            table = callee.text.removesuffix(".get")
            if table != callee.text and self._container(frame, Expr("name", table), frame.depth):
                return self._item(frame, Expr("item", "", (Expr("name", table), OTHER)))
            method = self._called_method(frame, callee)
            if method is not None:
                return self._returned(inner, method[0], method[1], expr, skip_self=not method[2])
            target = self._program.resolve(frame.path, callee.text, frame.function)
            if target.kind == "function" and (argument := self._factories.get(self._import_name(target))):
                return self._made_by_name(inner, callee.text, expr, argument)
            if target.kind == "function" and not _is_local(frame.function, callee.text):
                function = next(
                    f for f in reversed(self._program.module(target.path).functions) if f.name == target.name
                )
                return self._function_result(inner, target.path, function, expr)
        called = self.evaluate(inner, callee)
        external = frozenset(name for name in called.external if name.rpartition(".")[2][:1].isupper())
        opaque = called.unknown or called.external - external - {"builtins.object"}
        unknown = f"{callee.text or 'its class'} is chosen at run time" if opaque else ""
        return Values(called.classes, frozenset(), external, False, unknown)

    def _import_name(self, function: Resolved) -> str:
        return f"{self._program.module_name(function.path)}.{function.name}"

    def _made_by_name(self, frame: Frame, factory: str, call: Expr, argument: str) -> Values:
        """An instance of a class that is registered under one of the names given, as far as these are written out."""
        given = dict(zip(call.keys, call.parts[len(call.parts) - len(call.keys) :], strict=True))
        value = given.get(argument)
        names = self._strings(frame, value, frame.depth) if value is not None else None
        table = self._program.registered()
        found = frozenset(table[name] for name in names or () if name in table)
        if names and len(found) == len({table.get(name) for name in names}):
            return Values(instances=found, registered=True)
        why = (
            f"{factory} chooses it by a configuration"
            if not names
            else f"{factory} is given a name that is not registered"
        )
        return Values(instances=found, unknown=why, registered=True)

    def _strings(self, frame: Frame, value: Expr, depth: int) -> list[str] | None:
        """The strings in a list that is written out, also under local names; None when there is something else."""
        if value.op == "const":
            return [literal(value)] if value.text[:1] in "'\"" else None
        if value.op in ("seq", "choice"):
            parts = [self._strings(frame, part, depth) for part in value.parts]
            return [name for part in parts for name in part or ()] if None not in parts else None
        stores = [s for s in frame.function.stores if value.op == "name" and s.target == value.text]
        if not depth or not always_assigned([(s, frame.function) for s in stores]):
            return None
        parts = [self._strings(frame, s.value, depth - 1) if s.value is not None else None for s in stores]
        return [name for part in parts for name in part or ()] if None not in parts else None

    def _method_of_value(self, frame: Frame, callee: Expr, expr: Expr) -> Values:
        base = self.evaluate(frame, callee.parts[0])
        if callee.text in _RETURN_SELF:
            return base
        parts = []
        for ref in sorted(base.instances | base.classes):
            found = self._next_definition(ref, None, callee.text)
            if found is not None:
                bound = self._bind(frame, expr, found[1], skip_self=True)
                parts.append(self._result(Frame(found[0].path, found[1], bound, ref, found[0], frame.depth)))
        return _union(parts) if parts else Values(unknown=f"the result of .{callee.text}() is not known")

    def _returned(self, frame: Frame, owner: ClassRef, function: Function, expr: Expr, skip_self: bool) -> Values:
        bound = self._bind(frame, expr, function, skip_self)
        return self._result(Frame(owner.path, function, bound, frame.self_type, owner, frame.depth))

    def _function_result(self, frame: Frame, path: str, function: Function, expr: Expr) -> Values:
        bound = self._bind(frame, expr, function, skip_self=False)
        return self._result(Frame(path, function, bound, None, None, frame.depth))

    def _result(self, frame: Frame) -> Values:
        if frame.function.stub:
            return Values(unknown=f"{frame.function.name} is left to subclasses")
        if not frame.function.returned or frame.depth == 0:
            return Values(unknown=f"what {frame.function.name} returns could not be followed")
        return _union(self.evaluate(frame, value) for value in frame.function.returned)

    def _bind(self, frame: Frame, call: Expr, function: Function, skip_self: bool) -> Mapping[str, Values]:
        """Arguments of a call by parameter name, as far as they are classes or instances."""
        positional = [p for p in function.params if p.kind in ("posonly", "pos")]
        if skip_self and function.kind != "staticmethod":
            positional = positional[1:]
        count = len(call.parts) - 1 - len(call.keys)
        arguments = list(zip((p.name for p in positional), call.parts[1 : 1 + count], strict=False))
        arguments += list(zip(call.keys, call.parts[1 + count :], strict=True))
        bound: dict[str, Values] = {}
        if frame.depth > 1:
            inner = replace(frame, depth=frame.depth - 1)
            for name, value in arguments:
                bound[name] = self.evaluate(inner, value)
        return bound


_MODULE = Function("<module>", 0, 0, "function")


def _line(step: Store | Call) -> int:
    return step.line


def _union(parts: Iterable[Values]) -> Values:
    result = NOTHING
    for part in parts:
        result = part if result is NOTHING else result | part
    return result


def _first_parameter(function: Function) -> str:
    return function.params[0].name if function.params and function.kind != "staticmethod" else ""


def _is_local(function: Function, name: str) -> bool:
    return any(s.target == name for s in function.stores) or any(p.name == name for p in function.params)


def _self_attribute(function: Function, target: str) -> str:
    """The X of a target "self.X", "" for other targets."""
    first = _first_parameter(function)
    if not first or not target.startswith(f"{first}."):
        return ""
    name = target[len(first) + 1 :]
    return name if "." not in name else ""


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


def _summary(name: str, item: _Assigned) -> Attribute:
    """One attribute from all its assignments in the constructors that run."""
    values = _union(v for _, _, v in item.stores)
    real = [s for s, _, v in item.stores if v.instances or v.classes or v.external or v.unknown]
    store = real[0] if real else item.stores[0][0]
    assigned = [(s, f) for s, f, v in item.stores if not (v.none and not (v.instances or v.unknown or v.external))]
    covered = always_assigned(assigned)
    optional = not covered or any(v.none and (v.instances or v.external) for _, _, v in item.stores)
    return replace(_attribute(name, item.owner, store, values), optional=optional)
