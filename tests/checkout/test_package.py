"""Installed distributions: found without importing them, read against what the installer recorded, put back exactly."""

from __future__ import annotations

import errno
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from shimgen.checkout import apply_changes, open_package, origins, recover, revert
from shimgen.checkout.package import listed_too
from shimgen.model.domain import FileChange
from shimgen.model.errors import BaselineError, ConfigError, GenerateError, ShimgenError
from shimgen.model.source import blob_id
from shimgen.patch import undo
from tests.wheels import contents, install, record

FILES = {
    "serving/__init__.py": b'raise RuntimeError("imported")\n',
    "serving/model.py": b"class Model:\r\n    pass\r\n",
    "serving/data.json": b"{}\n",
}
MODEL = "serving/model.py"
SHIMMED = FILES[MODEL] + b"\r\n    def shim(self): ...\r\n"
CHANGE = FileChange(MODEL, FILES[MODEL], SHIMMED)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages that this interpreter looks in first."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


def put(site: Path, files: dict[str, bytes] = FILES, name: str = "serving", version: str = "1.0") -> Path:
    return install(site, files, name, version)


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_baseline_is_what_was_recorded(site: Path) -> None:
    put(site)
    checkout = open_package("serving")
    tree = checkout.tree()
    assert (checkout.root, checkout.version) == (site, "1.0")
    assert (tree.baseline.kind, tree.baseline.version, tree.baseline.dirty) == ("package", "1.0", ())
    assert dict(tree.blobs) == {path: blob_id(content) for path, content in FILES.items() if path.endswith(".py")}
    assert tree.read(MODEL) == FILES[MODEL]
    assert "serving" not in sys.modules


def test_changed_added_and_lost_files_are_named_and_the_id_stays(site: Path) -> None:
    info = put(site, {**FILES, "serving/lost.py": b"", "serving/same.py": b"x = 1\n"})
    before = open_package("serving").tree().baseline.id
    (site / MODEL).write_bytes(SHIMMED)
    (site / "serving/lost.py").unlink()
    (site / "serving/added.py").write_bytes(b"")
    (site / "serving/data.json").write_bytes(b"[]")
    (site / "other").mkdir()
    (site / "other/unknown.py").write_bytes(b"")
    (info / "REQUESTED").write_bytes(b"")
    tree = open_package("serving").tree()
    assert tree.baseline.dirty == ("serving/added.py", "serving/lost.py", MODEL)
    assert tree.baseline.id == before
    assert "other/unknown.py" not in tree.blobs
    assert "serving/lost.py" not in tree.blobs


def test_the_id_is_that_of_the_wheel_and_not_of_the_installer(site: Path) -> None:
    put(site)
    first = open_package("serving").tree().baseline.id
    info = site / "serving-1.0.dist-info"
    script = f"../../bin/serve,sha256={'A' * 43},5\n"
    (info / "RECORD").write_bytes(contents(FILES, "serving", "1.0")["serving-1.0.dist-info/RECORD"] + script.encode())
    assert open_package("serving").tree().baseline.id == first
    (info / "RECORD").write_bytes((info / "RECORD").read_bytes().replace(b"data.json,sha256=", b"data.json,sha256=x"))
    assert open_package("serving").tree().baseline.id != first


@pytest.mark.parametrize("asked", ["Serv-Ing_x", "serv.ing-x", "serv_ing_x"])
def test_names_are_compared_as_installers_do(site: Path, asked: str) -> None:
    put(site, name="serv_ing_x")
    assert open_package(asked).root == site


def test_apply_and_revert_leave_every_byte(site: Path) -> None:
    put(site)
    (site / MODEL).chmod(0o640)
    before = snapshot(site)
    assert apply_changes(open_package("serving"), [CHANGE]) == (MODEL,)
    checkout = open_package("serving")
    assert (site / MODEL).read_bytes() == SHIMMED
    assert checkout.tree().baseline.dirty == (MODEL,)
    assert [*origins(checkout)] == [MODEL]
    assert revert(checkout, undo) == (MODEL,)
    assert snapshot(site) == before
    assert revert(open_package("serving"), undo) == ()


def test_everything_of_ours_is_in_the_list_of_files(site: Path) -> None:
    """So that an uninstall without revert leaves nothing; twice, as after a second run."""
    info = put(site)
    before = snapshot(site)
    apply_changes(open_package("serving"), [CHANGE])
    again = FileChange("serving/__init__.py", FILES["serving/__init__.py"], b"")
    apply_changes(open_package("serving"), [again])
    listed = {row.partition(",")[0] for row in (info / "RECORD").read_text().split("\n")}
    assert snapshot(site).keys() <= listed
    assert (info / "RECORD").read_bytes().count(b"\r\n") == (info / "RECORD").read_bytes().count(b"\n")
    assert set(revert(open_package("serving"), undo)) == {MODEL, "serving/__init__.py"}
    assert snapshot(site) == before


def test_an_edit_of_the_list_of_files_is_kept(site: Path) -> None:
    info = put(site)
    (site / "serving/added.txt").write_bytes(b"")
    before = snapshot(site)
    apply_changes(open_package("serving"), [CHANGE])
    line = b"serving/added.txt,,\r\n"
    (info / "RECORD").write_bytes(line + (info / "RECORD").read_bytes())
    revert(open_package("serving"), undo)
    path = f"{info.name}/RECORD"
    assert snapshot(site) == {**before, path: (line + before[path][0], before[path][1])}


def test_a_reinstall_takes_the_journal_along(site: Path) -> None:
    info = put(site)
    before = snapshot(site)
    apply_changes(open_package("serving"), [CHANGE])
    for row in (info / "RECORD").read_text().splitlines():
        (site / row.partition(",")[0]).unlink()
    (info / "shimgen").rmdir()
    assert snapshot(site) == {}
    put(site)
    assert snapshot(site) == before
    assert open_package("serving").tree().baseline.dirty == ()
    assert revert(open_package("serving"), undo) == ()


@pytest.mark.parametrize("moment", range(2))
def test_a_kill_between_the_files_is_ended_by_the_next_run(
    site: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    put(site)
    before = snapshot(site)
    done: list[Path] = []
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self.name.endswith(".shimgen"):
            done.append(self)
            if len(done) > moment:
                os._exit(9)
        return real(self, target)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(Path, "rename", rename)
        apply_changes(open_package("serving"), [CHANGE])
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert recover(open_package("serving")) is not None
    revert(open_package("serving"), undo)
    assert snapshot(site) == before


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,,\n", b"a,,\ns/lock,,\n"),
        (b"a,,\r\n", b"a,,\r\ns/lock,,\r\n"),
        (b"a,,", b"a,,\ns/lock,,\n"),
        (b"", b"s/lock,,\n"),
        (b"s/lock,,\na,,\n", b"s/lock,,\na,,\n"),
    ],
)
def test_lines_of_the_list_of_files(content: bytes, expected: bytes) -> None:
    assert listed_too(content, ["s/lock"]) == expected


def editable(site: Path) -> None:
    info = put(site, {"__editable__.serving-1.0.pth": b"/src/serving\n"})
    (info / "direct_url.json").write_text('{"url": "file:///src/my%20serving", "dir_info": {"editable": true}}')


def editable_of_old(site: Path) -> None:
    put(site, {"__editable___serving_1_0_finder.py": b""})


def archive(site: Path) -> None:
    with zipfile.ZipFile(site / "serving.zip", "w") as stream:
        for path, content in contents(FILES, "serving", "1.0").items():
            stream.writestr(path, content)
    sys.path.insert(0, str(site / "serving.zip"))


def egg(site: Path) -> None:
    put(site)
    (site / "serving-1.0.dist-info").rename(site / "serving-1.0.egg-info")
    (site / "serving-1.0.egg-info/METADATA").rename(site / "serving-1.0.egg-info/PKG-INFO")


def unlisted(site: Path) -> None:
    (put(site) / "RECORD").unlink()


def garbled(site: Path) -> None:
    (put(site) / "RECORD").write_bytes(b"\xff\xfe")


def twice(site: Path) -> None:
    put(site)
    put(site, version="1.1")


def namespace(site: Path) -> None:
    put(site, {"shared/part.py": b""})


def empty(site: Path) -> None:
    put(site, {})


def unhashed(site: Path) -> None:
    info = put(site)
    text = (info / "RECORD").read_text()
    (info / "RECORD").write_text("\n".join(f"{MODEL},," if row.startswith(MODEL) else row for row in text.split("\n")))


@pytest.mark.parametrize(
    ("make", "says", "next_"),
    [
        (lambda site: None, 'has no package "serving"', "pip list"),
        (editable, "editable from /src/my serving", "shimgen scan /src/my serving"),
        (editable_of_old, "installed as editable", "--force-reinstall --no-deps serving==1.0"),
        (archive, "inside the archive", "--force-reinstall --no-deps serving==1.0"),
        (egg, "serving-1.0.egg-info", "--force-reinstall --no-deps serving==1.0"),
        (unlisted, "has no RECORD", "--force-reinstall --no-deps serving==1.0"),
        (garbled, "RECORD cannot be read", "--force-reinstall --no-deps serving==1.0"),
        (twice, "more than once: serving-1.0.dist-info, serving-1.1.dist-info", "uninstall serving"),
        (namespace, "namespace package shared", "shimgen scan CHECKOUT"),
        (empty, "no source", "--force-reinstall --no-deps serving==1.0"),
        (unhashed, f"no hash of {MODEL}", "--force-reinstall --no-deps serving==1.0"),
    ],
)
def test_installs_that_cannot_be_changed_file_by_file(
    site: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], says: str, next_: str
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    make(site)
    before = snapshot(site)
    with pytest.raises(BaselineError) as caught:
        open_package("serving").tree()
    assert says in caught.value.message
    assert next_ in caught.value.hint
    assert snapshot(site) == before


@pytest.mark.parametrize(
    "said", ["", "[]", "3", "{", '{"url": 3}', '{"url": 3, "dir_info": {"editable": true}}', '{"dir_info": []}']
)
def test_an_odd_word_on_where_it_came_from_is_no_editable_install(site: Path, said: str) -> None:
    (put(site) / "direct_url.json").write_text(said)
    assert open_package("serving").version == "1.0"


def test_files_that_are_links(site: Path, tmp_path: Path) -> None:
    put(site)
    (site / MODEL).rename(tmp_path / "shared.py")
    (site / MODEL).symlink_to(tmp_path / "shared.py")
    with pytest.raises(BaselineError, match="is a symbolic link"):
        open_package("serving").tree()


def test_a_hash_that_is_not_trusted(site: Path) -> None:
    info = put(site)
    (info / "RECORD").write_bytes((info / "RECORD").read_bytes().replace(b"sha256=", b"md5="))
    with pytest.raises(BaselineError, match="hashes of kind md5"):
        open_package("serving").tree()


def test_the_first_folder_on_the_path_counts(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(site)
    put(tmp_path / "later", version="2.0")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "later")])
    assert open_package("serving").version == "1.0"


def test_a_folder_that_is_on_the_path_twice(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(site)
    (tmp_path / "lib64").symlink_to(site)
    monkeypatch.syspath_prepend(tmp_path / "lib64")
    assert open_package("serving").root == site


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_folder_that_cannot_be_written(site: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    put(site)
    before = snapshot(site)

    def mkdir(self: Path, *_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), str(self))

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.raises(GenerateError) as caught:
        apply_changes(open_package("serving"), [CHANGE])
    assert f"{os.strerror(number)}; nothing was changed" in caught.value.message
    assert str(site) in caught.value.message
    assert caught.value.hint.startswith(f"ls -ld {site}")
    assert snapshot(site) == before


def test_another_interpreter_is_asked(tmp_path: Path) -> None:
    """It is told where packages are by a .pth file, as a virtual environment's own folder would."""
    home = tmp_path / "venv"
    site = home / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    (home / "bin").mkdir(parents=True)
    (home / "bin/python").symlink_to(sys.executable)
    (home / "pyvenv.cfg").write_text(f"home = {Path(sys.base_prefix) / 'bin'}\n")
    site.mkdir(parents=True)
    (site / "loud.pth").write_text('import sys; print("a .pth file speaks"); sys.stdout.flush()\n')
    put(site)
    checkout = open_package("serving", str(home / "bin/python"))
    assert (checkout.root, checkout.version) == (site.resolve(), "1.0")
    with pytest.raises(BaselineError, match=r'bin/python has no package "other"'):
        open_package("other", str(home / "bin/python"))


@pytest.mark.parametrize(
    ("python", "name", "says"),
    [
        ("/nowhere/python", "serving", "/nowhere/python cannot be asked for its packages: No such file"),
        ("/bin/false", "serving", "cannot be asked for its packages: no reason given"),
        ("/bin/true", "serving", "it does not answer as Python does"),
        ("/bin/echo", "serving", "it does not answer as Python does"),
        ("", "../serving", "is not the name of a package"),
        ("", "", "is not the name of a package"),
    ],
)
def test_who_cannot_be_asked(python: str, name: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        open_package(name, python)
    assert isinstance(caught.value, ShimgenError) and caught.value.hint


def test_a_list_of_files_names_itself_without_a_hash() -> None:
    assert record({"a": b""}, "RECORD", "\n").endswith(b"RECORD,,\n")
