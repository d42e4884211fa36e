"""Recipes: members assembled from a body and the wrapper's own parts, where every precondition is shown."""

from __future__ import annotations

from collections.abc import Iterator

from shimgen.gaps.case import Case
from shimgen.model.binding import binds
from shimgen.model.domain import ClassRef, SiteKind
from shimgen.model.facts import Expr, Param
from shimgen.model.profile import Recipe
from shimgen.model.program import Attribute


def fitting(case: Case) -> tuple[str, Recipe, str] | None:
    """The recipe for a gap of a wrapper over a body: its name, the recipe, and the full model that does the same.

    None when there is none, or one of its preconditions is not shown.
    """
    if case.wrapper.delegate.shape != "body" or case.wrapper.delegate.unknown:
        return None
    for name, recipe in sorted(case.profile.recipes.items()):
        if recipe.member == case.member and _parts_are_there(case, recipe) and _calls_bind(case, recipe):
            model = next(_does_the_same(case, recipe), None)
            if model is not None:
                return name, recipe, model
    return None


def parameters(recipe: Recipe) -> tuple[Param, ...]:
    """The parameters of the member, self first."""
    return tuple(Param(name, "pos") for name in ("self", *recipe.parameters))


def _parts_are_there(case: Case, recipe: Recipe) -> bool:
    """Every part is assigned by a constructor, and the wrapper's forward runs the body and reads its own parts. Where
    the engine probes, each is there always: the member is a method, which cannot say no."""
    delegate = case.wrapper.delegate
    probed = bool(case.demand.asking(SiteKind.PROBE))
    if probed and delegate.optional:
        return False
    bodies = [(case.program.attributes(candidate), recipe.delegate) for candidate in delegate.candidates]
    for attributes, names in (*bodies, (case.program.attributes(case.wrapper.cls), recipe.wrapper)):
        parts = [attributes.get(name) for name in names]
        if not all(part is not None and part.initial and not (probed and part.optional) for part in parts):
            return False
        if recipe.writes and any(part is not None and _is_of_body(case, recipe, part) for part in parts):
            return False
    path = case.reach.path(case.wrapper.cls, delegate.attribute)
    runs = {"", *case.profile.models.forward_members} & set(path.runs)
    return bool(runs) and set(recipe.wrapper) <= path.own.keys()


def _is_of_body(case: Case, recipe: Recipe, part: Attribute) -> bool:
    """Whether a part is always that of the body, as far as its classes tell: one object cannot be exchanged for two."""
    for name in recipe.delegate:
        same = part.value == Expr("name", f"self.{case.wrapper.delegate.attribute}.{name}")
        below = [case.program.attributes(candidate).get(name) for candidate in case.wrapper.delegate.candidates]
        if same and any(b is not None and (b.types, b.externals) == (part.types, part.externals) for b in below):
            return True
    return False


def _calls_bind(case: Case, recipe: Recipe) -> bool:
    shapes = (s.shape for s in case.demand.sites if s.shape is not None and not s.ambiguous)
    return all(s.kind is not SiteKind.CLASS for s in case.demand.sites) and all(
        binds(shape, parameters(recipe)[1:]) for shape in shapes
    )


def _does_the_same(case: Case, recipe: Recipe) -> Iterator[str]:
    """Full models of the checkout that answer the member with just these parts of themselves."""
    for ref in case.program.model_classes():
        found = case.program.find(ref, case.member)
        if found is None or tuple(p.name for p in found[1].params[1:]) != recipe.parameters:
            continue
        if any(_same_effects(case, ref, recipe, body) for body in case.profile.models.body_attributes):
            yield f"{found[0].name} at {found[0].at(found[1].line)}"


def _same_effects(case: Case, ref: ClassRef, recipe: Recipe, body: str) -> bool:
    effects = case.reach.effects(ref, case.member)
    reads = {chain.replace("{delegate}", body) for chain in recipe.returns}
    writes = {chain.replace("{delegate}", body) for chain in recipe.writes}
    return set(effects.reads) == reads and set(effects.writes) == writes
