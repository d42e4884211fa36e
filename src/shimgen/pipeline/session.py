"""What every command starts from: the checkout, opened and recognised."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from shimgen import checkout as baseline
from shimgen.cache import Cache, Store, default_folder
from shimgen.checkout import Checkout
from shimgen.config import Settings
from shimgen.model.errors import BaselineError, ConfigError
from shimgen.model.profile import Profile
from shimgen.model.results import Analysis, Recognition
from shimgen.model.source import Tree
from shimgen.pipeline.memory import Memory
from shimgen.profiles import load, names
from shimgen.profiles import recognise as recognise_stack

if TYPE_CHECKING:
    from shimgen.index import Index


class Clock:
    """Wall seconds of each stage of one run, in the order in which they first ran."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}

    @property
    def stages(self) -> tuple[tuple[str, float], ...]:
        """The stages and their seconds."""
        return tuple((name, round(seconds, 3)) for name, seconds in self._spent.items())

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time that the block takes; a stage that runs twice counts once, with all its time."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._spent[name] = self._spent.get(name, 0.0) + time.perf_counter() - started


class Session(msgspec.Struct, frozen=True):
    """One checkout, opened and recognised: what every command starts from. `recovered`: what was done about a run
    that was killed; `notes`: what a person should know of the checkout besides."""

    settings: Settings
    checkout: Checkout
    tree: Tree
    profile: Profile
    root: str
    store: Store
    memory: Memory
    clock: Clock
    recovered: str = ""
    notes: tuple[str, ...] = ()

    def index(self, tree: Tree, like: Index | None = None) -> Index:
        """The index of the checkout's tree, or of another that shares its blobs and has an index `like` it."""
        from shimgen.index import Index  # which is not needed for what is remembered

        return Index(tree, self.profile, self.root, self.store, like)

    def read(self, path: str) -> bytes | None:
        """The content of a file of any kind as it stands, None when there is none."""
        return self.tree.read(path) if path in self.tree.blobs else self.checkout.read(path)


def open_session(settings: Settings, other: Session | None = None, writes: bool = False) -> Session:
    """Opens the checkout and settles the profile; facts are shared with another session of the same profile.

    For a command that `writes`, what a killed run left open is ended first; the others only tell of it. Raises
    BaselineError and ConfigError.
    """
    clock = Clock()
    with clock.stage("checkout"):
        opened = open_source(settings)
        recovered = baseline.recover(opened) if writes else None
        notes = tuple(filter(None, (baseline.interrupted(opened),))) if opened.touched else ()
        tree = opened.tree()
        profile, root = _profile(settings, opened, tree)
    shared = other is not None and other.profile == profile
    store = other.store if other is not None and shared else Store(profile, _cache(settings))
    memory = Memory(store, profile, root)
    return Session(settings, opened, tree, profile, root, store, memory, clock, recovered or "", notes)


def open_source(settings: Settings) -> Checkout:
    """What the settings name: a checkout, or an installed package. Raises BaselineError and ConfigError."""
    if settings.package and settings.rev:
        message = f"{settings.package} is an installed package, so it has no revision {settings.rev!r}"
        raise BaselineError(message, "name a git checkout of it in place of the package")
    if settings.package:
        return baseline.open_package(settings.package, settings.python)
    return baseline.open_checkout(settings.checkout, settings.rev)


def _cache(settings: Settings) -> Cache | None:
    """The facts of earlier runs, None when the user or the machine has no place for them."""
    folder = default_folder() if settings.use_cache else None
    return Cache(folder) if folder is not None else None


def recognise(settings: Settings) -> Recognition:
    """What the checkout is. Raises BaselineError and ConfigError."""
    session = open_session(settings)
    identity = baseline.identify(session.checkout)
    said = settings.rev if settings.rev and not session.tree.baseline.id.startswith(settings.rev) else ""
    found = replace(session.tree.baseline, version=session.tree.baseline.version or identity.version)
    digest = session.checkout.digest()
    return Recognition(found, session.profile.name, session.root, identity.remote, said or identity.described, digest)


def _profile(settings: Settings, checkout: Checkout, tree: Tree) -> tuple[Profile, str]:
    found = recognise_stack(tree.blobs)
    where = f"{settings.source} at {settings.rev}" if settings.rev else settings.source
    if settings.profile is None and not found:
        message = f"no serving stack that shimgen knows was found in {where}"
        top = f" (the repository begins at {checkout.place.base})" if checkout.prefix else ""
        raise ConfigError(message, f"name the folder that holds it{top}, or --profile {' | '.join(names())}")
    profile = settings.profile or load(found[0][0])
    roots = [root for known, root in found if known == profile.name]
    if profile.recognise and not roots:
        wanted = f"{profile.package}/{profile.recognise[0]}"
        message = f"{where} holds no {profile.name}: {wanted} is not there"
        raise ConfigError(message, "name the folder that holds it, or another --profile")
    return profile, roots[0] if roots else ""


def timed(session: Session, analysis: Analysis) -> Analysis:
    """The analysis with the time that all stages of the run took, and what is to be told of the checkout."""
    from shimgen.pipeline.pins import pin_fault  # which looks at sessions

    fault = pin_fault(session)
    notes = (*session.notes, f"{fault.sentence}; next: {fault.command}") if fault else session.notes
    release = session.tree.baseline.version
    if not release and any(isinstance(accept.until, str) for accept in session.settings.accepts):
        release = baseline.release_name(session.checkout)
    stats = replace(analysis.stats, stages=session.clock.stages)
    return replace(analysis, stats=stats, notes=(*notes, *analysis.notes), release=release)
