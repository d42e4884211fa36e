"""A small analysis to test reports and the command line with."""

from __future__ import annotations

from shimgen.model.domain import (
    ClassRef,
    Decision,
    Delegate,
    Demand,
    FileChange,
    Gap,
    MemberKind,
    Provider,
    Severity,
    Shim,
    Site,
    SiteKind,
    Wrapper,
)
from shimgen.model.facts import Param
from shimgen.model.reason import Reason
from shimgen.model.results import Analysis, Outcome
from shimgen.model.source import Baseline, Stats

__all__ = ["ANALYSIS", "CALL", "CHANGE", "COMPLETE", "FORWARDED", "PATCH", "REFUSED", "SHIM", "WRAPPER", "Outcome"]

DELEGATE = ClassRef("models/delegate.py", "Delegate", 10)
BASE = ClassRef("models/delegate.py", "Base", 5)
WRAPPER = Wrapper(
    ClassRef("models/wrapper.py", "Wrapper", 3),
    Delegate("language_model", ClassRef("models/wrapper.py", "Wrapper", 3), 6, (DELEGATE,)),
)
COMPLETE = Wrapper(
    ClassRef("models/whole.py", "Whole", 1),
    Delegate("inner", ClassRef("models/whole.py", "Whole", 1), 4, (), True, "a factory of the configuration"),
)
CALL = Site("engine/worker.py", 7, SiteKind.CALL, False, "target", "self.runner.model.get_embed_and_head")
PROBE = Site("engine/runner.py", 12, SiteKind.PROBE, True, "any", "model.start_layer", 'hasattr(model, "start_layer")')
FORWARDED = Gap(
    WRAPPER,
    "get_embed_and_head",
    Severity.CRASH,
    Demand("get_embed_and_head", (CALL,), ("eagle3",)),
    Decision.FORWARD,
    (Provider(DELEGATE, BASE, 20, MemberKind.METHOD, (Param("self", "pos"),)),),
)
REFUSED = Gap(
    WRAPPER,
    "start_layer",
    Severity.SILENT,
    Demand("start_layer", (PROBE,), ()),
    Decision.REFUSE,
    reason=Reason.ABSENT,
    advice="set start_layer in the constructor of Wrapper",
)
SHIM = Shim(
    FORWARDED,
    WRAPPER.cls,
    "get_embed_and_head",
    "    def get_embed_and_head(self):\n        return self.language_model.get_embed_and_head()\n",
)
CHANGE = FileChange("models/wrapper.py", b"class Wrapper:\n    pass\n", b"class Wrapper:\n    ...\n", (SHIM,))
PATCH = b"diff --git a/models/wrapper.py b/models/wrapper.py\n"
ANALYSIS = Analysis(
    Baseline("git", "0123456789abcdef0123456789abcdef01234567"),
    "sglang",
    wrappers=(WRAPPER,),
    demands=(FORWARDED.demand, REFUSED.demand),
    gaps=(FORWARDED, REFUSED),
    stats=Stats(1404, 5, 240, 1159, 843, 352162, 0.91, (), (("facts", 0.5), ("gaps", 0.4)), "the cache is full"),
)
