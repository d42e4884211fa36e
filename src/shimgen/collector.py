"""Python's cycle collector, switched off where it costs much and finds nothing."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_off() -> Iterator[None]:
    """Parsing makes millions of objects and no cycles that matter: the collector costs a third of the time.

    What was made is kept out of its sight afterwards, too: else it would look through all of it at once.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()
            gc.enable()
