"""Facts -> wrappers and their delegates: classes that hold a model and stand before the engine in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from shimgen.model.calling import assigned, given, made_instead, methods, names, routine
from shimgen.model.domain import ClassRef, Delegate, Wrapper
from shimgen.model.facts import Call
from shimgen.model.profile import Models, Profile
from shimgen.model.program import Attribute, Program


class _Held(msgspec.Struct, frozen=True):
    """One attribute that may be the delegate, with its shape."""

    attribute: Attribute
    shape: str


def find_wrappers(program: Program, profile: Profile) -> tuple[Wrapper, ...]:
    """All wrappers of the profile's model folders, sorted by path and name.

    A class is a wrapper when its constructor assigns a full model to an attribute; or a body, when the class is
    itself a multimodal model (the profile's `multimodal_members`), which a plain model over its own body is not;
    or a value whose class only run time knows, when the class runs it in its own forward or loads weights into it.
    """
    shapes = Shapes(program, profile.models)
    entries = _entry_classes(program, profile.models)
    found = (_wrapper(program, profile, shapes, ref, ref in entries) for ref in program.model_classes())
    return tuple(sorted((w for w in found if w is not None), key=lambda w: w.cls))


def _wrapper(program: Program, profile: Profile, shapes: Shapes, ref: ClassRef, entry: bool) -> Wrapper | None:
    held = _held(program, profile, shapes, ref)
    if held is None:
        return None
    attribute = held.attribute
    delegate = Delegate(
        attribute.name,
        attribute.owner,
        attribute.line,
        attribute.types,
        attribute.optional or bool(attribute.externals),
        attribute.unknown,
        held.shape,
    )
    return Wrapper(ref, delegate, _role(program, profile, ref), entry)


def _held(program: Program, profile: Profile, shapes: Shapes, ref: ClassRef) -> _Held | None:
    """The attribute that holds the model: full before body before unknown, then those that get batches, then the one
    that is assigned first."""
    attributes = [a for a in program.attributes(ref).values() if a.initial and _constructs(a)]
    full = [_Held(a, "full") for a in attributes if a.registered or any(shapes.of(t) == "full" for t in a.types)]
    multimodal = _is_multimodal(program, profile, ref)
    bodies = [_Held(a, "body") for a in attributes if multimodal and any(shapes.of(t) == "body" for t in a.types)]
    dynamic = [_Held(a, "unknown") for a in attributes if shapes.is_dynamic_model(ref, a)]
    for group in (full, bodies, dynamic):
        if group:
            used = [h for h in group if shapes.gets_batches(ref, h.attribute.name)]
            return (used or group)[0]
    return None


def _constructs(attribute: Attribute) -> bool:
    """Not a copy of something inside another attribute (self.model = self.language_model.model)."""
    value = attribute.value
    return value is None or value.op != "name" or value.text.count(".") < 2


def _is_multimodal(program: Program, profile: Profile, ref: ClassRef) -> bool:
    members = profile.models.multimodal_members
    return any(program.find(ref, member) or member in program.attributes(ref) for member in members)


def _role(program: Program, profile: Profile, ref: ClassRef) -> str:
    """ "draft" for a class that gets or reads the target's hidden states on its forward path, as the profile tells."""
    wanted, parameters = profile.models.draft_reads, frozenset(profile.models.draft_parameters)
    seen: set[ClassRef] = set()
    queue = [ref]
    while queue:
        cls = queue.pop()
        if cls in seen:
            continue
        seen.add(cls)
        found = next((f for m in profile.models.forward_members if (f := program.find(cls, m))), None)
        if found is not None and any(f".{end}." in f".{read.chain}." for end in wanted for read in found[1].reads):
            return "draft"
        if cls == ref and found is not None and parameters.intersection(p.name for p in found[1].params):
            return "draft"
        attributes = program.attributes(cls).values()
        queue += [t for a in attributes for t in a.types if a.name in profile.models.body_attributes]
    return "target"


def _entry_classes(program: Program, models: Models) -> frozenset[ClassRef]:
    """Classes that the profile's registry lists or the `entry_variable` of their module; every model class when the
    profile names neither."""
    listed = set(_entries(program, models))
    return frozenset(listed.union(*(made_instead(program, ref) for ref in listed)))


def _entries(program: Program, models: Models) -> Iterable[ClassRef]:
    if models.registry:
        return program.registered().values()
    if not models.entry_variable:
        return program.model_classes()
    return (ref for path in program.model_paths() for ref in _listed(program, path, models.entry_variable))


def _listed(program: Program, path: str, variable: str) -> Iterator[ClassRef]:
    for value in assigned(program, path, variable):
        for name in names(value):
            ref = program.resolve(path, name).ref
            if ref is not None:
                yield ref


class Shapes:
    """What a class is to a model object: a full model, a body, or something else. Told by what it has and does.

    A *body* takes the engine's batch through its `forward` (the profile's `body_parameters`). A *full model* does the
    same and owns what makes logits of hidden states (the profile's `head_attributes`), or delegates to one that does.
    Answers are kept per class; a class that is asked about while it is being judged counts as nothing.
    """

    def __init__(self, program: Program, models: Models) -> None:
        self._program = program
        self._models = models
        self._known: dict[ClassRef, str] = {}

    def of(self, ref: ClassRef) -> str:
        """ "full", "body" or "" (a tower, a layer, anything else)."""
        shape = self._known.get(ref)
        if shape is None:
            self._known[ref] = ""
            shape = self._known[ref] = self._judge(ref)
        return shape

    def _judge(self, ref: ClassRef) -> str:
        if not self._takes_batches(ref):
            return ""
        attributes = self._program.attributes(ref)
        if any(name in attributes for name in self._models.head_attributes):
            return "full"
        if any(a.registered or self.is_dynamic_model(ref, a) for a in attributes.values()):
            return "full"
        inner = (t for name, a in attributes.items() if name not in self._models.head_attributes for t in a.types)
        return "full" if any(self.of(t) == "full" for t in inner) else "body"

    def _takes_batches(self, ref: ClassRef) -> bool:
        for member in self._models.forward_members:
            found = self._program.find(ref, member)
            if found is not None:
                names = {param.name for param in found[1].params}
                return set(self._models.body_parameters) <= names
        # Some assign forward in the constructor: self.forward = self.inner.forward.
        attributes = self._program.attributes(ref)
        return any(member in attributes for member in self._models.forward_members)

    def is_dynamic_model(self, ref: ClassRef, attribute: Attribute) -> bool:
        """Whether the attribute holds a model whose class only run time knows: made by a call, given whole batches."""
        made = attribute.value is not None and attribute.value.op == "call"
        unknown = attribute.unknown and not attribute.types
        return bool(attribute.initial and made and unknown and self.gets_batches(ref, attribute.name))

    def gets_batches(self, ref: ClassRef, name: str) -> bool:
        """Whether a method runs the attribute on a batch or loads weights into it, itself or through a function."""
        for cls, function in methods(self._program, ref):
            if function.params and function.name != "__init__":
                chain = f"{function.first}.{name}"
                if any(self._runs(call, chain) or self._hands(cls.path, call, chain) for call in function.calls):
                    return True
        return False

    def _runs(self, call: Call, chain: str) -> bool:
        callee = call.expr.parts[0]
        if callee.op != "name" or not callee.text.startswith(chain):
            return False
        if callee.text not in (chain, f"{chain}.forward", f"{chain}.load_weights"):
            return False
        arguments = call.expr.parts[1:]
        given = {part.text for part in arguments if part.op == "name"} | set(call.expr.keys)
        return callee.text.endswith(".load_weights") or bool(given & set(self._models.body_parameters))

    def _hands(self, path: str, call: Call, chain: str) -> bool:
        """A call f(language_model=self.x, ...) whose function runs that parameter."""
        callee = call.expr.parts[0]
        if callee.op != "name" or not any(part.text == chain and part.op == "name" for part in call.expr.parts):
            return False
        function = routine(self._program, self._program.resolve(path, callee.text))
        if function is None:
            return False
        passed = given(call.expr, function.params)
        name = next((name for name, part in passed if part.op == "name" and part.text == chain), "")
        return bool(name) and any(self._runs(inner, name) for inner in function.calls)
