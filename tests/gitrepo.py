"""Real git repositories to test with. Only this machine's git takes part, none of its user's settings."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SETTINGS = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


@dataclass(frozen=True, slots=True)
class Repo:
    """A work tree in a directory of its own."""

    path: Path

    def git(self, *arguments: str, given: bytes = b"") -> bytes:
        """Run git there, and fail the test when it fails."""
        done = subprocess.run(["git", *arguments], cwd=self.path, input=given, capture_output=True)
        assert done.returncode == 0, f"git {arguments}: {done.stderr.decode()}"
        return done.stdout

    def refuses(self, *arguments: str, given: bytes = b"") -> str:
        """Run git there, and fail the test when it succeeds; returns its complaint."""
        done = subprocess.run(["git", *arguments], cwd=self.path, input=given, capture_output=True)
        assert done.returncode != 0
        return done.stderr.decode()

    def write(self, files: Mapping[str, bytes], executable: bool = False) -> None:
        """Write files, making their folders."""
        for name, content in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o755 if executable else 0o644)

    def commit(self, files: Mapping[str, bytes], executable: bool = False, message: str = "state") -> str:
        """Write files and commit everything; returns the commit."""
        self.write(files, executable)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD").decode().strip()

    def read(self, name: str) -> bytes:
        """The content of a file on the disk."""
        return (self.path / name).read_bytes()

    def snapshot(self) -> dict[str, tuple[bytes, int]]:
        """Content and mode of every file of the work tree, without git's directory."""
        return {
            path.relative_to(self.path).as_posix(): (path.read_bytes(), path.stat().st_mode)
            for path in sorted(self.path.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(self.path).parts
        }


def make_repo(path: Path, files: Mapping[str, bytes] | None = None) -> Repo:
    """A new repository, with a first commit when there are files."""
    path.mkdir(parents=True, exist_ok=True)
    repo = Repo(path)
    repo.git("init", "--quiet", "--initial-branch=main")
    if files is not None:
        repo.commit(files)
    return repo
