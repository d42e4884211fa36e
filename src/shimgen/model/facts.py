"""What the index knows of one file.

Facts depend on the file's bytes and the profile alone, so they are cached by blob id. They are msgspec
structs, encoded as arrays: the warm path decodes thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

# The few words that are decoded a hundred thousand times are named, so that each is one object.
Op = Literal["name", "call", "choice", "item", "dict", "seq", "const", "attr", "star", "lambda", "other"]
How = Literal["assign", "augment", "default", "delete", "item", "other"]


class Param(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One parameter. `kind`: "posonly", "pos", "var" (*args), "kwonly" or "varkw" (**kwargs); source texts or None."""

    name: str
    kind: str
    default: str | None = None
    annotation: str | None = None


class Expr(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A value, as far as the analysis follows it.

    op "name": dotted `text` ("self.x.y"). "call": parts[0] is the callee, then positional arguments, then
    keyword arguments whose names are `keys` (aligned with the tail of `parts`; "**" for a mapping, "*" values
    have op "star"). "choice": one of `parts` (conditional expression, `or`, match). "item": parts = (container,
    key). "dict": parts = values, `keys` = the keys' source texts. "seq": list, tuple or set of parts. "const":
    `text` is the literal's source. "attr": attribute `text` of the non-name expression parts[0].
    "lambda": parts[0] is the body. "other": anything else, `text` is its source, cut at 80 characters.
    """

    op: Op
    text: str = ""
    parts: tuple[Expr, ...] = ()
    keys: tuple[str, ...] = ()

    @property
    def literal(self) -> str:
        """The text that a string constant stands for."""
        return self.text.strip("'\"")


SLOT = Expr("other", "__slots__")
"""What stands for the value of an attribute of a class that its `__slots__` name: a descriptor."""


class Access(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A dotted chain read in a function ("self.model.layers"), at `line`."""

    chain: str
    line: int


class Store(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An assignment: `target` is a dotted chain ("self.language_model", "lm_class"), `value` None for a bare
    annotation, augmented assignment, loop target or deletion. `how`: "assign", "augment", "delete", "item"
    (x[key] = value, a dict of one entry where the key is a string), "default" (a parameter, where it was None),
    "other". `branch` is the path of conditional arms that lead to it, "" when it always runs: "12:0/15:1" is the else
    arm of the `if` at line 15 inside the first arm of the one at line 12."""

    target: str
    line: int
    value: Expr | None = None
    how: How = "assign"
    branch: str = ""


class Call(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call made in a function; `expr` has op "call", `branch` as in `Store`."""

    expr: Expr
    line: int
    branch: str = ""


def is_dotted(text: str) -> bool:
    """Whether a literal may be the dotted name of a module or weight, or its beginning, to which a prefix matters.

    What begins with a dot and has no other inside (".q_proj.", ".bias") is looked for inside a name, or at its end.
    """
    return "." in (text.strip(".") if text.startswith(".") else text)


class NamedParam(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A parameter that may carry the name of a module or weight.

    `suffix`: it is only ever compared with, or looked up among, literals that are not dotted, or handed on; then it
    carries a suffix, and no prefix can matter. `handed`: the callees as written, and the position or keyword there.
    """

    name: str
    suffix: bool = False
    handed: tuple[tuple[str, str], ...] = ()


class Function(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A function or method.

    `kind`: "function" (module level), "method", "property", "setter", "deleter", "cached_property",
    "classmethod" or "staticmethod". `flavour`: "", "async",
    "generator", "asyncgen". `stub`: "" for a real body, "empty" (docstring, pass, ...), "raises" (only raises
    NotImplementedError). `scope`: how the def is nested in its class or module: "" or "if" / "try" / ...
    `names`: the parameters that look like they carry a module or weight name.
    `raising`: the conditional arms that end in raise, `returning`: in return, `continuing`: in continue.
    `caught`: first and last lines of the statements whose AttributeError is caught.
    `unused`: parameters that the body never mentions.
    `returned`: the values of its own return statements, `returned_at` their lines.
    `results`: what a forward returns, with local names exchanged for all that they are assigned.
    `handed`: those of its calls that get the object itself which the first parameter stands for.
    `inner`: the functions defined inside it that it returns, as a decorator with arguments does.
    """

    name: str
    line: int
    end_line: int
    kind: str
    flavour: str = ""
    decorators: tuple[str, ...] = ()
    params: tuple[Param, ...] = ()
    returns: str | None = None
    stub: str = ""
    scope: str = ""
    reads: tuple[Access, ...] = ()
    stores: tuple[Store, ...] = ()
    calls: tuple[Call, ...] = ()
    returned: tuple[Expr, ...] = ()
    names: tuple[NamedParam, ...] = ()
    raising: tuple[str, ...] = ()
    returning: tuple[str, ...] = ()
    caught: tuple[tuple[int, int], ...] = ()
    unused: tuple[str, ...] = ()
    results: tuple[Expr, ...] = ()
    returned_at: tuple[int, ...] = ()
    handed: tuple[Call, ...] = ()
    inner: tuple[Function, ...] = ()
    continuing: tuple[str, ...] = ()

    @property
    def first(self) -> str:
        """The name of the first parameter, "" when there is none."""
        return self.params[0].name if self.params else ""

    def binds(self, name: str) -> bool:
        """Whether the function gives the name a meaning of its own, as a parameter or by an assignment."""
        return any(s.target == name for s in self.stores) or any(p.name == name for p in self.params)


def last_named(functions: Iterable[Function], name: str) -> Function | None:
    """Of several functions of one name the last, which is the one that counts; None when there is none."""
    found = None
    for function in functions:
        if function.name == name:
            found = function
    return found


class ClassAttribute(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An assignment in a class body; `value` None for a bare annotation (which provides nothing).
    `dotted`: a string inside the value is a dotted name (a table of full names). `scope` as in `Function`."""

    name: str
    line: int
    value: Expr | None = None
    annotation: str | None = None
    dotted: bool = False
    scope: str = ""


class Class(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A class statement; `name` is the qualified name inside the module ("Outer.Inner", "func.<locals>.C")."""

    name: str
    line: int
    end_line: int
    bases: tuple[Expr, ...] = ()
    keywords: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    scope: str = ""
    functions: tuple[Function, ...] = ()
    attributes: tuple[ClassAttribute, ...] = ()
    metaclass: str = ""


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`local` is bound to `name` of `module` ("" name: the module itself). `level` counts the dots of a relative
    import. `where`: "" module level, "typing" under TYPE_CHECKING, "if"/"try" conditional, "function" local.
    `local` "*" is a star import."""

    local: str
    module: str
    name: str = ""
    level: int = 0
    line: int = 0
    where: str = ""


class CallShape(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How a call passes arguments: count of positionals, keyword names, and whether *x or **x occur."""

    positional: int = 0
    keywords: tuple[str, ...] = ()
    star: bool = False
    double_star: bool = False


class Use(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One use of `member` on a receiver, before roles are settled.

    `kind`: "call", "read", "write", "delete", "probe", "signature", "class", "isinstance". `receiver` is the
    expression as written; `rule` the index of the profile's receiver rule that matched. `guarded`: some probe
    dominates this use; `guard` is that probe's source. `message`: text of the error raised when the probe says no.
    `value`: what a write assigns (None otherwise). `ambiguous`: the receiver may be something inside the model, or is
    of one class that the engine names, or `member` is a pattern ("get_*_feature", "*") of a computed name.
    `parameter`: the name looked for in the member's signature (kind "signature"). For "isinstance" `member` is the
    class as written.
    """

    member: str
    line: int
    kind: str
    receiver: str
    rule: int
    guarded: bool = False
    guard: str = ""
    function: str = ""
    shape: CallShape | None = None
    message: str = ""
    value: Expr | None = None
    ambiguous: bool = False
    parameter: str = ""


ASSIGNED = "assigned at line "
"""How the guard of a use begins, in place of a probe's source, that comes after an assignment of the member."""


MARKER = "# shimgen: "
"""How the comment begins by which shimgen knows its own work again."""


LIMIT = "too large, or nested too deeply"
"""The error where this process came to its limits."""


class Searched(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the search for uses found in one file of `lines` lines. `parsed` is false when its text alone showed that
    no receiver occurs; `error` is set when it does not parse."""

    lines: int = 0
    parsed: bool = False
    uses: tuple[Use, ...] = ()
    error: str = ""
    error_line: int = 0


class ModuleFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that is kept of one file. `stores` are module-level assignments; `error` is set (and all else empty)
    when the file does not parse; `marked` are the lines that are a marker of shimgen's, `own` those of the members that
    stand right below one."""

    imports: tuple[Import, ...] = ()
    classes: tuple[Class, ...] = ()
    functions: tuple[Function, ...] = ()
    stores: tuple[Store, ...] = ()
    uses: tuple[Use, ...] = ()
    lines: int = 0
    error: str = ""
    error_line: int = 0
    marked: tuple[int, ...] = ()
    own: tuple[int, ...] = ()


def lasting(facts: ModuleFacts | Searched) -> bool:
    """Whether another run would find the same: not where this one came to the limits of its process."""
    return facts.error != LIMIT
