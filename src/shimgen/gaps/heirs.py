"""Heirs: classes that would inherit a shim without being the wrappers for which it was decided."""

from __future__ import annotations

from collections.abc import Sequence

from shimgen.gaps.members import Members
from shimgen.model.binding import same_call
from shimgen.model.domain import CALLABLE, ClassRef, Gap, MemberKind, SiteKind
from shimgen.model.program import Program


class Heirs:
    """The model classes below each class of a program."""

    def __init__(self, program: Program, members: Members) -> None:
        self._program = program
        self._members = members
        self._below: dict[ClassRef, list[ClassRef]] = {}
        for ref in program.model_classes():
            for above in program.mro(ref).classes[1:]:
                self._below.setdefault(above, []).append(ref)

    def unsuited(self, gap: Gap, decided: Sequence[ClassRef]) -> tuple[ClassRef, str] | None:
        """The first heir of the shim's class, besides the wrappers in `decided`, for which the shim would be wrong,
        and why as the end of a sentence."""
        for heir in self._below.get(gap.target, ()):
            if heir not in decided and not self._overrides(heir, gap):
                why = self._wrong(heir, gap)
                if why:
                    return heir, why
        return None

    def _overrides(self, heir: ClassRef, gap: Gap) -> bool:
        """Whether a class between the heir and the shim's class defines the member itself."""
        order = self._program.mro(heir).classes
        return any(self._members.defines(cls, gap.member) for cls in order[: order.index(gap.target)])

    def _wrong(self, heir: ClassRef, gap: Gap) -> str:
        """Why the shim would be wrong for the heir, "" when it is not.

        Where the heir's delegate lacks the member, a method only fails as its absence did, unless a probe sees it.
        """
        attribute = gap.wrapper.delegate.attribute
        has = self._assigned(heir, gap) or self._behind(heir, gap)
        if has:
            return has
        held = self._program.attributes(heir).get(attribute)
        called = gap.assembly is not None or any(p.kind in CALLABLE for p in gap.providers)
        lies = called and gap.demand.probed
        if on_class(gap) and (held is None or held.unknown or {*held.types} != {p.candidate for p in gap.providers}):
            return f"the class behind its {attribute} is another one"
        if held is None or not held.initial or held.unknown or not held.types:
            return f"its constructor does not assign self.{attribute}" if lies else ""
        if gap.assembly is not None:
            own = self._program.attributes(heir)
            below = [self._program.attributes(t) for t in held.types]
            there = all(n in own for n in gap.assembly.wrapper) and all(
                n in b for n in gap.assembly.delegate for b in below
            )
            return "" if there else "it lacks a part of the recipe"
        for kind in held.types:
            provider = self._members.look(kind, gap.member).provider
            if provider is None:
                return f"its {attribute} is a {kind.name}, which lacks {gap.member}" if lies else ""
            first = gap.providers[0]
            if (provider.kind in CALLABLE) != called or (called and not same_call(provider, first)):
                return f"its {attribute} is a {kind.name}, whose {gap.member} is another one"
        return ""

    def _assigned(self, heir: ClassRef, gap: Gap) -> str:
        """How the heir sets the member itself: a property refuses that, and a method would be hidden for some."""
        own = self._program.attributes(heir).get(gap.member)
        place = own.owner.at(own.line) if own is not None else self._members.computed(heir)
        if place:
            return f"it may assign {gap.member} itself at {place}"
        made = self._members.remade(heir, gap.member)
        return f"it may get {gap.member} from {made['maker']} at {made['site']}" if made is not None else ""

    def _behind(self, heir: ClassRef, gap: Gap) -> str:
        """What the heir finds in a class behind the shim's, and would no longer find."""
        found = self._members.look(heir, gap.member)
        name = found.provider.cls.name if found.provider is not None else found.external
        if not name and found.uncertain:
            return f"it may have {gap.member} from {found.uncertain}"
        return f"it has {gap.member} from {name}" if name else ""


def on_class(gap: Gap) -> bool:
    """Whether the forward asks the delegate's class, which it then must name."""
    kinds = (MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD)
    return bool(gap.demand.asking(SiteKind.CLASS)) or any(p.kind in kinds for p in gap.providers)
