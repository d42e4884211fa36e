"""Gaps -> shims, in another process where that one could get ready while the gaps were looked for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from shimgen import workers
from shimgen.checkout import Checkout
from shimgen.model.domain import FileChange, Gap
from shimgen.model.source import Tree
from shimgen.pipeline.analysis import Found
from shimgen.pipeline.session import Session

if TYPE_CHECKING:
    from shimgen.index import Index


class Shims(msgspec.Struct, frozen=True, array_like=True):
    """The edited files that close gaps, and the gaps that are refused after all."""

    changes: tuple[FileChange, ...] = ()
    refused: tuple[Gap, ...] = ()


class Maker(workers.Standby):
    """Makes shims for the tree of a session: a context manager, outside of which no process is left."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def get_ready(self, program: Index) -> None:
        """Begin the process, which knows the facts that were gathered so far."""

        def prepare() -> None:
            from shimgen.shims import prepare  # what formats and fills templates takes longer to import than to work

            prepare()

        def make(order: bytes) -> bytes:
            gaps = msgspec.msgpack.decode(order, type=tuple[Gap, ...])
            return msgspec.msgpack.encode(_generated(self._session, gaps, program, self._session.tree))

        self.begin(prepare, make)

    def make(self, gaps: Sequence[Gap], found: Found) -> Shims:
        """What is generated for gaps of a tree."""
        sent = None
        if found.tree is self._session.tree:
            with suppress(UnicodeEncodeError):  # a file whose name is no text: what names it cannot be sent
                sent = self.ask(msgspec.msgpack.encode(gaps))
        return msgspec.msgpack.decode(sent, type=Shims) if sent is not None else make_shims(self._session, gaps, found)


def make_shims(session: Session, gaps: Sequence[Gap], found: Found) -> Shims:
    """What is generated for the gaps, in this process."""
    return _generated(session, gaps, found.program, found.tree)


def _generated(session: Session, gaps: Sequence[Gap], program: Index, tree: Tree) -> Shims:
    from shimgen.shims import generate, style_from_pyproject

    style = style_from_pyproject(pyproject(session.checkout))
    return Shims(*generate(gaps, program, tree.read, style))


def pyproject(checkout: Checkout) -> str:
    """The text of the checkout's pyproject.toml, "" when there is none."""
    found = checkout.read("pyproject.toml")
    return found.decode("utf-8", "replace") if found is not None else ""
