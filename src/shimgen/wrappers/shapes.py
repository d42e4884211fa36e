"""What a class is to a model object: a full model, a body, or something else. Told by what it has and does.

A *body* takes the engine's batch through its `forward` (the profile's `body_parameters`). A *full model* does the
same and owns what makes logits of hidden states (the profile's `head_attributes`), or delegates to one that does.
"""

from __future__ import annotations

from shimgen.model.calling import given, methods, routine
from shimgen.model.domain import ClassRef
from shimgen.model.facts import Call
from shimgen.model.profile import Models
from shimgen.model.program import Attribute, Program


class Shapes:
    """Answers are kept per class; a class that is asked about while it is being judged counts as nothing."""

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
