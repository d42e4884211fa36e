"""What a command needs to know, as frozen values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from shimgen.model.accepts import Accept
from shimgen.model.domain import Scope
from shimgen.model.profile import Profile
from shimgen.model.source import Baseline

DEFAULT = Scope()
UNSAID = Scope(severity="")


class Pin(msgspec.Struct, frozen=True):
    """The baseline that the user expects. "" means: any. `revision` is the name by which a person knows it."""

    url: str = ""
    revision: str = ""
    commit: str = ""
    digest: str = ""
    version: str = ""

    @property
    def named(self) -> str:
        """What is pinned, as a clause: `commit 0123456789ab (v0.5.9)`."""
        what = f"commit {self.commit[:12]}" if self.commit else f"digest {self.digest[:12]}"
        if not (self.commit or self.digest):
            return f"version {self.version}"
        name = self.revision or self.version
        return f"{what} ({name})" if name else what

    def holds(self, baseline: Baseline, content: Callable[[], str]) -> bool:
        """Whether the baseline is the pinned one: the same commit, or the same Python files wherever they are from.

        `content` gives the digest of the Python files; it is only asked for where the commit does not decide.
        """
        if self.commit and baseline.kind == "git" and baseline.id.startswith(self.commit):
            return True
        if self.version and baseline.version and baseline.version != self.version:
            return False
        return content() == self.digest if self.digest else not self.commit


class Carried(msgspec.Struct, frozen=True):
    """A patch that the user carries besides shimgen's own, as an absolute path; `name` is how the file names it.

    `when`: "before" or "after" the shims.
    """

    patch: Path
    reason: str = ""
    when: str = "before"
    name: str = ""


class Options(msgspec.Struct, frozen=True):
    """What the command line said; empty values leave it to `shimgen.toml`."""

    scope: Scope = UNSAID
    profile: str = ""
    rev: str = ""
    use_cache: bool = True
    verbose: int = 0
    package: str = ""
    python: str = ""


class Settings(msgspec.Struct, frozen=True):
    """All that a command needs to know.

    `profile` None (and `profile_name` "") means that the profile is recognised. `rev` is a git revision to
    read in place of the work tree, or None. `package` is the installed package that is meant in place of `checkout`,
    `python` the stack's own interpreter; each "" when it was not named. `said` is the command line's part of `scope`.
    """

    checkout: Path
    profile: Profile | None = None
    profile_name: str = ""
    scope: Scope = DEFAULT
    pin: Pin | None = None
    rev: str | None = None
    carried: tuple[Carried, ...] = ()
    accepts: tuple[Accept, ...] = ()
    config_path: Path | None = None
    use_cache: bool = True
    verbose: int = 0
    package: str = ""
    python: str = ""
    said: Scope = UNSAID

    @property
    def source(self) -> str:
        """What is analysed, as the user named it."""
        return self.package or str(self.checkout)
