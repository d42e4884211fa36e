"""A stub is importable, and bears what modules do with native code while they are imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Optional

import pytest

from shimgen.verify.probe.imports import Stub, StubError, import_stubs


@pytest.fixture
def native() -> Iterator[Any]:
    import_stubs(["shimgen_native"])
    finder = sys.meta_path[0]
    import shimgen_native  # type: ignore[import-not-found]

    yield shimgen_native
    sys.meta_path.remove(finder)
    for name in [n for n in sys.modules if n.partition(".")[0] == "shimgen_native"]:
        del sys.modules[name]


def test_modules_below_it_are_found(native: Any) -> None:
    import shimgen_native.deep.down as down  # type: ignore[import-not-found]
    from shimgen_native.deep import kernel

    assert isinstance(kernel, Stub)
    assert isinstance(down.anything, Stub)
    assert native.first is native.first


def test_other_modules_are_not(native: Any) -> None:
    with pytest.raises(ModuleNotFoundError):
        __import__("shimgen_native_other")


def test_decorators(native: Any) -> None:
    def function() -> int:
        return 3

    assert native.jit(function) is function
    assert native.jit(warps=4)(function) is function
    assert native.jit(int) is int


def test_bases(native: Any) -> None:
    class One(native.Base, flag=True):  # type: ignore[misc, call-arg]
        pass

    class Two(native.Base, native.Other, dict):  # type: ignore[misc, type-arg]
        pass

    assert isinstance(One(), One)
    assert Two(a=1) == {"a": 1}


def test_annotations_and_operators(native: Any) -> None:
    kinds = [native.tensor | None, None | native.tensor, Optional[native.tensor], native.array[int]]  # noqa: UP045
    assert all(kind is not None for kind in kinds)
    assert not isinstance(3, native.tensor)
    assert not issubclass(int, native.tensor)
    assert list(native.devices) == []
    assert not native.available
    assert not native.version >= (1, 2)


def test_a_stub_knows_no_facts(native: Any) -> None:
    with pytest.raises(StubError, match="can not say"):
        native.device_count()
    with pytest.raises(AttributeError):
        _ = native.__wrapped__
    assert native.__version__ == "0.0.0"
