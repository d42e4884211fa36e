"""Demands, wrappers, gaps and shims: what the stages hand to each other."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from shimgen.model.facts import CallShape, Expr, Param
from shimgen.model.profile import Recipe
from shimgen.model.reason import Reason


class SiteKind(StrEnum):
    """How a site uses a member."""

    CALL = "call"
    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    PROBE = "probe"
    SIGNATURE = "signature"
    CLASS = "class"
    ISINSTANCE = "isinstance"


class Severity(StrEnum):
    """What a gap costs: some site is unguarded; every site is a probe; the member is there but wrong."""

    CRASH = "crash"
    SILENT = "silent"
    DRIFT = "drift"


class ClassRef(msgspec.Struct, frozen=True, array_like=True, order=True, gc=False):
    """Identity of a class: path and qualified name (two classes may share a name), and its line."""

    path: str
    name: str
    line: int = 0

    def at(self, line: int = 0) -> str:
        """A line of its file, or its own, as sentences show it: `path:line`."""
        return f"{self.path}:{line or self.line}"


class Site(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One place where the engine uses a member.

    `guard` is the probe's source, `message` the text of the error that the engine raises when a probe says no.
    `ambiguous` sites demand nothing: the receiver may be something inside the model, or is for one class that the
    engine names; or the member is a pattern.
    `parameter` is the name that a signature probe looks for.
    """

    path: str
    line: int
    kind: SiteKind
    guarded: bool
    role: str
    expression: str
    guard: str = ""
    message: str = ""
    ambiguous: bool = False
    shape: CallShape | None = None
    value: Expr | None = None
    parameter: str = ""

    @property
    def place(self) -> str:
        """`path:line`, as sentences show it."""
        return f"{self.path}:{self.line}"

    @property
    def fails(self) -> bool:
        """Whether the engine fails here when the member is missing: a write or an isinstance test never does."""
        harmless = (SiteKind.WRITE, SiteKind.ISINSTANCE)
        return not self.guarded and not self.ambiguous and self.kind not in harmless


class Demand(msgspec.Struct, frozen=True, array_like=True):
    """One member the engine uses, with all sites (sorted by path and line) and the interfaces it belongs to.

    `protocol`: a declared interface that the engine tests for, whose name is `member`.
    """

    member: str
    sites: tuple[Site, ...]
    interfaces: tuple[str, ...]
    protocol: ClassRef | None = None

    def fails(self, site: Site) -> bool:
        """Whether the engine fails at one of its sites when it is not met: by itself, or because it says so."""
        refuses = self.protocol is not None and not site.guarded and not site.ambiguous
        return site.fails or refuses

    def asking(self, *kinds: SiteKind) -> tuple[Site, ...]:
        """The unambiguous sites of these kinds."""
        return tuple(site for site in self.sites if site.kind in kinds and not site.ambiguous)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the unambiguous sites, sorted."""
        return tuple(sorted({s.role for s in self.sites if not s.ambiguous}))

    @property
    def probed(self) -> bool:
        """Whether the engine goes on somewhere, in another way, with a model that lacks the member."""
        asking = (s for s in self.sites if not s.ambiguous and s.kind not in (SiteKind.WRITE, SiteKind.ISINSTANCE))
        return any(not site.fails for site in asking)


class Delegate(msgspec.Struct, frozen=True, array_like=True):
    """What a wrapper holds: `attribute` of the wrapper, assigned by class `owner` at `line`.

    `candidates` are the classes it may be an instance of; empty with `unknown` saying why when only run time knows.
    `optional`: the attribute can be None or absent, or an object of a class outside of the checkout. `shape`: "full" (a
    complete model), "body" (no head), "unknown".
    """

    attribute: str
    owner: ClassRef
    line: int
    candidates: tuple[ClassRef, ...] = ()
    optional: bool = False
    unknown: str = ""
    shape: str = "full"

    @property
    def unclear(self) -> str:
        """Why its class is not known, "" when it is."""
        return self.unknown or ("" if self.candidates else "no class is assigned to it")


class Wrapper(msgspec.Struct, frozen=True, array_like=True):
    """A composing class. `entry`: the engine can hold an instance of exactly this class. `role` as in the profile."""

    cls: ClassRef
    delegate: Delegate
    role: str = "target"
    entry: bool = True


class MemberKind(StrEnum):
    """What a provider's member is; `INSTANCE` is an attribute set on self, `CLASS_ATTRIBUTE` one of the class body,
    `BASE` a declared interface that the candidate has as a base, `OTHER` what a class body binds under a condition."""

    METHOD = "method"
    PROPERTY = "property"
    CACHED_PROPERTY = "cached_property"
    CLASSMETHOD = "classmethod"
    STATICMETHOD = "staticmethod"
    INSTANCE = "instance attribute"
    CLASS_ATTRIBUTE = "class attribute"
    BASE = "base class"
    OTHER = "other"


CALLABLE = frozenset((MemberKind.METHOD, MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD))
"""The kinds of members that are called."""


class Provider(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The class of a candidate's MRO that supplies a member, and how. `handed`: by a shim that is to be, see
    `Gap.handed`."""

    candidate: ClassRef
    cls: ClassRef
    line: int
    kind: MemberKind
    params: tuple[Param, ...] = ()
    returns: str | None = None
    flavour: str = ""
    decorators: tuple[str, ...] = ()
    setter: bool = False
    handed: bool = False

    @property
    def signature(self) -> str:
        """The parameters as source, "" for what is not called."""
        return render_signature(self.params, self.returns) if self.kind in CALLABLE else ""

    @property
    def taken(self) -> tuple[Param, ...]:
        """The parameters that a caller fills: without the first, unless it is a static method, or that takes any."""
        own = self.kind is not MemberKind.STATICMETHOD and self.params and self.params[0].kind != "var"
        return self.params[1:] if own else self.params


def render_signature(params: tuple[Param, ...], returns: str | None = None) -> str:
    """Source text of a parameter list with parentheses and the return annotation, in canonical spacing."""
    parts: list[str] = []
    starred = False
    for number, param in enumerate(params):
        if param.kind == "kwonly" and not starred:
            parts.append("*")
            starred = True
        starred = starred or param.kind == "var"
        text = {"var": "*", "varkw": "**"}.get(param.kind, "") + param.name
        if param.annotation is not None:
            text += f": {param.annotation}"
        if param.default is not None:
            text += f" = {param.default}" if param.annotation is not None else f"={param.default}"
        parts.append(text)
        following = params[number + 1].kind if number + 1 < len(params) else ""
        if param.kind == "posonly" and following != "posonly":
            parts.append("/")
    arrow = f" -> {returns}" if returns is not None else ""
    return f"({', '.join(parts)}){arrow}"


class Decision(StrEnum):
    """What shimgen does about a gap."""

    FORWARD = "forward"
    RECIPE = "recipe"
    REFUSE = "refuse"


class Refusal(msgspec.Struct, frozen=True, array_like=True):
    """Why a gap is not closed; `detail` fills the reason's sentence, `advice` is what a person could do instead."""

    reason: Reason
    detail: Mapping[str, str] = msgspec.field(default_factory=dict)
    advice: str = ""


class Gap(msgspec.Struct, frozen=True, array_like=True):
    """A demanded member that a wrapper lacks or has wrongly, and what is done about it.

    `providers` holds one provider for each candidate that has the member. `detail` fills the reason's sentence;
    `advice` says what a person should write instead. `demanded` false: only completes an interface.
    `recipe` names the profile's recipe when the decision is `recipe`, and `assembly` is that recipe; it is "adopt"
    where the class takes up the declared interface `protocol` as a base. Members that come with that base have the
    same `protocol`, and stand or fall with it. `place`: see `target`.
    """

    wrapper: Wrapper
    member: str
    severity: Severity
    demand: Demand
    decision: Decision
    providers: tuple[Provider, ...] = ()
    reason: Reason | None = None
    detail: Mapping[str, str] = msgspec.field(default_factory=dict)
    advice: str = ""
    demanded: bool = True
    recipe: str = ""
    assembly: Recipe | None = None
    notes: tuple[str, ...] = ()
    place: ClassRef | None = None
    protocol: ClassRef | None = None

    @property
    def target(self) -> ClassRef:
        """The class on which the shim stands: `place`, else the class that assigns the delegate."""
        return self.place or self.wrapper.delegate.owner

    @property
    def takes_base(self) -> bool:
        """Whether it is the declared interface itself that is missing: it is closed by a base, not by a member."""
        return self.protocol is not None and self.demand.protocol == self.protocol

    @property
    def handed(self) -> bool:
        """Whether the delegate's method is handed out by a property: where some candidate lacks it, or where no
        delegate is there, or none behind it, a method would say yes to a probe of the engine. A property says no then,
        and is called like the method otherwise."""
        methods = {provider.kind for provider in self.providers} == {MemberKind.METHOD}
        missing = self.wrapper.delegate.optional or any(provider.handed for provider in self.providers)
        lacking = len(self.providers) < len(self.wrapper.delegate.candidates)
        return methods and (lacking or (missing and bool(self.demand.asking(SiteKind.PROBE))))

    def refused(self, why: Refusal | None) -> Gap:
        """The same gap, not closed for that reason; itself where there is none."""
        if why is None:
            return self
        return replace(self, decision=Decision.REFUSE, reason=why.reason, detail=why.detail, advice=why.advice)

    @property
    def interfaces(self) -> tuple[str, ...]:
        """The interfaces of its demand."""
        return self.demand.interfaces

    @property
    def sentence(self) -> str:
        """The refusal as the user reads it, "" for what is emitted."""
        if self.reason is None:
            return ""
        known = {
            "wrapper": self.wrapper.cls.name,
            "member": self.member,
            "attribute": f"self.{self.wrapper.delegate.attribute}",
            "delegate": " / ".join(c.name for c in self.wrapper.delegate.candidates) or self.wrapper.delegate.attribute,
        }
        known["a"] = "an" if self.detail.get("kind", "")[:1] in tuple("aeiou") else "a"
        return self.reason.value.format(**{**known, **self.detail})


class Shim(msgspec.Struct, frozen=True):
    """A generated member, placed: `text` is what is inserted into `place`'s class body (with its own line ends)."""

    gap: Gap
    place: ClassRef
    member: str
    text: str


class FileChange(msgspec.Struct, frozen=True):
    """One file before and after, the classes that changed in it and their new members."""

    path: str
    before: bytes
    after: bytes
    shims: tuple[Shim, ...] = ()


CORE = "core"
"""The interface of demands that belong to no feature; a profile may list those that it knows under this name."""


class Scope(msgspec.Struct, frozen=True):
    """Which gaps a command is about. Empty tuples mean all; `severity` "all" means every severity."""

    interfaces: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    severity: str = "crash"
