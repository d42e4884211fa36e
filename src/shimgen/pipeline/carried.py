"""The patches that the user carries besides: read, found in the checkout, and weighed one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from shimgen.config import Carried
from shimgen.model.carried import CarriedPatch, CarriedState
from shimgen.model.domain import FileChange
from shimgen.model.errors import ConfigError, GenerateError
from shimgen.pipeline.ground import Ground, Layers, shims_in
from shimgen.pipeline.session import Session

if TYPE_CHECKING:
    from shimgen.patch import FilePatch
    from shimgen.shims import ExistingShim


Laid = tuple[CarriedPatch, ...]


class Cargo(msgspec.Struct, frozen=True):
    """A carried patch with what it changes, paths as in the checkout."""

    carried: Carried
    patches: tuple[FilePatch, ...]


def load_cargo(session: Session) -> tuple[Cargo, ...]:
    """The carried patches of the settings. Raises ConfigError when one cannot be read, GenerateError when it is none
    that can be carried."""
    if not session.settings.carried:
        return ()
    from shimgen.patch import read_patch

    loaded = []
    for carried in session.settings.carried:
        try:
            content = carried.patch.read_bytes()
        except OSError as error:
            message = f"the carried patch {carried.name} cannot be read: {error.strerror}"
            raise ConfigError(message, f"correct [[carried]] in {session.settings.config_path}") from error
        patches = read_patch(carried.name, content)
        loaded.append(Cargo(carried, tuple(replace(p, path=_located(session, p.path)) for p in patches)))
    return tuple(loaded)


def _located(session: Session, path: str) -> str:
    """The path as the checkout has it: patches are relative to the top of the repository that they were made in."""
    package = f"{session.profile.package}/"
    inside = path.find(package) if path.startswith(package) or f"/{package}" in path else -1
    moved = [session.root + path[inside:]] if inside >= 0 else []
    places = [path.removeprefix(session.checkout.prefix), path, *moved]
    return next((place for place in places if session.checkout.read(place) is not None), places[0])


def lay(cargo: Sequence[Cargo], when: str, layers: Layers) -> tuple[CarriedPatch, ...]:
    """Weigh the patches that come before or after the shims, each on what the ones before it left, and put what they
    change on top. A patch that conflicts changes nothing."""
    due = [load for load in cargo if load.carried.when == when]
    if not due:
        return ()
    from shimgen.patch import weigh

    done = []
    for load in due:
        paths = tuple(patch.path for patch in load.patches)
        now = {path: content for path in paths if (content := layers.read(path)) is not None}
        found = weigh(load.patches, now)
        changes = tuple(FileChange(path, now[path], content) for path, content in found.contents.items())
        layers.put(found.contents)
        name, reason, first = load.carried.name, load.carried.reason, when == "before"
        counts = (found.hunks, found.there)
        done.append(CarriedPatch(name, reason, first, found.state, paths, changes, found.conflicts, *counts))
    return tuple(done)


def stands(load: Cargo, session: Session) -> bool:
    """Whether the checkout as it stands has all of a patch."""
    from shimgen.patch import weigh

    now = {patch.path: content for patch in load.patches if (content := session.read(patch.path)) is not None}
    return weigh(load.patches, now).state is CarriedState.THERE


def lacking(cargo: Sequence[Cargo], laid: Sequence[CarriedPatch], session: Session) -> bool:
    """Whether the checkout as it stands lacks some patch that could be made."""
    makeable = {patch.name for patch in laid if patch.changes}
    return not all(stands(load, session) for load in cargo if load.carried.name in makeable)


def settled(session: Session, ground: Ground, cargo: Sequence[Cargo], first: Sequence[CarriedPatch]) -> Laid | None:
    """How the carried patches fare where all of them stand in the checkout, and nothing else of an earlier run does
    besides shims; None otherwise, or where that is not seen at once."""
    if not all(stands(load, session) for load in cargo):
        return None
    found = partial(shims_in, session)
    if any(bare(path, session.read(path) or b"", cargo, found) != content for path, content in ground.known.items()):
        return None
    last = []
    for load in (load for load in cargo if load.carried.when == "after"):
        paths = tuple(patch.path for patch in load.patches)
        state = CarriedState.APPLIES if ground.known.keys() & set(paths) else CarriedState.THERE
        hunks = sum(len(patch.hunks) for patch in load.patches)
        last.append(CarriedPatch(load.carried.name, load.carried.reason, False, state, paths, hunks=hunks))
    return tuple(replace(patch, stands=True) for patch in (*first, *last))


def bare(
    path: str,
    content: bytes,
    cargo: Sequence[Cargo],
    found: Callable[[bytes], Sequence[ExistingShim]] | None = None,
) -> bytes:
    """A content without the shims (as `found` knows them) and the carried patches that stand in it in whole."""
    from shimgen.patch import Conflict, apply_exact, reverse
    from shimgen.shims import find_shims, remove_shims

    def without(when: str, content: bytes) -> bytes:
        for load in reversed([load for load in cargo if load.carried.when == when]):
            for patch in (patch for patch in load.patches if patch.path == path):
                result = apply_exact(reverse(patch), content)
                content = content if isinstance(result, Conflict) else result
        return content

    late = without("after", content)
    return without("before", remove_shims(late, (found or find_shims)(late)))


def refuse_conflicts(carried: Sequence[CarriedPatch]) -> None:
    """Raises GenerateError that names every patch that conflicts: file, hunk, and what stands there now."""
    wrong = [patch for patch in carried if patch.state is CarriedState.CONFLICTS]
    if wrong:
        lines = [f"the carried patch {patch.name} {patch.sentence}" for patch in wrong]
        hint = f"make {wrong[0].name} anew for this source, or take it out of shimgen.toml"
        raise GenerateError("\n".join([*lines[:-1], f"{lines[-1]}; nothing was changed"]), hint)
