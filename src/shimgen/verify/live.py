"""Asks the real classes, in the serving stack's own interpreter, with the edited files imported from memory."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from pathlib import Path

from shimgen.model.domain import ClassRef, FileChange, MemberKind, Shim
from shimgen.model.results import Proof
from shimgen.verify.cases import promise
from shimgen.verify.process import HOME, converse

BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from probe.main import main; sys.path.pop(0); main()"
# Importing a serving stack takes a minute and more where its libraries are not in the page cache.
PATIENCE = 900.0


def live(
    changes: Sequence[FileChange],
    checkout: Path,
    root: str,
    python: str,
    stubs: Sequence[str] = (),
    seconds: float = PATIENCE,
) -> tuple[Proof, ...]:
    """Proofs of every shim in `changes` by the classes that `python` imports from `checkout`.

    `root` is the prefix under which the package stands in the checkout ("" or "python/"), `stubs` names modules
    that are replaced because this machine can not have them. The checkout's code runs in a process of its own, with
    the user's environment; nothing of the checkout is written. Never raises for what that code does.
    """
    shims = [shim for change in changes for shim in change.shims]
    request = {
        "folder": str(checkout / root),
        "edited": {str(checkout / c.path): base64.b64encode(c.after).decode() for c in changes},
        "stubs": list(stubs),
        "shims": [_asked(shim, root) for shim in shims],
    }
    if not shims:
        return ()
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    results = converse("probe", [python, "-c", BOOT, str(HOME)], request, len(shims), seconds, environment)
    return tuple(
        Proof(shim.place, shim.member, r.check, r.passed, r.detail)
        for shim, found in zip(shims, results, strict=True)
        for r in found
    )


def _asked(shim: Shim, root: str) -> dict[str, object]:
    """A shim as the probe reads it."""
    wrapper = shim.gap.wrapper
    assigned = {p.candidate for p in shim.gap.providers if p.kind is MemberKind.INSTANCE}
    return {
        "wrapper": _named(wrapper.cls, root),
        "place": _named(shim.place, root),
        "candidates": [_named(c, root) for c in wrapper.delegate.candidates],
        "assigned": [c in assigned for c in wrapper.delegate.candidates],
        "member": shim.member,
        "attribute": wrapper.delegate.attribute,
        "optional": wrapper.delegate.optional,
        "handed": shim.gap.handed,
        "recipe": promise(shim.gap),
        "base": _named(shim.gap.protocol, root) if shim.gap.takes_base and shim.gap.protocol is not None else None,
    }


def _named(ref: ClassRef, root: str) -> tuple[str, str]:
    """The module and the qualified name by which a class is imported."""
    path = ref.path.removeprefix(root).removesuffix(".py").removesuffix("/__init__")
    return path.replace("/", "."), ref.name
