"""What a shim must leave alone on an nn.Module."""

from __future__ import annotations

from .bench import Bench, describe, raised_by
from .case import CheckError
from .torchlike import Module, Parameter, Tensor
from .wrappers import hold


def untouched(bench: Bench) -> None:
    """Parameters, buffers and children are listed as without the shim, and other lookups end as before."""
    with_shim, without = _filled(bench, bench.cls), _filled(bench, type(bench.cls.__name__, (Module,), {}))
    for name in ("named_parameters", "named_modules", "state_dict"):
        if _names(with_shim, name) != _names(without, name):
            raise CheckError(f"{name} lists something else than without the shim")
    found = raised_by(lambda: with_shim.shimgen_no_such_member)
    if not isinstance(found, AttributeError) or hasattr(with_shim, "shimgen_no_such_member"):
        raise CheckError(f"a member that nobody has gives {describe(found)} instead of an AttributeError")


def _filled(bench: Bench, cls: type[Module]) -> Module:
    """A module of class `cls` with a delegate that has parameters, buffers and a child."""
    child, holder = Module(), Module()
    child.weight = Parameter()
    held = type(bench.delegate)()
    held.child, held.bias = child, Parameter()
    held.register_buffer("scale", Tensor())
    made = hold(cls(), bench.case.attribute, held)
    made.own, made.sibling = Parameter(), holder
    return made  # type: ignore[no-any-return]


def _names(module: Module, method: str) -> list[str]:
    return [entry if isinstance(entry, str) else entry[0] for entry in getattr(module, method)()]
