"""What is done to a class besides its own statement: by decorators, a metaclass, `__init_subclass__`, or its module."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from shimgen.model.calling import definition, given, routine, values_of
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Call, Expr, Function, Param
from shimgen.model.program import Program, Resolved

# Assigned to a class, they decide of any attribute of its instances, or of what calling it gives.
_DECIDING = frozenset(("__getattr__", "__getattribute__", "__new__", "__call__"))
_SETTING = frozenset(("setattr", "__setattr__"))


class Remaking(msgspec.Struct):
    """What may happen to one class: who does it, where, and to which members ("*": to any)."""

    found: dict[str, tuple[str, str]] = msgspec.field(default_factory=dict)

    def note(self, member: str, maker: str, place: str) -> None:
        """`maker` gives the class that member."""
        self.found.setdefault("*" if member in _DECIDING - {"__call__"} else member, (maker, place))


def remaking(program: Program, ref: ClassRef) -> Remaking:
    """What happens to a class, without what happens to those that it inherits from."""
    result = Remaking()
    facts = program.cls(ref)
    for text in facts.decorators:
        for path, function, own in _decorating(program, ref.path, text):
            _Changes(program, result, f"@{text.partition('(')[0]}", ref.at(ref.line)).follow(path, function, own)
    order = program.mro(ref).classes
    for base in order:
        named = program.cls(base).metaclass
        meta = program.resolve(base.path, named).ref if named else None
        if meta is not None:
            _by_metaclass(program, meta, result, ref)
    maker = definition(program, order[1:], "__init_subclass__")
    if maker is not None:
        changes = _Changes(program, result, f"{maker[0].name}.__init_subclass__", maker[0].at(maker[1].line))
        changes.follow(maker[0].path, maker[1], maker[1].first)
    stores = program.module(ref.path).stores
    bound = {"?", ref.name, *(store.target for store in stores if store.how == "other")}
    for store in stores:
        head, _, member = store.target.rpartition(".")
        if head in bound:
            result.note("*" if member == "__bases__" else member, "a statement of the module", ref.at(store.line))
        elif store.target == ref.name and store.value is not None and store.value.op == "call":
            callee = store.value.parts[0]
            text = f"{callee.parts[0].text}()" if callee.op == "call" else callee.text
            for path, function, own in _decorating(program, ref.path, text):
                _Changes(program, result, text, ref.at(store.line)).follow(path, function, own)
    return result


def patched(program: Program) -> dict[tuple[ClassRef, str], tuple[str, str]]:
    """The members that model files give to classes of other files, and their functions to any: `module.Class.x = f`."""
    found: dict[tuple[ClassRef, str], tuple[str, str]] = {}
    for path in program.model_paths():
        facts = program.module(path)
        for function in (None, *facts.functions):
            for store in facts.stores if function is None else function.stores:
                owner, _, member = store.target.rpartition(".")
                if not owner or (function is not None and function.binds(owner.partition(".")[0])):
                    continue
                ref = program.resolve(path, owner, function).ref
                member = "*" if member in (*_DECIDING, "__bases__") else member
                if ref is not None and (function is not None or ref.path != path):
                    maker = function.name if function is not None else "a statement of another file"
                    found.setdefault((ref, member), (maker, f"{path}:{store.line}"))
    return found


def _by_metaclass(program: Program, meta: ClassRef, result: Remaking, ref: ClassRef) -> None:
    for name, position in (("__new__", 3), ("__init__", 0), ("__call__", 0)):
        found = definition(program, program.mro(meta).classes, name)
        if found is not None and len(found[1].params) > position:
            owner, function = found
            changes = _Changes(program, result, f"the metaclass {meta.name}", owner.at(function.line))
            own = function.first if name != "__new__" else ""
            changes.follow(owner.path, function, own, returns=False)
            if name == "__new__":
                changes.fill(function, function.params[position].name)


def _decorating(program: Program, path: str, text: str) -> Iterator[tuple[str, Function, str]]:
    """The functions of the checkout that get a class by a decorator, and the parameter that stands for it there."""
    head, called, _ = text.partition("(")
    named = program.resolve(path, head)
    made = _made(program, named) if not called else None
    if made is not None:
        yield from _decorating(program, named.path, f"{made.text}(")
        return
    function, where, params = routine(program, named), named.path, 0
    if function is None and named.ref is not None:
        found = definition(program, program.mro(named.ref).classes, "__call__" if called else "__init__")
        if found is not None:
            yield found[0].path, found[1], _parameter(found[1].params[1:])
        return
    if function is None and "." in head:
        above, _, name = head.rpartition(".")
        owner = _class_of(program, program.resolve(path, above))
        found = definition(program, program.mro(owner).classes, name) if owner is not None else None
        if found is None:
            return
        where, function = found[0].path, found[1]
        params = int(function.kind != "staticmethod")
    if function is None:
        return
    if called:
        yield from ((where, inner, inner.first) for inner in function.inner)
    else:
        yield where, function, _parameter(function.params[params:])


def _parameter(params: tuple[Param, ...]) -> str:
    return params[0].name if params else ""


def _class_of(program: Program, named: Resolved) -> ClassRef | None:
    """A class, or that of the object which a value of a module is."""
    made = _made(program, named)
    return program.resolve(named.path, made.text).ref if made is not None else named.ref


def _made(program: Program, named: Resolved) -> Expr | None:
    """What is called for the value of a module, None where it is no value, or has several."""
    values = values_of(program, named)
    return values[0].parts[0] if len(values) == 1 and values[0].op == "call" else None


class _Changes(msgspec.Struct):
    """Follows the functions that get one class."""

    program: Program
    result: Remaking
    maker: str
    place: str
    seen: set[tuple[str, int]] = msgspec.field(default_factory=set)

    def follow(self, path: str, function: Function, own: str, returns: bool = True) -> bool:
        """Notes what the function does to the class that `own` stands for. Whether it may return something else."""
        if (path, function.line) in self.seen:
            return False
        self.seen.add((path, function.line))
        others = {p.name for p in function.params} - {own}
        for store in function.stores:
            root, _, member = store.target.partition(".")
            if member and "." not in member and store.how != "item" and root not in others:
                self.result.note(member, self.maker, self.place)
        for call in function.calls:
            self._call(path, function, call, own)
        another = returns and any(self._is_another(path, function, value, own) for value in function.returned)
        if another:
            self.result.note("*", self.maker, self.place)
        return another

    def fill(self, function: Function, namespace: str) -> None:
        """Notes what a metaclass puts into the namespace of the class."""
        for store in function.stores:
            if store.target == namespace and store.how == "item":
                keys = store.value.keys if store.value is not None and store.value.op == "dict" else ("'*'",)
                for key in keys:
                    self.result.note(key.strip("'\""), self.maker, self.place)

    def _call(self, path: str, function: Function, call: Call, own: str) -> None:
        callee, *arguments = call.expr.parts
        if callee.text.rpartition(".")[2] in _SETTING and len(arguments) == 3 and arguments[0].text == own:
            name = self._text(path, arguments[1])
            self.result.note(name or "*", self.maker, self.place)
            return
        taker = self._taker(path, function, call.expr, own)
        if taker is not None:
            self.follow(*taker, returns=False)

    def _text(self, path: str, value: Expr) -> str:
        """The text of a literal, or of a module's constant; "" for what is computed."""
        if value.op == "name":
            named = self.program.resolve(path, value.text)
            module = self.program.module(named.path) if named.kind == "value" else None
            values = [s.value for s in module.stores if s.target == named.name] if module is not None else []
            value = values[0] if len(values) == 1 and values[0] is not None else value
        return value.literal if value.op == "const" and value.text[:1] in ("'", '"') else ""

    def _taker(self, path: str, function: Function, call: Expr, own: str) -> tuple[str, Function, str] | None:
        """The function to which a call hands the class on."""
        callee = call.parts[0]
        named = next((f for f in function.inner if callee.op == "name" and f.name == callee.text), None)
        where = path
        if named is None and callee.op == "name":
            found = self.program.resolve(path, callee.text, function)
            named, where = routine(self.program, found), found.path
        if named is None:
            return None
        name = next((name for name, value in given(call, named.params) if value == Expr("name", own)), "")
        return (where, named, name) if name else None

    def _is_another(self, path: str, function: Function, value: Expr, own: str) -> bool:
        """Whether a returned value is something else than the class."""
        if value.op == "choice":
            return any(self._is_another(path, function, part, own) for part in value.parts)
        if value.op in ("const", "lambda", "other"):
            return value.op == "other"
        if value.op == "name":
            stored = [s.value for s in function.stores if s.target == value.text and s.value is not None]
            if stored and value.text != own:
                return any(self._is_another(path, replace(function, stores=()), part, own) for part in stored)
            return value.text != own and all(value.text != inner.name for inner in function.inner)
        if value.op == "call":
            taker = self._taker(path, function, value, own)
            if taker is not None:
                where, inner, name = taker
                return any(self._is_another(where, inner, part, name) for part in inner.returned)
            callee = value.parts[0]
            external = callee.op == "name" and self.program.resolve(path, callee.text, function).kind == "external"
            return not external
        return True
