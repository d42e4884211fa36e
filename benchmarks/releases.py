"""Released serving stacks as git checkouts: `python -m benchmarks.releases VERSION... DEST`.

A wheel is downloaded once, by name, version and sha256 (releases.toml), to a cache outside this tree. A checkout is
its Python files, committed to a fresh repository with a fixed author and date: one release has one commit id. Several
versions become one history, each commit tagged with its version ("v0.5.9"); the last one is checked out.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from platformdirs import user_cache_dir

MANIFEST = Path(__file__).with_name("releases.toml")
AUTHOR = {"NAME": "shimgen benchmarks", "EMAIL": "benchmarks@shimgen.invalid", "DATE": "2026-01-01T00:00:00 +0000"}


class ReleaseError(Exception):
    """A release is not listed, or could not be downloaded or unpacked. The message says what to do."""


def exit_code(name: str, measure: Callable[[], Iterable[bool]]) -> int:
    """What a benchmark ends with: 1 when a goal is missed or there is none, 2 when a release is not to be had."""
    try:
        met = list(measure())
        return 0 if met and all(met) else 1
    except (ReleaseError, ValueError) as error:
        print(f"bench-{name}: {error}", file=sys.stderr)
        return 2


@dataclass(frozen=True, slots=True)
class Release:
    """One wheel: what pip is asked for, the file it brings and that file's sha256."""

    name: str
    version: str
    file: str
    sha256: str


def releases(name: str = "sglang") -> tuple[Release, ...]:
    """The listed releases of one package, in the order of the manifest."""
    rows = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["release"]
    return tuple(Release(**row) for row in rows if row["name"] == name)


def find(version: str, name: str = "sglang") -> Release:
    """The listed release of that version. Raises ReleaseError with the versions there are."""
    listed = releases(name)
    for release in listed:
        if release.version == version:
            return release
    known = ", ".join(r.version for r in listed) or "none"
    raise ReleaseError(f"{name} {version} is not in {MANIFEST.name}; listed are: {known}")


def downloads() -> Path:
    """The cache of downloaded wheels (SHIMGEN_DOWNLOADS names another)."""
    return Path(os.environ.get("SHIMGEN_DOWNLOADS") or Path(user_cache_dir("shimgen"), "downloads"))


def fetch(version: str, name: str = "sglang") -> Path:
    """The wheel of a release in the cache, downloaded by pip when it is not there yet.

    Raises ReleaseError when it cannot be downloaded or its sha256 is not the listed one.
    """
    release = find(version, name)
    target = downloads() / release.file
    if target.exists() and _sha256(target) == release.sha256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as folder:
        _download(release, Path(folder))
        wheel = Path(folder, release.file)
        if not wheel.exists():
            found = ", ".join(sorted(p.name for p in Path(folder).iterdir())) or "nothing"
            raise ReleaseError(f"pip brought {found} instead of {release.file}")
        if (digest := _sha256(wheel)) != release.sha256:
            raise ReleaseError(f"{release.file} has sha256 {digest}, and {MANIFEST.name} expects {release.sha256}")
        wheel.replace(target)
    return target


def checkout(version: str, dest: Path, name: str = "sglang") -> Path:
    """Make `dest` (absent, or an empty folder) a git checkout of the release's Python files; returns `dest`.

    All or nothing: `dest` appears when everything is committed. Raises ReleaseError.
    """
    return history((version,), dest, name)


def history(versions: Sequence[str], dest: Path, name: str = "sglang") -> Path:
    """As `checkout`, with a tagged commit for each release, in the order given."""
    if dest.exists() and (not dest.is_dir() or any(dest.iterdir())):
        raise ReleaseError(f"{dest} exists already and is not an empty folder")
    wheels = {version: fetch(version, name) for version in versions}
    dest.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=dest.parent, prefix=".checkout-") as folder:
        work = Path(folder, "work")
        for number, (version, wheel) in enumerate(wheels.items()):
            if number:
                _git(work, "rm", "-r", "--quiet", ".")
            _unpack(wheel, work)
            commit_all(work, f"{name} {version}")
            if len(wheels) > 1:
                _git(work, "tag", f"v{version}")
        work.replace(dest)
    return dest


def commit_all(work: Path, message: str) -> None:
    """Commit everything in a folder, which becomes a repository when it is none. Raises ReleaseError."""
    if not (work / ".git").exists():
        _git(work, "init", "--quiet", "--initial-branch=main", "--template=")
        _git(work, "config", "core.autocrlf", "false")
        _git(work, "config", "gc.auto", "0")
    _git(work, "add", "--all", "--force")
    _git(work, "commit", "--quiet", "--no-verify", "--message", message)


def _download(release: Release, folder: Path) -> None:
    """Let pip download the wheel, whatever Python and machine this is: the source is read, never run."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", *_platform(release.file), "--dest", str(folder)]
    done = subprocess.run([*command, f"{release.name}=={release.version}"], capture_output=True, text=True, check=False)
    if done.returncode:
        cause = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "no output")
        raise ReleaseError(
            f"pip could not download {release.name} {release.version} ({cause}); "
            f"put {release.file} into {downloads()} by hand, or set PIP_INDEX_URL"
        )


def _platform(file: str) -> list[str]:
    """pip's options for the platform in a wheel's name; none for a wheel that suits every machine.

    An abi3 wheel names the oldest Python that can load it, which may be older than what the package asks for.
    """
    python, abi, platform = file.removesuffix(".whl").split("-")[-3:]
    if platform == "any":
        return []
    version = "{}.{}".format(*sys.version_info) if abi == "abi3" else python.removeprefix("cp")
    return ["--implementation", "cp", "--python-version", version, "--abi", abi, "--platform", platform]


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _unpack(wheel: Path, work: Path) -> None:
    """Write the wheel's Python files below `work`. Raises ReleaseError for a name that leads outside."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            path = PurePosixPath(entry.filename)
            if path.suffix != ".py" or entry.is_dir():
                continue
            if path.is_absolute() or ".." in path.parts:
                raise ReleaseError(f"{wheel.name} holds a file outside its folder: {entry.filename}")
            target = work / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(entry))


def _git(work: Path, *arguments: str) -> None:
    """Run git on a repository that neither the user's nor the system's git settings can change."""
    who = {f"GIT_{kind}_{key}": value for kind in ("AUTHOR", "COMMITTER") for key, value in AUTHOR.items()}
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    env = {**inherited, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *arguments], cwd=work, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"git {arguments[0]} failed in {work}: {done.stderr.strip()}")


def main() -> int:
    """Command line: prints the checkout's path; 1 with one line on stderr when there is none."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.releases", description="Unpack a release into DEST.")
    parser.add_argument("versions", nargs="+", metavar="VERSION", help=", ".join(r.version for r in releases()))
    parser.add_argument("dest", type=Path)
    parser.add_argument(
        "--name", default="sglang", help="the package (sglang, vllm); a wheel of vllm has 250 to 500 MB"
    )
    options = parser.parse_args()
    try:
        print(history(options.versions, options.dest, options.name))
    except (ReleaseError, OSError, zipfile.BadZipFile) as error:
        print(f"releases: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
