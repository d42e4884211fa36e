"""A patch that others wrote x the files as they are -> applies, already there, partly there, or conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from shimgen.model.carried import CarriedState, HunkConflict
from shimgen.model.source import blob_id
from shimgen.patch.apply import apply_exact
from shimgen.patch.diff import split_lines
from shimgen.patch.reader import UNKNOWN_ID, context_of
from shimgen.patch.values import Conflict, FilePatch, Hunk, reverse


class Weighed(msgspec.Struct, frozen=True):
    """How a patch fares. `contents` are the files that it changes, afterwards; none when it conflicts."""

    state: CarriedState
    contents: Mapping[str, bytes]
    conflicts: tuple[HunkConflict, ...]
    hunks: int
    there: int


def weigh(patches: Sequence[FilePatch], contents: Mapping[str, bytes]) -> Weighed:
    """How a patch fares on these files; a file that is not among them is not there.

    Never fuzzily and never in part: every hunk is found complete and in one place, either as it is to be changed or
    as it is afterwards, or the whole patch conflicts.
    """
    context = context_of(patches)
    results = [_file(patch, contents.get(patch.path), context) for patch in patches]
    conflicts = tuple(conflict for result in results for conflict in result.conflicts)
    hunks, there = sum(len(patch.hunks) for patch in patches), sum(result.there for result in results)
    changed = {p.path: r.content for p, r in zip(patches, results, strict=True) if r.content != contents.get(p.path)}
    if conflicts:
        return Weighed(CarriedState.CONFLICTS, {}, conflicts, hunks, there)
    state = CarriedState.THERE if there == hunks else CarriedState.PARTLY if there else CarriedState.APPLIES
    return Weighed(state, changed, (), hunks, there)


class _Result(msgspec.Struct, frozen=True):
    content: bytes
    there: int = 0
    conflicts: tuple[HunkConflict, ...] = ()


def _file(patch: FilePatch, content: bytes | None, context: int) -> _Result:
    if content is None:
        return _Result(b"", conflicts=(HunkConflict(patch.path, 0, 1, "there is no such file"),))
    now = blob_id(content)
    forward, backward = apply_exact(patch, content, context), apply_exact(reverse(patch), content, context)
    if now.startswith(patch.old_id) and not isinstance(forward, Conflict):
        return _Result(forward)
    if isinstance(forward, Conflict) and not isinstance(backward, Conflict):
        return _Result(content, len(patch.hunks))
    if not isinstance(forward, Conflict) and isinstance(backward, Conflict):
        return _Result(forward)
    return _by_hunk(patch, content, context)


def _by_hunk(patch: FilePatch, content: bytes, context: int) -> _Result:
    """Each hunk by itself: those that are to be made are then made together."""
    missing: list[Hunk] = []
    conflicts: list[HunkConflict] = []
    for number, hunk in enumerate(patch.hunks, 1):
        single = replace(patch, old_id=UNKNOWN_ID, new_id=UNKNOWN_ID, hunks=(hunk,))
        forward, backward = apply_exact(single, content, context), apply_exact(reverse(single), content, context)
        if isinstance(forward, Conflict) and isinstance(backward, Conflict):
            conflicts.append(_conflict(forward, number, content))
        elif not (isinstance(forward, Conflict) or isinstance(backward, Conflict)):
            why = "it could be made, and stands in another place already"
            conflicts.append(HunkConflict(patch.path, hunk.old_at + 1, number, why))
        elif not isinstance(forward, Conflict):
            missing.append(hunk)
    there = len(patch.hunks) - len(missing) - len(conflicts)
    if conflicts:
        return _Result(content, there, tuple(conflicts))
    together = apply_exact(replace(patch, old_id=UNKNOWN_ID, hunks=tuple(missing)), content, context)
    if isinstance(together, Conflict):
        first = patch.hunks.index(missing[0]) + 1
        return _Result(content, there, (_conflict(together, first, content),))
    return _Result(together, there)


def _conflict(conflict: Conflict, hunk: int, content: bytes) -> HunkConflict:
    lines = split_lines(content)
    found = lines[conflict.line - 1].decode("utf-8", "replace").strip() if conflict.line <= len(lines) else ""
    stands = found if conflict.reason.startswith("expected") else ""
    return HunkConflict(conflict.path, conflict.line, hunk, conflict.reason, stands)
