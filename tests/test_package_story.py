"""The commands on a miniature stack that is installed as a package, and what pip makes of it afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.commands import run
from tests.wheels import install, wheel

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "fixtures" / "mini"
PICTURE = "sglang/srt/models/picture.py"
AFTER = (SOURCE / "after" / "python" / PICTURE).read_bytes()
FILES = {
    "sglang/__init__.py": b"",
    **{
        path.relative_to(SOURCE / "before" / "python").as_posix(): path.read_bytes()
        for path in sorted((SOURCE / "before" / "python").rglob("*.py"))
    },
}


def files(folder: Path) -> dict[str, bytes]:
    found = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The miniature stack in a folder of installed packages that this interpreter looks in; elsewhere is worked."""
    install(tmp_path / "site", FILES)
    (tmp_path / "ops").mkdir()
    monkeypatch.chdir(tmp_path / "ops")
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


def test_the_whole_story(site: Path) -> None:
    before = files(site)
    assert "forward  crash   get_embed_and_head" in run("scan", "--package", "sglang").stdout
    patch = run("diff", "--package", "sglang").stdout_bytes
    assert patch.startswith(f"diff --git a/{PICTURE} b/{PICTURE}\n".encode())
    assert run("check", "--package", "sglang").exit_code == 1
    assert files(site) == before
    applied = run("apply", "--package", "sglang")
    assert applied.exit_code == 0
    assert applied.stdout.startswith(f"{PICTURE}\n")
    assert (site / PICTURE).read_bytes() == AFTER
    assert run("diff", "--package", "sglang").stdout_bytes == b""
    assert run("check", "--package", "sglang").exit_code == 0
    assert run("verify", "--package", "sglang").stdout.endswith("proven, 0 failed\n")
    assert run("apply", "--package", "sglang").exit_code == 0
    reverted = run("revert", "--package", "sglang")
    assert (reverted.exit_code, reverted.stdout) == (0, f"{PICTURE}\n")
    assert files(site) == before


def test_a_pinned_package_needs_no_options(site: Path) -> None:
    assert run("init", "--package", "sglang").exit_code == 0
    said = Path("shimgen.toml").read_text()
    assert 'package = "sglang"\n' in said
    assert "checkout" not in said.split("\n", 1)[1]
    assert 'version = "0.5.9"\ndigest = "' in said
    assert run("apply").exit_code == 0
    baseline = json.loads(run("check", "--json").stdout)["baseline"]
    assert (baseline["kind"], baseline["dirty"]) == ("package", [PICTURE])
    assert f'digest = "{baseline["id"]}"' in said
    assert run("revert").exit_code == 0
    Path("shimgen.toml").write_text(said.replace("0.5.9", "0.5.8"))
    refused = run("apply")
    assert refused.exit_code == 3
    assert "shimgen.toml pins version 0.5.8, and the checkout is 0.5.9" in refused.stderr


def test_init_moves_between_a_checkout_and_a_package(site: Path) -> None:
    assert run("init", SOURCE / "before").exit_code == 0
    assert run("init", "--package", "sglang", "--force").exit_code == 0
    assert "checkout =" not in Path("shimgen.toml").read_text()
    assert run("init", SOURCE / "before", "--force").exit_code == 0
    assert "package =" not in Path("shimgen.toml").read_text()
    assert run("scan").exit_code == 0


def test_a_locally_changed_file_stops_apply(site: Path) -> None:
    (site / PICTURE).write_bytes(FILES[PICTURE] + b"\n\nEXTRA = 1\n")
    before = files(site)
    result = run("apply", "--package", "sglang")
    assert result.exit_code == 3
    assert f"{PICTURE} is not as it was installed and would be changed; nothing was changed" in result.stderr
    assert "next: python -m pip install --force-reinstall --no-deps sglang==0.5.9" in result.stderr
    assert files(site) == before
    assert ", 1 file changed" in run("scan", "--package", "sglang").stdout


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["scan", ".", "--package", "sglang"], 2, "leave one of them out"),
        (["init", ".", "--package", "sglang"], 2, "leave one of them out"),
        (["scan", "--package", "sglang", "--at", "HEAD"], 3, "it has no revision 'HEAD'"),
        (["upgrade", "v1", "v2", "--package", "sglang"], 3, "it has no revision 'v1'"),
        (["apply", "--package", "sglang", "--at", "HEAD"], 2, "--at reads a revision"),
        (["scan", "--package", "sglan"], 3, 'has no package "sglan"'),
        (["scan", "--package", "sglang", "--python", "/nowhere/python"], 2, "/nowhere/python cannot be asked"),
        (["verify", SOURCE / "before", "--live"], 2, "name it with --python PATH"),
        (["scan", "--package", "click"], 2, "no serving stack that shimgen knows was found in click"),
    ],
)
def test_what_cannot_be_meant(site: Path, words: list[str], code: int, says: str) -> None:
    before = files(site)
    result = run(*words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert says in result.stderr
    assert files(site) == before


def test_a_file_that_names_both_places(site: Path) -> None:
    Path("shimgen.toml").write_text('checkout = "x"\npackage = "sglang"\n')
    result = run("scan")
    assert result.exit_code == 2
    assert "package: goes without checkout" in result.stderr


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A virtual environment with nothing in it."""
    venv.EnvBuilder(symlinks=True, with_pip=False).create(tmp_path / "venv")
    return tmp_path / "venv"


def packages(environment: Path) -> Path:
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(environment)}))


def test_the_real_classes_are_asked_where_an_interpreter_is_named(environment: Path) -> None:
    install(packages(environment), FILES)
    before = files(environment)
    named = ["--package", "sglang", "--python", environment / "bin" / "python", "--stub", "torch"]
    asked = run("verify", *named)
    assert asked.exit_code == 0
    assert "live class" in asked.stdout
    assert "live class" not in run("verify", *named, "--no-live").stdout
    assert files(environment) == before


def pip(environment: Path, *arguments: str) -> None:
    words = ["--python", str(environment), *arguments, "--disable-pip-version-check", "--no-input"]
    done = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_pip_uninstalls_with_shims_in_place_and_leaves_nothing(environment: Path, tmp_path: Path) -> None:
    untouched = {path for path in environment.rglob("*") if not path.is_dir()}
    pip(environment, "install", "--no-index", "--no-deps", str(wheel(tmp_path, FILES)))
    folder = packages(environment)
    installed = files(folder)
    python = environment / "bin" / "python"
    named = ["--package", "sglang", "--python", python]
    for command, content in (("apply", AFTER), ("revert", FILES[PICTURE]), ("apply", AFTER)):
        assert run(command, *named).exit_code == 0
        assert (folder / PICTURE).read_bytes() == content
        assert (files(folder) == installed) == (command == "revert")
    assert run("verify", *named, "--no-live").exit_code == 0
    pip(environment, "uninstall", "--yes", "sglang")
    assert {path for path in environment.rglob("*") if not path.is_dir()} == untouched
    assert not list(folder.glob("sglang*"))
