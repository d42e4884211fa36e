"""Decorators that a plain forward may pass over: they change how the provider runs, not how it is called."""

from __future__ import annotations

from shimgen.model.domain import Provider
from shimgen.model.program import Program
from shimgen.model.reason import Reason
from shimgen.shims.refusal import RefusedError

_BUILTIN = frozenset({"property", "classmethod", "staticmethod"})
# By their import names: of Python, and of PyTorch.
_TRANSPARENT = frozenset(
    {f"functools.{name}" for name in ("cached_property", "cache", "lru_cache", "wraps")}
    | {f"contextlib.{name}" for name in ("contextmanager", "asynccontextmanager")}
    | {f"{m}.{name}" for m in ("typing", "typing_extensions") for name in ("final", "override", "no_type_check")}
    | {"abc.abstractmethod", "warnings.deprecated", "typing_extensions.deprecated"}
    | {f"torch.{name}" for name in ("no_grad", "enable_grad", "inference_mode", "compile", "autocast")}
    | {f"torch.jit.{name}" for name in ("ignore", "unused", "export")}
    | {"torch.compiler.disable", "torch._dynamo.disable", "torch.profiler.record_function"}
)


def check_decorators(provider: Provider, program: Program) -> None:
    """Raises RefusedError for a decorator that may change the member's parameters."""
    for text in provider.decorators:
        dotted = text.partition("(")[0]
        known = dotted in _BUILTIN or dotted.endswith(".setter")
        if not known and program.resolve(provider.cls.path, dotted).name not in _TRANSPARENT:
            raise RefusedError(Reason.DECORATED, {"decorator": f"@{text}"})
