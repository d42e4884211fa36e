"""Decorators that change how a body runs and not what binds: a forward reaches the decorated member."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shimgen.model.program import Program

_BUILTIN = frozenset(("property", "classmethod", "staticmethod"))
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


def opaque(program: Program, path: str, decorators: Iterable[str]) -> Iterator[str]:
    """Those of the decorators in a file that may change what binds."""
    for text in decorators:
        dotted = text.partition("(")[0]
        if dotted not in _BUILTIN and program.resolve(path, dotted).name not in _TRANSPARENT:
            yield text
