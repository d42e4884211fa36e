"""What a person calls the baseline: tag, date, remote. Only for series and the config file; not fast."""

from __future__ import annotations

import msgspec

from shimgen.checkout.command import GitError, ask, git, paths_in
from shimgen.checkout.opening import Checkout
from shimgen.checkout.repository import Repository, commit_named


class Identity(msgspec.Struct, frozen=True):
    """Names of a baseline; all "" where unknown. `date` is an RFC 2822 date, `remote` a URL without credentials, and
    `author` who uses git here, as a mail names people."""

    described: str = ""
    date: str = ""
    remote: str = ""
    version: str = ""
    author: str = ""


def identify(checkout: Checkout) -> Identity:
    """The names of the commit that the checkout is read at, or of the installed version."""
    repository = checkout.repository
    if repository is None:
        return Identity(version=checkout.version)
    commit = checkout.revision or repository.head
    return Identity(
        described=_say(repository, "describe", "--tags", "--always", commit),
        date=_say(repository, "log", "-1", "--no-show-signature", "--format=%cD", commit),
        remote=_remote(repository),
        author=_author(repository),
    )


class Distance(msgspec.Struct, frozen=True):
    """How far the commit read is from another: commits that only it has, that only the other has, and the paths of the
    files that differ (below the checkout's directory, relative to it)."""

    ahead: int
    behind: int
    files: tuple[str, ...]


def distance(checkout: Checkout, commit: str) -> Distance | None:
    """How the commit that the checkout is read at differs from `commit`; None where git does not know that one."""
    repository = checkout.repository
    if repository is None:
        return None
    here = checkout.revision or repository.head
    other = commit_named(repository.folder, commit)
    if not other:
        return None
    try:
        counts = git(repository.folder, "rev-list", "--left-right", "--count", f"{other}...{here}")
        names = git(
            repository.folder, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--relative", other, here
        )
    except GitError:
        return None
    behind, ahead = map(int, counts.split())
    return Distance(ahead, behind, tuple(paths_in(names)))


def release_name(checkout: Checkout) -> str:
    """The release that the source says it is: the installed version, or what the nearest tag is called; else ""."""
    repository = checkout.repository
    if repository is None:
        return checkout.version
    return _say(repository, "describe", "--tags", checkout.revision or repository.head)


def _say(repository: Repository, *arguments: str) -> str:
    return ask(repository.folder, *arguments, errors="replace")


def _author(repository: Repository) -> str:
    name, email = (_say(repository, "config", "--get", f"user.{key}") for key in ("name", "email"))
    return f"{name} <{email}>" if name and email else ""


def _remote(repository: Repository) -> str:
    import git as gitpython  # slow to import, and only this needs it

    with gitpython.Repo(repository.gitdir if repository.bare else repository.toplevel) as repo:
        settings = repo.config_reader()
        remotes = sorted(name for name in settings.sections() if name.startswith('remote "'))
        preferred = [name for name in remotes if name == 'remote "origin"'] or remotes
        url = str(settings.get_value(preferred[0], "url", "")) if preferred else ""
    return _without_credentials(url)


def _without_credentials(url: str) -> str:
    from urllib.parse import urlsplit, urlunsplit  # slow to import, as is all that only this module needs

    parts = urlsplit(url)
    if not parts.scheme or "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
