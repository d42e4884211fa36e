# ruff: noqa: E501  a table: one way to get it wrong is one line
"""One right shim of each family, and the ways in which a generator could get it wrong."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from shimgen.model.domain import MemberKind, SiteKind
from tests.verify.made import MODULE, OTHER, Sample, call, gap, provider, site

METHOD, PROPERTY, INSTANCE = MemberKind.METHOD, MemberKind.PROPERTY, MemberKind.INSTANCE
CLASSMETHOD, STATICMETHOD, VALUE = MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD, MemberKind.CLASS_ATTRIBUTE
GUARD = """    delegate = getattr(self, "language_model", None)
    if delegate is None:
        raise AttributeError(f"{self.__class__.__name__} has no MEMBER here: its language_model is missing")
"""
UNGUARDED = "    delegate = self.language_model\n"

SAMPLES = {
    "plain": Sample(
        gap("take", provider("(self, layer_ids: Optional[List[int]] = None)"), sites=[call(), call(1)]),
        """# shimgen: forwards to self.language_model
def take(self, layer_ids: Optional[List[int]] = None):
    return self.language_model.take(layer_ids)""",
    ),
    "no parameters": Sample(
        gap("pair", provider("(self)"), sites=[call()]), "def pair(self):\n    return self.language_model.pair()"
    ),
    "every kind of parameter": Sample(
        gap("mix", provider("(self, a, /, b, c=LIMIT, *rest, d, e=(1, 2), **more)"), sites=[call(2, "d")]),
        """def mix(self, a, /, b, c=LIMIT, *rest, d, e=(1, 2), **more):
    return self.language_model.mix(a, b, c, *rest, d=d, e=e, **more)""",
    ),
    "two of a kind": Sample(
        gap("put", provider("(self, embed, head)"), sites=[call(2)]),
        "def put(self, embed, head):\n    return self.language_model.put(embed, head)",
    ),
    "keyword only": Sample(
        gap("only", provider("(self, *, scale, bias=None)")),
        "def only(self, *, scale, bias=None):\n    return self.language_model.only(scale=scale, bias=bias)",
    ),
    "async": Sample(
        gap("wait", provider("(self, x)", flavour="async")),
        "async def wait(self, x):\n    return await self.language_model.wait(x)",
    ),
    "generator": Sample(
        gap("items", provider("(self, x)", flavour="generator")),
        "def items(self, x):\n    return (yield from self.language_model.items(x))",
    ),
    "generator handed on": Sample(
        gap("items", provider("(self, x)", flavour="generator")),
        "def items(self, x):\n    return self.language_model.items(x)",
    ),
    "async generator": Sample(
        gap("stream", provider("(self, x)", flavour="asyncgen")),
        "async def stream(self, x):\n    async for item in self.language_model.stream(x):\n        yield item",
    ),
    "context manager": Sample(
        gap("held", provider("(self, x)", flavour="generator", decorators=("contextmanager",))),
        "def held(self, x):\n    return self.language_model.held(x)",
    ),
    "property": Sample(
        gap("start", provider(kind=PROPERTY)), "@property\ndef start(self):\n    return self.language_model.start"
    ),
    "instance attribute": Sample(
        gap("head", provider(kind=INSTANCE)), "@property\ndef head(self):\n    return self.language_model.head"
    ),
    "setter": Sample(
        gap("head", provider(kind=INSTANCE), sites=[site(SiteKind.WRITE)]),
        """@property
def head(self):
    return self.language_model.head

@head.setter
def head(self, value):
    self.language_model.head = value""",
    ),
    "class attribute of an instance": Sample(
        gap("table", provider(kind=VALUE)), "@property\ndef table(self):\n    return self.language_model.table"
    ),
    "class attribute": Sample(gap("table", provider(kind=VALUE)), "table = FullModel.table"),
    "classmethod": Sample(
        gap("made_for", provider("(cls, config)", CLASSMETHOD), sites=[call(1)]),
        """@classmethod
def made_for(cls, config):
    return FullModel.made_for(config.text_config)""",
        MODULE.replace("FullModel(config)", "FullModel(config.text_config, config.quantization)"),
    ),
    "classmethod with a local import": Sample(
        gap("made_for", provider("(cls, config)", CLASSMETHOD), sites=[call(1)]),
        """@classmethod
def made_for(cls, config):
    from stack.models.full import FullModel

    return FullModel.made_for(config)""",
    ),
    "staticmethod": Sample(
        gap("count", provider("(a, b=2)", STATICMETHOD)),
        "@staticmethod\ndef count(a, b=2):\n    return FullModel.count(a, b)",
    ),
    "guarded method": Sample(
        gap("take", provider("(self, x=None)"), optional=True),
        "def take(self, x=None):\n" + GUARD.replace("MEMBER", "take") + "    return delegate.take(x)",
    ),
    "handed out method": Sample(
        gap("take", provider("(self, x=None)"), sites=[site(SiteKind.PROBE)], optional=True),
        "@property\ndef take(self):\n" + GUARD.replace("MEMBER", "take") + "    return delegate.take",
    ),
    "handed out coroutine function": Sample(
        gap("take", provider("(self, x=None)", flavour="async"), sites=[site(SiteKind.PROBE)], optional=True),
        "@property\ndef take(self):\n" + GUARD.replace("MEMBER", "take") + "    return delegate.take",
    ),
    "handed on method": Sample(
        gap("take", replace(provider("(self, x=None)"), handed=True), sites=[site(SiteKind.PROBE)]),
        "@property\ndef take(self):\n    return self.language_model.take",
    ),
    "guarded property": Sample(
        gap("start", provider(kind=PROPERTY), optional=True),
        "@property\ndef start(self):\n" + GUARD.replace("MEMBER", "start") + "    return delegate.start",
    ),
    "guarded setter": Sample(
        gap("head", provider(kind=INSTANCE), sites=[site(SiteKind.WRITE)], optional=True),
        "@property\ndef head(self):\n"
        + GUARD.replace("MEMBER", "head")
        + "    return delegate.head\n\n@head.setter\ndef head(self, value):\n"
        + GUARD.replace("MEMBER", "head")
        + "    delegate.head = value",
    ),
    "deleter": Sample(
        gap("head", provider(kind=INSTANCE), sites=[site(SiteKind.DELETE)]),
        """@property
def head(self):
    return self.language_model.head

@head.deleter
def head(self):
    del self.language_model.head""",
    ),
    "private delegate": Sample(
        gap("take", provider("(self, x)"), attribute="__lm"), "def take(self, x):\n    return self.__lm.take(x)"
    ),
    "two candidates": Sample(
        gap("take", provider("(self, x)"), provider("(self, x)", candidate=OTHER), sites=[call(1)]),
        "def take(self, x):\n    return self.language_model.take(x)",
    ),
    "candidates that differ": Sample(
        gap("take", provider("(self, x, y=1)"), provider("(self, x)", candidate=OTHER), sites=[call(1)]),
        "def take(self, x):\n    return self.language_model.take(x)",
    ),
    "delegate further in": Sample(
        gap("take", provider("(self, x)"), attribute="thinker.language_model"),
        "def take(self, x):\n    return self.thinker.language_model.take(x)",
    ),
}


@dataclass(frozen=True)
class Mutant:
    """`old` in the text of a sample exchanged for `new` ("\\0" is the text's end); the checks that must fail."""

    sample: str
    old: str
    new: str
    caught: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sample's text, broken."""
        right = SAMPLES[self.sample].text + "\0"
        assert right.count(self.old) >= 1, f"{self.old!r} is not in {self.sample}"
        return right.replace(self.old, self.new, 1).rstrip("\0")


MUTANTS = {
    "drop a default": Mutant("plain", "]] = None", "]]", ("signature", "binds")),
    "another default": Mutant("plain", "]] = None", "]] = ()", ("arguments",)),
    "default of another type": Mutant("staticmethod", "b=2", "b=2.0", ("arguments",)),
    "default of another name": Mutant("every kind of parameter", "c=LIMIT", "c=List", ("arguments",)),
    "swap two arguments": Mutant("two of a kind", "(embed, head)\0", "(head, embed)\0", ("arguments",)),
    "swap two parameters": Mutant("two of a kind", "self, embed, head", "self, head, embed", ("signature",)),
    "rename a parameter": Mutant("staticmethod", "(a, b", "(c, b", ("signature", "arguments", "names")),
    "extra parameter": Mutant("no parameters", "pair(self)", "pair(self, extra=None)", ("signature",)),
    "drop a parameter": Mutant("two of a kind", "embed, head", "embed", ("signature", "binds")),
    "leave an argument out": Mutant("keyword only", ", bias=bias", "", ("arguments",)),
    "lose *args": Mutant("every kind of parameter", " *rest, d=d", " d=d", ("arguments",)),
    "lose **kwargs": Mutant("every kind of parameter", ", **more)\0", ")\0", ("arguments",)),
    "positional-only by name": Mutant("every kind of parameter", "a, /, b", "a, b", ("signature",)),
    "keyword-only passed by position": Mutant("keyword only", "scale=scale", "scale", ("arguments",)),
    "keyword-only made positional": Mutant("keyword only", "*, scale", "scale", ("signature",)),
    "truth of an argument": Mutant("guarded method", "take(x)\0", "take(x or ())\0", ("arguments",)),
    "method for property": Mutant("property", "@property\n", "", ("kind",)),
    "property for method": Mutant("no parameters", "def pair", "@property\ndef pair", ("kind",)),
    "forget return": Mutant("no parameters", "return ", "", ("result",)),
    "forget return of a property": Mutant("property", "return ", "", ("result",)),
    "copy the result": Mutant("no parameters", "self.language_model.pair()", "list(self.language_model.pair())", ("result",)),
    "forget await": Mutant("async", "await ", "", ("await",)),
    "forget async": Mutant("async", "async def wait(self, x):\n    return await", "def wait(self, x):\n    return", ("kind",)),
    "generator to list": Mutant("generator handed on", "self.language_model.items(x)\0", "list(self.language_model.items(x))\0", ("iterate",)),
    "generator read ahead": Mutant("generator", "self.language_model.items(x)", "list(self.language_model.items(x))", ("iterate",)),
    "generator without send": Mutant(
        "generator", "return (yield from self.language_model.items(x))", "for i in self.language_model.items(x):\n        yield i", ("iterate",)
    ),
    "async generator awaited": Mutant(
        "async generator", "        yield item", "        return item", ("kind", "iterate")
    ),
    "wrong attribute": Mutant("plain", "self.language_model.take(", "self.model.take(", ("arguments",)),
    "delegate's own body": Mutant("plain", "self.language_model.take(", "self.language_model.model.take(", ("arguments",)),
    "wrong member": Mutant("plain", "language_model.take", "language_model.takes", ("arguments",)),
    "wrong name": Mutant("plain", "def take", "def takes", ("in place",)),
    "wrong member of a property": Mutant("property", "model.start", "model.stop", ("result",)),
    "eager copy": Mutant(
        "property",
        "    return self.language_model.start",
        '    if not hasattr(self, "_start"):\n        self._start = self.language_model.start\n    return self._start',
        ("live",),
    ),
    "swallow an exception": Mutant(
        "no parameters",
        "    return self.language_model.pair()",
        "    try:\n        return self.language_model.pair()\n    except Exception:\n        return None",
        ("exception",),
    ),
    "wrap an exception": Mutant(
        "no parameters",
        "    return self.language_model.pair()",
        "    try:\n        return self.language_model.pair()\n    except Exception as e:\n        raise RuntimeError from e",
        ("exception",),
    ),
    "lie to a probe": Mutant("instance attribute", "self.language_model.head", 'getattr(self.language_model, "head", None)', ("lacking",)),
    "lie to a call": Mutant("no parameters", "self.language_model.pair()", 'getattr(self.language_model, "pair", lambda: None)()', ("lacking",)),
    "call twice": Mutant("no parameters", "    return", "    self.language_model.pair()\n    return", ("arguments",)),
    "setter missing": Mutant("setter", "@head.setter\ndef head(self, value):\n    self.language_model.head = value", "", ("setter",)),
    "setter on the wrapper": Mutant("setter", "self.language_model.head = value", "self._head = value", ("setter",)),
    "setter on another name": Mutant("setter", "model.head = value", "model.tail = value", ("setter",)),
    "deleter missing": Mutant("deleter", "@head.deleter\ndef head(self):\n    del self.language_model.head", "", ("deleter",)),
    "deleter of another name": Mutant("deleter", "del self.language_model.head", "del self.language_model.tail", ("deleter",)),
    "private name of another class": Mutant("private delegate", "self.__lm", "self._Other__lm", ("arguments",)),
    "handed out and called": Mutant("handed out method", "delegate.take", "delegate.take()", ("kind",)),
    "handed out of the body": Mutant("handed out method", "delegate.take", "delegate.model.take", ("kind",)),
    "handed out in a wrapping": Mutant("handed out method", "delegate.take", "lambda x=None: delegate.take(x)", ("kind",)),
    "called where it is to be handed on": Mutant("handed on method", "@property\ndef take(self):\n    return self.language_model.take", "def take(self, x=None):\n    return self.language_model.take(x)", ("kind",)),
    "nothing handed out": Mutant("handed out method", GUARD.replace("MEMBER", "take"), UNGUARDED + "    if delegate is None:\n        return None\n", ("none",)),
    "guard missing": Mutant("guarded method", GUARD.replace("MEMBER", "take"), UNGUARDED, ("none",)),
    "guard returns": Mutant("guarded property", GUARD.replace("MEMBER", "start"), UNGUARDED + "    if delegate is None:\n        return None\n", ("none",)),
    "guard says nothing": Mutant("guarded method", '(f"{self.__class__.__name__} has no take here: its language_model is missing")', "", ("none",)),
    "guard says too little": Mutant("guarded method", "its language_model", "its delegate", ("none",)),
    "guard of a missing attribute forgotten": Mutant("guarded method", 'getattr(self, "language_model", None)', "self.language_model", ("none",)),
    "guard of the setter forgotten": Mutant("guarded setter", GUARD.replace("MEMBER", "head") + "    delegate.head = value", "    self.head_ = value", ("none", "setter")),
    "guard raises something else": Mutant("guarded method", "raise AttributeError", "raise RuntimeError", ("none",)),
    "guard the other way round": Mutant("guarded method", "is None:", "is not None:", ("arguments",)),
    "config not projected": Mutant("classmethod", "config.text_config", "config", ("arguments",)),
    "config projected wrongly": Mutant("classmethod", "text_config", "vision_config", ("arguments",)),
    "config projected without need": Mutant("classmethod with a local import", "made_for(config)\0", "made_for(config.text_config)\0", ("arguments",)),
    "classmethod forgotten": Mutant("classmethod", "@classmethod\n", "", ("arguments",)),
    "class of its own": Mutant("classmethod", "return FullModel.made_for", "return cls.made_for", ("arguments",)),
    "class attribute of another name": Mutant("class attribute", "FullModel.table", "FullModel.tables", ("class",)),
    "one candidate only": Mutant("candidates that differ", "take(x)\0", "take(x, y=1)\0", ("arguments",)),
    "inner holder skipped": Mutant("delegate further in", "thinker.language_model", "language_model", ("arguments",)),
    "unknown name": Mutant("plain", "Optional[List[int]]", "Sequence[int]", ("names",)),
    "unknown name in the body": Mutant("plain", "(layer_ids)", "(torch.tensor(layer_ids))", ("names", "arguments")),
    "decorated": Mutant("plain", "def take", "@typing.final\ndef take", ("source",)),
    "does not parse": Mutant("plain", "return", "retrun", ("compiles",)),
}  # fmt: skip
