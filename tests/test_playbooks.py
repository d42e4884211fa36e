"""examples/playbooks, run for real on a stack of two releases, on this machine and without any of its settings."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.gitrepo import SETTINGS
from tests.wheels import install

ROOT = Path(__file__).parents[1]
PLAYBOOKS = ROOT / "examples" / "playbooks"
BEFORE = ROOT / "fixtures" / "mini" / "before"
PICTURE = "python/sglang/srt/models/picture.py"
PLAIN = "python/sglang/srt/models/plain.py"
OLD_SHIM = b"def set_embed_and_head(self, embed, head):\n"
NEW_SHIM = b"def set_embed_and_head(self, embed, head, tied=False):\n"
RECAP = re.compile(r"^localhost +: (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class World:
    """A clone of a stack with two releases, an operations folder for each, and a `shimgen` on the path."""

    folder: Path
    environment: dict[str, str]

    @property
    def stack(self) -> Path:
        return self.folder / "stack"

    def run(self, *words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        texts = [str(word) for word in words]
        where = cwd or self.folder
        return subprocess.run(texts, cwd=where, env=self.environment, capture_output=True, text=True)

    def do(self, *words: object, cwd: Path | None = None) -> str:
        done = self.run(*words, cwd=cwd)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def play(self, revision: str, *options: str, **variables: Any) -> tuple[subprocess.CompletedProcess[str], Any]:
        """Run the playbook; also returns its recap."""
        said = {"stack": str(self.stack), "revision": revision, "ops": str(self.folder / "ops" / revision), **variables}
        program = Path(sys.executable).with_name("ansible-playbook")
        done = self.run(program, PLAYBOOKS / "upgrade.yml", "-e", json.dumps(said), *options)
        recap = RECAP.search(done.stdout)
        assert recap, done.stdout + done.stderr
        return done, {key: int(value) for key, value in (part.split("=") for part in recap[1].split())}

    def snapshot(self) -> dict[str, bytes]:
        """The work tree, its commit, and the configurations that the playbook keeps."""
        paths = [*self.stack.rglob("*"), *Path(f"{self.stack}.shimgen").rglob("*")]
        kept = [path for path in paths if path.is_file() and ".git" not in path.parts]
        head = self.do("git", "rev-parse", "HEAD", cwd=self.stack)
        return {"HEAD": head.encode(), **{str(path): path.read_bytes() for path in kept}}


def shims(world: World) -> bytes:
    return (world.stack / PICTURE).read_bytes()


def world_in(folder: Path) -> World:
    """A world that knows nothing of this machine's settings."""
    ansible = {"HOME": folder / "ansible", "LOCAL_TEMP": folder / "temp", "REMOTE_TEMP": folder / "remote"}
    quiet = {
        "NOCOLOR": "1",
        "LOCALHOST_WARNING": "0",
        "INVENTORY_UNPARSED_WARNING": "0",
        "DEPRECATION_WARNINGS": "0",
        "PIPELINING": "1",
    }
    environment = {
        **SETTINGS,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder / "home"),
        "LC_ALL": "C.UTF-8",
        "SHIMGEN_CACHE_DIR": str(folder / "cache"),
        **{f"ANSIBLE_{key}": str(value) for key, value in (ansible | quiet).items()},
    }
    return World(folder, environment)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The stack is at v1 with its shims; v2, where a signature changed, was not fetched yet."""
    made = world_in(tmp_path_factory.mktemp("built"))
    bin_ = made.folder / "bin"
    bin_.mkdir()
    script = f'#!/bin/sh\nPYTHONPATH="{ROOT / "src"}" exec "{sys.executable}" -m shimgen "$@"\n'
    (bin_ / "shimgen").write_text(script)
    (bin_ / "shimgen").chmod(0o755)
    (bin_ / "python").symlink_to(sys.executable)
    upstream = made.folder / "upstream"
    shutil.copytree(BEFORE, upstream)
    made.do("git", "init", "--quiet", "--initial-branch=main", upstream)
    release(made, "v1")
    made.do("git", "clone", "--quiet", upstream, made.stack)
    source = (upstream / PLAIN).read_bytes()
    assert OLD_SHIM in source
    (upstream / PLAIN).write_bytes(source.replace(OLD_SHIM, NEW_SHIM))
    release(made, "v2")
    made.do("shimgen", "apply", made.stack)
    assert OLD_SHIM in shims(made)
    return made


@pytest.fixture
def world(tmp_path: Path, built: World) -> World:
    """The same anew for each test."""
    shutil.copytree(built.folder, tmp_path / "world", symlinks=True)
    return world_in(tmp_path / "world")


def release(world: World, tag: str) -> None:
    """Commit and tag, and pin that in an operations folder."""
    upstream, ops = world.folder / "upstream", world.folder / "ops" / tag
    for words in (["add", "--all"], ["commit", "--quiet", "--message", tag], ["tag", tag]):
        world.do("git", *words, cwd=upstream)
    ops.mkdir(parents=True)
    pinned = world.do("git", "rev-parse", "HEAD", cwd=upstream).strip()
    (ops / "shimgen.toml").write_text(f'profile = "sglang"\n\n[pin]\nrevision = "{tag}"\ncommit = "{pinned}"\n')


def test_ansible_rolls_back_and_checks_without_changing_anything(world: World) -> None:
    before = world.snapshot()
    done, recap = world.play("v2", verify_command=["sh", "-c", "echo the server does not start >&2; exit 7"])
    assert (done.returncode, recap["failed"], recap["rescued"]) == (2, 1, 1)
    assert re.search(r"Verify.{1,4}failed: the server does not start Rolled back to", " ".join(done.stdout.split()))
    assert world.snapshot() == before
    assert b"# shimgen: " in shims(world)
    assert world.do("shimgen", "diff", world.stack) == ""

    done, recap = world.play("v2", "--check")
    assert (done.returncode, recap["changed"]) == (0, 1)
    assert NEW_SHIM.decode().strip() in done.stdout
    assert world.snapshot() == before


def test_ansible_upgrades_once(world: World) -> None:
    done, recap = world.play("v2")
    assert (done.returncode, recap["failed"], recap["rescued"]) == (0, 0, 0), done.stdout
    assert recap["changed"] > 0
    assert NEW_SHIM in shims(world)
    after = world.snapshot()
    assert after["HEAD"] == world.do("git", "rev-parse", "v2", cwd=world.stack).encode()

    done, recap = world.play("v2")
    assert (done.returncode, recap["changed"], recap["failed"]) == (0, 0, 0)
    assert world.snapshot() == after


def test_the_makefile(world: World) -> None:
    def make(target: str, *variables: str) -> str:
        return world.do("make", "-s", "-f", PLAYBOOKS / "Makefile", target, "STACK=stack", *variables)

    make("revert")
    make("pin")
    world.do("git", "fetch", "--quiet", "--tags", cwd=world.stack)
    assert "+    def get_embed_and_head(self):" in make("plan")
    assert PICTURE in make("apply")
    make("check")
    assert "0 failed" in make("verify")
    make("revert")
    assert "signature changed" in make("report", "OLD=v1", "NEW=v2")
    assert make("series", "SERIES=out").splitlines()
    assert list((world.folder / "out").glob("*.patch"))


def test_the_image_build(world: World) -> None:
    """What the Dockerfile runs, with an environment in place of the image's interpreter."""
    home = world.folder / "venv"
    venv.EnvBuilder(symlinks=True, with_pip=False).create(home)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(home)}))
    sources = {p.relative_to(BEFORE / "python").as_posix(): p.read_bytes() for p in (BEFORE / "python").rglob("*.py")}
    install(site, {"sglang/__init__.py": b"", **sources})
    ops = world.folder / "image"
    ops.mkdir()
    (ops / "shimgen.toml").write_text(f'package = "sglang"\npython = "{home}/bin/python"\n')
    text = (PLAYBOOKS / "Dockerfile").read_text().replace("\\\n", "")
    commands = [part for part in text.rpartition("RUN ")[2].split("&&") if part.strip().startswith("shimgen ")]
    assert [shlex.split(command)[1] for command in commands] == ["apply", "check", "verify"]
    for command in commands:
        world.do(*shlex.split(command), cwd=ops)
    assert b"# shimgen: " in (site / PICTURE.removeprefix("python/")).read_bytes()


def test_the_workflow(world: World) -> None:
    """Its shell steps, between a commit of the operations repository that pins v1 and one that pins v2."""
    ops = world.folder / "repository"
    world.do("git", "init", "--quiet", ops)
    commits = []
    for tag in ("v1", "v2"):
        shutil.copy(world.folder / "ops" / tag / "shimgen.toml", ops)
        for words in (["add", "--all"], ["commit", "--quiet", "--message", tag]):
            world.do("git", *words, cwd=ops)
        commits.append(world.do("git", "rev-parse", "HEAD", cwd=ops).strip())
    job = yaml.safe_load((PLAYBOOKS / "github" / "upgrade-report.yml").read_text())["jobs"]["report"]
    outputs: dict[str, str] = {}
    output, summary = world.folder / "output", world.folder / "summary"
    given = {"STACK": world.folder / "upstream", "BASE": commits[0], "RUNNER_TEMP": world.folder / "runner"}
    given |= {"GITHUB_OUTPUT": output, "GITHUB_STEP_SUMMARY": summary}
    (world.folder / "runner").mkdir()
    steps = [
        step
        for step in job["steps"]
        if "run" in step and step["name"] not in ("Install", "Comment on the pull request")
    ]
    assert len(steps) == 4
    for step in steps:
        assert "${{" not in step["run"]
        own = {
            key: outputs[value[len("${{ steps.pins.outputs.") : -len(" }}")]]
            for key, value in step.get("env", {}).items()
        }
        settings = {**world.environment, **{key: str(value) for key, value in given.items()}, **own}
        done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=ops, env=settings, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        if output.exists():
            outputs = dict(line.split("=") for line in output.read_text().splitlines())
    assert outputs.keys() == {"old", "new"}
    assert summary.read_text() == (ops / "report.md").read_text()
    assert "set_embed_and_head" in summary.read_text()
    assert NEW_SHIM.decode() in (ops / "shims.patch").read_text()
