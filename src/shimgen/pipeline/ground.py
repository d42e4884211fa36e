"""The source without anything of shimgen's: what its work is made on, again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from shimgen import checkout as baseline
from shimgen.model.domain import FileChange
from shimgen.model.facts import MARKER
from shimgen.pipeline.session import Session

if TYPE_CHECKING:
    from shimgen.shims import ExistingShim


class Ground(msgspec.Struct, frozen=True):
    """Contents without anything of shimgen's, of the files in which something stands, and the shims found in them.
    `known` are those contents that the journal has."""

    session: Session
    contents: Mapping[str, bytes]
    shims: Mapping[str, tuple[ExistingShim, ...]]
    known: Mapping[str, bytes]

    def read(self, path: str) -> bytes | None:
        """The content of a file of any kind, None when there is none."""
        found = self.contents.get(path)
        return self.session.read(path) if found is None else found


class Layers(msgspec.Struct, frozen=True):
    """Contents over contents: what has been changed so far, over what is there (None for what is not there)."""

    below: Callable[[str], bytes | None]
    changed: dict[str, bytes] = msgspec.field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        """The content as it is so far."""
        found = self.changed.get(path)
        return self.below(path) if found is None else found

    def put(self, contents: Mapping[str, bytes]) -> None:
        """Change contents."""
        self.changed.update(contents)


def find_ground(session: Session, marked: Sequence[str]) -> Ground:
    """What stands in the checkout, in whose files `marked` a marker of shimgen's is, and the contents without it.

    What apply wrote and nobody has touched since is known from its journal. Elsewhere, in a clone to which the shims
    were committed (also before that apply), they are known by their markers.
    """
    found = baseline.origins(session.checkout) if session.checkout.touched else {}
    sources = session.tree.load(marked) if marked else {}
    shims = {path: shims_in(session, sources[path]) for path in marked}
    known = {path: _without_shims(content, shims_in(session, content)) for path, content in found.items()}
    without = {path: _without_shims(sources[path], shims[path]) for path in marked if path not in known}
    return Ground(session, {**without, **known}, shims, known)


def _without_shims(content: bytes, shims: Sequence[ExistingShim]) -> bytes:
    from shimgen.shims import remove_shims

    return remove_shims(content, shims) if shims else content


def shims_in(session: Session, content: bytes) -> tuple[ExistingShim, ...]:
    """The shims in a file, by its bytes; those of a file that was looked through before are known."""
    if MARKER.encode() not in content:
        return ()
    from shimgen.shims import ExistingShim, find_shims

    return session.memory.once_for(tuple[ExistingShim, ...], content, lambda: find_shims(content))


def edits(
    ends: Mapping[str, bytes], start: Callable[[str], bytes | None], changes: Sequence[FileChange]
) -> tuple[FileChange, ...]:
    """The files that are there and do not `start` as they are to end, sorted, each with those of its shims in `changes`
    that it does not have yet."""
    shims = {change.path: change.shims for change in changes}
    begins = ((path, start(path)) for path in sorted(ends))
    return tuple(
        FileChange(path, before, ends[path], tuple(s for s in shims.get(path, ()) if s.text.encode() not in before))
        for path, before in begins
        if before is not None and before != ends[path]
    )


def python_only(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """The contents that an analysis is about."""
    return {path: content for path, content in contents.items() if path.endswith(".py")}
