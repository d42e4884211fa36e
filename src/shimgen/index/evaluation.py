"""What an expression of facts may evaluate to.

A small abstract interpretation: names, calls of classes and of functions that return classes or instances,
conditional values, dictionaries of classes, parameters bound by a caller. What cannot be followed is unknown, with
the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from shimgen.index.flow import always_assigned
from shimgen.index.frames import MODULE, NOTHING, Frame, Values, called_method, first_parameter, union
from shimgen.index.values import OTHER
from shimgen.model.calling import definition, given, keywords, positional, routine, values_of
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Expr, Function
from shimgen.model.profile import Factory
from shimgen.model.program import Attribute, Program, Resolved

# Methods of torch.nn.Module that return the module itself (its documentation: "Returns: self").
_RETURN_SELF = frozenset(
    ("to", "eval", "train", "cuda", "cpu", "half", "float", "double", "bfloat16", "type", "requires_grad_", "apply")
)


def _sorted(values: Values) -> list[ClassRef]:
    return sorted(values.instances | values.classes)


def _uses(function: Function, name: str) -> bool:
    """Whether a function, with those that it returns, gives back what has that name or comes of it."""
    values = (*function.returned, *(call.expr for call in function.calls))
    return any(_mentions(value, name) for value in values) or any(_uses(inner, name) for inner in function.inner)


def _mentions(value: Expr, name: str) -> bool:
    if value.op == "other":  # too deep, or not followed
        return True
    own = value.op == "name" and value.text.partition(".")[0] == name
    return own or any(_mentions(part, name) for part in value.parts)


class Evaluator:
    """Evaluates expressions of facts, for one program. `attributes` gives an instance's attributes, None while its
    constructor is running; `running` one of those that it has assigned by then, None when it has not."""

    def __init__(
        self,
        program: Program,
        factories: Sequence[Factory],
        attributes: Callable[[ClassRef], Mapping[str, Attribute] | None],
        running: Callable[[ClassRef, str], Values | None],
    ) -> None:
        self._program = program
        self._factories = {factory.function: factory.names for factory in factories}
        self._attributes = attributes
        self._running = running

    def evaluate(self, frame: Frame, expr: Expr | None) -> Values:
        """What `expr` may be inside `frame`."""
        if expr is None or frame.depth == 0:
            return Values(unknown="not a value that can be followed")
        if expr.op == "name":
            return self._name(frame, expr.text)
        if expr.op == "call":
            return self._call(frame, expr)
        if expr.op == "choice":
            return union(self.evaluate(frame, part) for part in expr.parts)
        if expr.op == "const":
            return Values(none=True) if expr.text == "None" else Values(external=frozenset({"builtins.object"}))
        if expr.op == "item":
            return self._item(frame, expr)
        if expr.op in ("dict", "seq", "lambda"):
            return Values(external=frozenset({"builtins.object"}))
        return Values(unknown="the value is computed")

    def _name(self, frame: Frame, text: str) -> Values:
        head, _, rest = text.partition(".")
        if frame.self_type is not None and head == first_parameter(frame.function):
            if frame.function.kind == "classmethod":
                return Values(classes=frozenset({frame.self_type})) if not rest else Values(unknown=f"{text}")
            return self._member(frame, frame.self_type, rest, text) if rest else Values(frozenset({frame.self_type}))
        local = [s for s in frame.function.stores if s.target == head and s.how in ("assign", "other")]
        inner = replace(frame, depth=frame.depth - 1)
        if not rest and head in {p.name for p in frame.function.params}:
            given = NOTHING if any(not store.branch for store in local) else self._parameter(frame, head)
            absent = [s for s in frame.function.stores if s.target == head and s.how == "default"]
            if absent and (given.none or given.unknown):
                given, local = replace(given, none=False), [*local, *absent]
            return union([given, *(self.evaluate(inner, store.value) for store in local)])
        if local and not rest:
            imported = [self._global(inner, text)] if self._imports(frame, text) else []
            return union([*(self.evaluate(inner, store.value) for store in local), *imported])
        if local or head in {p.name for p in frame.function.params}:
            return Values(unknown=f"{text} depends on {head}")
        return self._global(frame, text)

    def _imports(self, frame: Frame, name: str) -> bool:
        """Whether the function itself imports something under a name."""
        inside = (i for i in self._program.module(frame.path).imports if i.local == name and i.where == "function")
        return any(frame.function.line <= i.line <= frame.function.end_line for i in inside)

    def _global(self, frame: Frame, text: str) -> Values:
        return self._resolved(frame, self._program.resolve(frame.path, text, frame.function), text)

    def _resolved(self, frame: Frame, target: Resolved, text: str) -> Values:
        if target.ref is not None:
            return Values(classes=frozenset({target.ref}))
        if target.kind == "external":
            return Values(external=frozenset({target.name}))
        if target.kind == "value" and frame.depth:
            stores = [s for s in self._program.module(target.path).stores if s.target == target.name]
            others = [c for c in self._program.choices(target.path, target.name) if c != target]
            inner = replace(frame, path=target.path, function=MODULE, self_type=None, depth=frame.depth - 1)
            parts = [self.evaluate(inner, store.value) for store in stores]
            if parts or others:
                return union([*parts, *(self._resolved(inner, other, text) for other in others)])
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
        settled = self._attributes(ref)
        attribute = None if settled is None else settled.get(name)
        if settled is None:
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
        return union(parts) if parts and frame.depth > 1 else Values(unknown=f"{text} could not be followed")

    def _from_running(self, frame: Frame, ref: ClassRef, name: str) -> Values:
        """An attribute of the object whose constructor is running: what that and this function assign."""
        first = first_parameter(frame.function)
        stores = [s for s in frame.function.stores if s.target == f"{first}.{name}" and s.how == "assign"]
        inner = replace(frame, depth=frame.depth - 1)
        before = self._running(ref, name)
        if before is not None or (stores and frame.depth > 1):
            return union([before or NOTHING, *(self.evaluate(inner, store.value) for store in stores)])
        return self._class_value(ref, name, frame)

    def _class_value(self, ref: ClassRef, name: str, frame: Frame) -> Values:
        for cls in self._program.mro(ref).classes:
            for attribute in self._program.cls(cls).attributes:
                if attribute.name == name and attribute.value is not None:
                    inner = Frame(cls.path, MODULE, {}, None, None, frame.depth - 1)
                    return self.evaluate(inner, attribute.value)
        return Values(unknown=f"self.{name} could not be followed")

    def _item(self, frame: Frame, expr: Expr) -> Values:
        container = expr.parts[0]
        found = self._container(frame, container, frame.depth)
        if found is None:
            return Values(unknown="an item of a container that is filled at run time")
        inner, table = found
        return union(self.evaluate(inner, part) for part in table.parts)

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
        for value in values_of(self._program, target):
            return self._container(Frame(target.path, MODULE, {}, None, None, depth - 1), value, depth - 1)
        return None

    def _call(self, frame: Frame, expr: Expr) -> Values:
        callee = expr.parts[0]
        inner = replace(frame, depth=frame.depth - 1)
        if callee.op == "attr" and callee.text != "__new__":
            return self._method_of_value(inner, self.evaluate(inner, callee.parts[0]), callee.text, expr)
        if callee.op == "name":
            if callee.text == "getattr" and len(expr.parts) >= 3:
                return Values(unknown="the value is looked up by name")
            table = callee.text.removesuffix(".get")
            if table != callee.text and self._container(frame, Expr("name", table), frame.depth):
                return self._item(frame, Expr("item", "", (Expr("name", table), OTHER)))
            method = called_method(self._program, frame, callee)
            if method is not None:
                owner, function, by_hand = method
                bound = self.bind(inner, expr, function, skip_self=not by_hand)
                return self._result(Frame(owner.path, function, bound, frame.self_type, owner, inner.depth))
            target = self._program.resolve(frame.path, callee.text, frame.function)
            if target.name == "functools.partial" and len(expr.parts) > 1:
                return self.evaluate(inner, expr.parts[1])
            if target.kind == "function":
                argument = self._factories.get(f"{self._program.module_name(target.path)}.{target.name}")
                if argument:
                    return self._made_by_name(inner, callee.text, expr, argument)
            named = routine(self._program, target)
            if named is not None and not frame.function.binds(callee.text):
                bound = self.bind(inner, expr, named, skip_self=False)
                return self._result(Frame(target.path, named, bound, depth=inner.depth))
            head, _, name = callee.text.rpartition(".")
            base = self.evaluate(inner, Expr("name", head)) if head and name != "__new__" else NOTHING
            if any(definition(self._program, self._program.mro(ref).classes, name) for ref in _sorted(base)):
                return self._method_of_value(inner, base, name, expr)
        if callee.text.rpartition(".")[2] == "__new__" and len(expr.parts) > 1:
            return self._own_instance(inner, expr.parts[1])
        called = self.evaluate(inner, callee)
        external = frozenset(name for name in called.external if name.rpartition(".")[2][:1].isupper())
        opaque = called.unknown or called.external - external
        unknown = f"{callee.text or 'its class'} is chosen at run time" if opaque else ""
        made = union(self._made(inner, ref) for ref in sorted(called.classes))
        return made | Values(external=external, unknown=unknown)

    def _own_instance(self, frame: Frame, cls: Expr) -> Values:
        """What `__new__` of a class outside the checkout makes of the class that it is given."""
        given = self.evaluate(frame, cls)
        return Values(instances=given.classes, external=given.external, unknown=given.unknown)

    def _made(self, frame: Frame, ref: ClassRef) -> Values:
        """What calling a class gives: an instance of it, unless its `__new__` returns something else."""
        found = definition(self._program, self._program.mro(ref).classes, "__new__")
        if found is None:
            return Values(instances=frozenset({ref}))
        if frame.depth < 2:
            return Values(unknown=f"what {ref.name}.__new__ returns could not be followed")
        owner, function = found
        function = replace(function, kind="classmethod")
        made = self._result(Frame(owner.path, function, {}, ref, owner, frame.depth - 1))
        return replace(made, unknown=f"{ref.name}.__new__ returns what could not be followed") if made.unknown else made

    def _made_by_name(self, frame: Frame, factory: str, call: Expr, argument: str) -> Values:
        """An instance of a class that is registered under one of the names given, as far as these are written out."""
        value = dict(keywords(call)).get(argument)
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
            return [value.literal] if value.text[:1] in "'\"" else None
        if value.op in ("seq", "choice"):
            parts = [self._strings(frame, part, depth) for part in value.parts]
            return [name for part in parts for name in part or ()] if None not in parts else None
        stores = [s for s in frame.function.stores if value.op == "name" and s.target == value.text]
        function = frame.function
        leaving = (*function.raising, *function.returning, *function.continuing)
        if not depth or not always_assigned([s.branch for s in stores], leaving):
            return None
        parts = [self._strings(frame, s.value, depth - 1) if s.value is not None else None for s in stores]
        return [name for part in parts for name in part or ()] if None not in parts else None

    def _method_of_value(self, frame: Frame, base: Values, name: str, expr: Expr) -> Values:
        """What a method gives that is called on an instance, or on a class."""
        unknown = Values(unknown=f"the result of .{name}() is not known")
        found = {ref: definition(self._program, self._program.mro(ref).classes, name) for ref in _sorted(base)}
        if name in _RETURN_SELF and not any(found.values()):
            return base
        parts = [unknown] if base.unknown or base.external or not found else []
        for ref, method in found.items():
            if method is None:
                parts.append(unknown)
                continue
            owner, function = method
            bound = self.bind(frame, expr, function, skip_self=ref in base.instances or function.kind != "method")
            parts.append(self._result(Frame(owner.path, function, bound, ref, owner, frame.depth)))
        return union(parts)

    def _result(self, frame: Frame) -> Values:
        if frame.function.stub:
            return Values(unknown=f"{frame.function.name} is left to subclasses")
        changed = frame.function.flavour or any(self._exchanges(frame.path, d) for d in frame.function.decorators)
        if changed or not frame.function.returned or frame.depth == 0:
            return Values(unknown=f"what {frame.function.name} returns could not be followed")
        return union(self.evaluate(frame, value) for value in frame.function.returned)

    def _exchanges(self, path: str, decorator: str) -> bool:
        """Whether a decorator of the checkout does not hand on the function that it gets, nor what that returns."""
        head, called, _ = decorator.partition("(")
        function = routine(self._program, self._program.resolve(path, head))
        inner = () if function is None else function.inner if called else (function,)
        return bool(inner) and not any(_uses(f, f.first) for f in inner)

    def bind(self, frame: Frame, call: Expr, function: Function, skip_self: bool) -> Mapping[str, Values]:
        """Arguments of a call by parameter name, as far as they are classes or instances."""
        if frame.depth <= 1:
            return {}
        inner = replace(frame, depth=frame.depth - 1)
        params = function.params[skip_self and function.kind != "staticmethod" :]
        bound = {name: self.evaluate(inner, value) for name, value in given(call, params)}
        if "**" not in call.keys and all(argument.op != "star" for argument in positional(call)):
            bound.update((p.name, Values(none=True)) for p in params if p.default == "None" and p.name not in bound)
        return bound
