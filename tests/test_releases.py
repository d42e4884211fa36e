"""Fetching releases: what comes from the network is a file with the listed digest, or an error."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from benchmarks import releases
from benchmarks.releases import Release, ReleaseError

FILES = {"stack/__init__.py": "", "stack/model.py": "class Model:\n    pass\n", "stack/data.bin": "x" * 9}


def write_wheel(path: Path, files: dict[str, str]) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def serve(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, files: dict[str, str], sha256: str = "") -> list[str]:
    """Let `stack 1.0` be the only listed release, and a download bring a wheel of `files`; returns the downloads."""
    name = "stack-1.0-py3-none-any.whl"
    digest = sha256 or write_wheel(tmp_path / name, files)
    asked: list[str] = []

    def download(release: Release, folder: Path) -> None:
        asked.append(release.version)
        write_wheel(folder / release.file, files)

    monkeypatch.setenv("SHIMGEN_DOWNLOADS", str(tmp_path / "cache"))
    monkeypatch.setattr(
        releases, "releases", lambda name: (Release("stack", "1.0", "stack-1.0-py3-none-any.whl", digest),)
    )
    monkeypatch.setattr(releases, "_download", download)
    return asked


def test_a_wheel_is_downloaded_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = serve(monkeypatch, tmp_path, FILES)
    first = releases.fetch("1.0", "stack")
    assert releases.fetch("1.0", "stack") == first == tmp_path / "cache" / "stack-1.0-py3-none-any.whl"
    assert asked == ["1.0"]


def test_a_damaged_file_of_the_cache_is_downloaded_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = serve(monkeypatch, tmp_path, FILES)
    releases.fetch("1.0", "stack").write_bytes(b"half")
    assert zipfile.is_zipfile(releases.fetch("1.0", "stack"))
    assert asked == ["1.0", "1.0"]


def test_another_digest_is_refused_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    serve(monkeypatch, tmp_path, FILES, sha256="0" * 64)
    with pytest.raises(ReleaseError, match="expects 0000"):
        releases.fetch("1.0", "stack")
    assert list((tmp_path / "cache").iterdir()) == []


def test_an_unlisted_version_names_the_listed_ones() -> None:
    with pytest.raises(ReleaseError, match=r"0\.5\.8.*listed are: 0\.4\.6, .*0\.5\.9"):
        releases.fetch("0.5.8")


def test_a_checkout_holds_the_python_files_and_its_commit_is_fixed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    serve(monkeypatch, tmp_path, FILES)
    monkeypatch.setenv("GIT_AUTHOR_NAME", "somebody else")
    trees = [releases.checkout("1.0", tmp_path / name, "stack") for name in ("one", "two")]

    def git(tree: Path, *arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=tree, check=True, capture_output=True, text=True).stdout

    assert git(trees[0], "ls-files").split() == ["stack/__init__.py", "stack/model.py"]
    assert git(trees[0], "rev-parse", "HEAD") == git(trees[1], "rev-parse", "HEAD")
    assert git(trees[0], "log", "--format=%an %aI") == "shimgen benchmarks 2026-01-01T00:00:00+00:00\n"
    assert git(trees[0], "status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["../escape.py", "/escape.py", "stack/../../escape.py"])
def test_a_wheel_cannot_write_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    serve(monkeypatch, tmp_path, {**FILES, name: "x = 1\n"})
    with pytest.raises(ReleaseError, match="outside its folder"):
        releases.checkout("1.0", tmp_path / "work" / "tree", "stack")
    assert list((tmp_path / "work").iterdir()) == []


def test_an_occupied_destination_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = serve(monkeypatch, tmp_path, FILES)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("keep")
    with pytest.raises(ReleaseError, match="not an empty folder"):
        releases.checkout("1.0", tmp_path / "mine", "stack")
    assert asked == []


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("sglang-0.5.9-py3-none-any.whl", []),
        (
            "sglang-0.5.11-cp311-cp311-manylinux_2_34_x86_64.whl",
            [
                "--implementation",
                "cp",
                "--python-version",
                "311",
                "--abi",
                "cp311",
                "--platform",
                "manylinux_2_34_x86_64",
            ],
        ),
        (
            "vllm-0.16.0-cp38-abi3-manylinux_2_31_x86_64.whl",
            [
                "--implementation",
                "cp",
                "--python-version",
                f"{sys.version_info[0]}.{sys.version_info[1]}",
                "--abi",
                "abi3",
                "--platform",
                "manylinux_2_31_x86_64",
            ],
        ),
    ],
)
def test_the_file_name_says_which_platform_pip_is_asked_for(file: str, options: list[str]) -> None:
    assert releases._platform(file) == options


def test_several_releases_become_one_tagged_history(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    later = {"stack/model.py": "class Model:\n    size = 1\n", "stack/more.py": ""}
    listed = []
    for version, files in (("1.0", FILES), ("1.1", later)):
        name = f"stack-{version}-py3-none-any.whl"
        (tmp_path / "cache").mkdir(exist_ok=True)
        listed.append(Release("stack", version, name, write_wheel(tmp_path / "cache" / name, files)))
    monkeypatch.setenv("SHIMGEN_DOWNLOADS", str(tmp_path / "cache"))
    monkeypatch.setattr(releases, "releases", lambda name: tuple(listed))
    tree = releases.history(("1.0", "1.1"), tmp_path / "tree", "stack")

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=tree, check=True, capture_output=True, text=True).stdout

    assert git("log", "--format=%s %D").splitlines() == ["stack 1.1 HEAD -> main, tag: v1.1", "stack 1.0 tag: v1.0"]
    assert git("diff", "--no-renames", "--name-status", "v1.0", "v1.1").split() == [
        "D", "stack/__init__.py", "M", "stack/model.py", "A", "stack/more.py",
    ]  # fmt: skip
    assert git("status", "--porcelain") == ""
