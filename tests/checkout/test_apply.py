"""apply and revert: all files or none, every byte back, and edits made since are kept or in the way."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import zipfile
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shimgen.checkout import (
    Checkout,
    apply_changes,
    archive,
    files,
    journal,
    open_checkout,
    origins,
    recover,
    revert,
    transaction,
)
from shimgen.checkout.journal import Entry, Record
from shimgen.model.domain import FileChange
from shimgen.model.errors import GenerateError
from shimgen.patch import undo
from tests.contents import insertions, lines, pairs
from tests.gitrepo import Repo, make_repo

LINES = [b"line %d\n" % n for n in range(20)]
BEFORE = b"".join(LINES)
AFTER = b"".join([*LINES[:10], b"first\n", *LINES[10:]])
LATER = b"".join([*LINES[:4], b"second\n", *LINES[4:10], b"first\n", *LINES[10:]])
SOURCE = {"a.py": BEFORE, "pkg/b.py": b"b = 1", "pkg/c.py": b""}
CHANGES = (FileChange("pkg/b.py", b"b = 1", b"b = 1\nnew = 2"), FileChange("a.py", BEFORE, AFTER))


@pytest.fixture(params=["git", "directory", "below"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Repo:
    """A checkout: a git work tree, a plain directory, or a directory below the top of a work tree."""
    if request.param == "git":
        return make_repo(tmp_path, SOURCE)
    if request.param == "below":
        make_repo(tmp_path, {f"python/{name}": content for name, content in SOURCE.items()})
        return Repo(tmp_path / "python")
    Repo(tmp_path).write(SOURCE)
    return Repo(tmp_path)


def at(place: Repo) -> Checkout:
    return open_checkout(place.path)


def refused(action: Callable[[], object]) -> GenerateError:
    with pytest.raises(GenerateError) as caught:
        action()
    return caught.value


def test_all_files_are_written_and_all_come_back(place: Repo) -> None:
    start = place.snapshot()
    assert apply_changes(at(place), CHANGES) == ("a.py", "pkg/b.py")
    assert (place.read("a.py"), place.read("pkg/b.py")) == (AFTER, b"b = 1\nnew = 2")
    assert origins(at(place)) == {"a.py": BEFORE, "pkg/b.py": b"b = 1"}
    assert revert(at(place), undo) == ("a.py", "pkg/b.py")
    assert place.snapshot() == start
    assert not at(place).place.state.exists()
    assert revert(at(place), undo) == ()


def test_nothing_is_written_for_nothing(place: Repo) -> None:
    assert apply_changes(at(place), ()) == apply_changes(at(place), [FileChange("a.py", BEFORE, BEFORE)]) == ()
    assert (revert(at(place), undo), recover(at(place))) == ((), None)
    assert not at(place).place.state.exists()


def test_the_baseline_stays_what_a_pin_expects(place: Repo) -> None:
    before = at(place).tree().baseline
    apply_changes(at(place), CHANGES)
    after = at(place).tree().baseline
    assert (after.id, before.dirty, after.dirty) == (before.id, (), ("a.py", "pkg/b.py"))


def test_mode_is_kept(place: Repo) -> None:
    (place.path / "a.py").chmod(0o750)
    start = place.snapshot()
    apply_changes(at(place), CHANGES)
    assert (place.path / "a.py").stat().st_mode & 0o7777 == 0o750
    revert(at(place), undo)
    assert place.snapshot() == start


def test_a_file_shared_by_a_hard_link_is_changed_here_only(
    place: Repo, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Installers share files with their cache that way."""
    cache = tmp_path_factory.mktemp("cache") / "a.py"
    os.link(place.path / "a.py", cache)
    apply_changes(at(place), CHANGES)
    assert (place.read("a.py"), cache.read_bytes()) == (AFTER, BEFORE)


def test_runs_on_top_of_each_other_all_come_back(place: Repo) -> None:
    start = place.snapshot()
    apply_changes(at(place), CHANGES)
    apply_changes(at(place), [FileChange("a.py", AFTER, LATER), FileChange("pkg/c.py", b"", b"c\n")])
    for number in range(12):
        apply_changes(at(place), [FileChange("pkg/c.py", b"c\n" * (number + 1), b"c\n" * (number + 2))])
    assert [*origins(at(place)).values()] == [BEFORE, b"b = 1", b""]
    assert revert(at(place), undo) == ("a.py", "pkg/b.py", "pkg/c.py")
    assert place.snapshot() == start


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(pairs(), min_size=1, max_size=4))
def test_any_chain_of_changes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, chain: list[tuple[bytes, bytes]]
) -> None:
    place = Repo(tmp_path_factory.mktemp("chain"))
    contents = [content for pair in chain for content in pair]
    place.write({"a.py": contents[0]})
    for before, after in pairwise(contents):
        apply_changes(at(place), [FileChange("a.py", before, after)])
    revert(at(place), undo)
    assert place.snapshot() == {"a.py": (contents[0], (place.path / "a.py").stat().st_mode)}


def edit(place: Repo) -> None:
    place.write({"a.py": BEFORE + b"edited\n"})


def delete(place: Repo) -> None:
    (place.path / "a.py").unlink()


def replace_by_link(place: Repo) -> None:
    (place.path / "a.py").rename(place.path / "real.py")
    (place.path / "a.py").symlink_to("real.py")


def replace_by_folder(place: Repo) -> None:
    delete(place)
    (place.path / "a.py").mkdir()


def make_one_file(place: Repo) -> None:
    delete(place)
    place.write({"pkg/b.py": BEFORE})
    os.link(place.path / "pkg/b.py", place.path / "a.py")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (edit, "has changed since the patch was made for it"),
        (delete, "is not there"),
        (replace_by_link, "is a symbolic link"),
        (replace_by_folder, "is not there"),
        (make_one_file, "has changed since"),
    ],
)
def test_a_file_that_is_not_as_it_was_stops_everything(
    place: Repo, change: Callable[[Repo], None], complaint: str
) -> None:
    checkout = at(place)
    change(place)
    start = place.snapshot()
    error = refused(lambda: apply_changes(checkout, CHANGES))
    assert complaint in error.message
    assert place.snapshot() == start
    assert not checkout.touched


def test_a_file_listed_twice_is_not_written(place: Repo) -> None:
    error = refused(lambda: apply_changes(at(place), [CHANGES[1], FileChange("a.py", BEFORE, LATER)]))
    assert "listed twice" in error.message
    assert place.read("a.py") == BEFORE


def test_two_paths_of_one_file_are_not_written(place: Repo) -> None:
    checkout = at(place)
    os.link(place.path / "a.py", place.path / "same.py")
    error = refused(lambda: apply_changes(checkout, [CHANGES[1], FileChange("same.py", BEFORE, LATER)]))
    assert "are one file" in error.message
    assert place.read("a.py") == BEFORE


def test_a_link_on_the_way_is_not_followed(place: Repo, tmp_path_factory: pytest.TempPathFactory) -> None:
    checkout = at(place)
    outside = tmp_path_factory.mktemp("outside")
    (outside / "b.py").write_bytes(b"b = 1")
    (place.path / "pkg").rename(place.path / "moved")
    (place.path / "pkg").symlink_to(outside)
    assert "behind a symbolic link" in refused(lambda: apply_changes(checkout, CHANGES)).message
    assert (outside / "b.py").read_bytes() == b"b = 1"


@pytest.mark.parametrize("path", ["../a.py", "/etc/hosts", "pkg/../../x.py", "", ".git/config"])
def test_a_path_that_leads_elsewhere_is_not_written(tmp_path: Path, path: str) -> None:
    make_repo(tmp_path, SOURCE)
    assert (
        "is not a path inside"
        in refused(lambda: apply_changes(open_checkout(tmp_path), [FileChange(path, b"x", b"y")])).message
    )


def test_a_revision_is_not_written(tmp_path: Path) -> None:
    make_repo(tmp_path, SOURCE)
    assert refused(lambda: apply_changes(open_checkout(tmp_path, "HEAD"), CHANGES)).hint == "leave out --at"


@pytest.mark.parametrize("step", ["write_beside", "rename", "sync_folder"])
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device", "a.py"), KeyboardInterrupt()])
def test_a_failure_on_the_way_takes_everything_back(
    place: Repo, monkeypatch: pytest.MonkeyPatch, step: str, number: int, error: BaseException
) -> None:
    checkout = at(place)
    start = place.snapshot()
    calls: list[object] = []

    def fail(real: Callable[..., object]) -> Callable[..., object]:
        def stand_in(*arguments: object) -> object:
            calls.append(arguments)
            if len(calls) == number:
                raise error
            return real(*arguments)

        return stand_in

    if step == "rename":
        monkeypatch.setattr(Path, "rename", fail(Path.rename))
    else:
        monkeypatch.setattr(transaction, step, fail(getattr(files, step)))
    with pytest.raises((GenerateError, KeyboardInterrupt)):
        apply_changes(checkout, CHANGES)
    assert len(calls) >= number
    assert place.snapshot() == start
    assert (recover(checkout), checkout.touched) == (None, False)


def test_a_folder_that_cannot_be_written_is_named(place: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied", "pkg/.b.py.shimgen")

    monkeypatch.setattr(transaction, "write_beside", refuse)
    error = refused(lambda: apply_changes(at(place), CHANGES))
    assert error.message == "cannot write pkg/.b.py.shimgen: Permission denied; nothing was changed"


def test_only_one_shimgen_writes_at_a_time(place: Repo) -> None:
    checkout = at(place)
    with journal.locked(checkout.place):
        for action in (lambda: apply_changes(checkout, CHANGES), lambda: revert(checkout, undo)):
            error = refused(action)
            assert f"another shimgen (process {os.getpid()}) is writing to" in error.message
            assert error.hint == "wait for it, and run this again"
    assert apply_changes(checkout, CHANGES) == ("a.py", "pkg/b.py")


def test_a_lock_that_was_tidied_away_is_taken_anew(place: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between opening and locking, the process that held the lock removed its file."""
    checkout = at(place)
    real = fcntl.flock
    taken: list[int] = []

    def lock(descriptor: int, how: int) -> None:
        if not taken:
            (checkout.place.state / "lock").unlink()
            checkout.place.state.rmdir()
        taken.append(descriptor)
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", lock)
    assert apply_changes(checkout, CHANGES) == ("a.py", "pkg/b.py")
    assert len(taken) == 2


def test_edits_elsewhere_in_a_file_are_kept(place: Repo) -> None:
    apply_changes(at(place), CHANGES)
    place.write({"a.py": b"top\n" + AFTER + b"end\n"})
    assert [*origins(at(place))] == ["pkg/b.py"]
    assert revert(at(place), undo) == ("a.py", "pkg/b.py")
    assert (place.read("a.py"), place.read("pkg/b.py")) == (b"top\n" + BEFORE + b"end\n", b"b = 1")


def test_an_edit_where_apply_wrote_is_in_the_way_and_nothing_is_changed(place: Repo) -> None:
    apply_changes(at(place), CHANGES)
    place.write({"a.py": AFTER.replace(b"first\n", b"mine\n")})
    before = place.snapshot(), origins(at(place))
    error = refused(lambda: revert(at(place), undo))
    assert "a.py:11: cannot take out the shims" in error.message
    assert error.message.endswith("nothing was changed")
    assert (place.snapshot(), origins(at(place))) == before


def test_files_that_were_restored_or_deleted_are_only_forgotten(place: Repo) -> None:
    apply_changes(at(place), [*CHANGES, FileChange("pkg/c.py", b"", b"c\n")])
    place.write({"a.py": BEFORE})
    (place.path / "pkg/b.py").unlink()
    assert revert(at(place), undo) == ("pkg/c.py",)
    assert not (place.path / "pkg/b.py").exists()
    assert revert(at(place), undo) == ()


def test_when_all_was_restored_the_journal_is_cleared(place: Repo) -> None:
    apply_changes(at(place), CHANGES)
    place.write(SOURCE)
    assert revert(at(place), undo) == ()
    assert not at(place).place.state.exists()


def test_an_upgrade_takes_the_place_of_what_was_applied(tmp_path: Path) -> None:
    """The old release's shims were thrown away by checking out the new one; only the new one's are reverted."""
    repo = make_repo(tmp_path, SOURCE)
    apply_changes(at(repo), CHANGES)
    repo.git("checkout", "--quiet", "--force", "HEAD")
    apply_changes(at(repo), CHANGES)
    upgraded = BEFORE.replace(b"line 9\n", b"new in this release\n")
    repo.git("reset", "--quiet", "--hard")
    repo.commit({"a.py": upgraded})
    apply_changes(at(repo), [FileChange("a.py", upgraded, upgraded + b"shim\n")])
    assert revert(at(repo), undo) == ("a.py",)
    assert (repo.read("a.py"), repo.git("status", "--porcelain")) == (upgraded, b"")


def test_shims_that_were_committed_are_still_taken_out(tmp_path: Path) -> None:
    repo = make_repo(tmp_path, SOURCE)
    apply_changes(at(repo), CHANGES)
    repo.commit({"other.py": b""})
    assert revert(at(repo), undo) == ("a.py", "pkg/b.py")
    assert repo.git("diff", "--name-only", "HEAD~1").split() == [b"other.py"]


def test_an_upgraded_package_takes_the_place_of_what_was_applied(tmp_path: Path) -> None:
    package = Repo(tmp_path / "stack")
    package.write({**SOURCE, "../stack-1.0.dist-info/METADATA": b""})
    apply_changes(at(package), CHANGES)
    package.write({"a.py": b"another release\n"})
    assert "a.py:" in refused(lambda: revert(at(package), undo)).message
    (tmp_path / "stack-1.0.dist-info").rename(tmp_path / "stack-1.1.dist-info")
    assert revert(at(package), undo) == ("pkg/b.py",)


def test_what_was_applied_below_is_reverted_from_above_and_beside(tmp_path: Path) -> None:
    repo = make_repo(tmp_path, {"one/a.py": BEFORE, "two/a.py": BEFORE})
    for folder in ("one", "two"):
        apply_changes(open_checkout(tmp_path / folder), [CHANGES[1]])
    assert [*origins(open_checkout(tmp_path / "two"))] == ["../one/a.py", "a.py"]
    assert revert(open_checkout(tmp_path / "one"), undo) == ("a.py", "../two/a.py")
    assert repo.git("status", "--porcelain") == b""


def test_the_journal_is_out_of_sight_of_git_and_of_the_analysis(place: Repo) -> None:
    apply_changes(at(place), CHANGES)
    assert set(at(place).tree().blobs) == set(SOURCE)
    if at(place).repository:
        assert b"shimgen" not in place.git("status", "--porcelain", "--ignored")


@pytest.mark.parametrize("damage", [b"", b"not an archive", None])
def test_a_damaged_record_is_said_and_nothing_is_changed(place: Repo, damage: bytes | None) -> None:
    apply_changes(at(place), CHANGES)
    record = at(place).place.state / "0001.zip"
    if damage is None:
        with zipfile.ZipFile(record, "w") as archive:
            archive.writestr("record.json", '{"schema": "shimgen-journal/2"}')
    else:
        record.write_bytes(damage)
    start = place.snapshot()
    error = refused(lambda: revert(at(place), undo))
    assert f"the record {record} cannot be read" in error.message
    assert place.snapshot() == start


@given(st.data())
def test_any_damage_of_a_record_is_none_or_is_said(data: st.DataObject) -> None:
    packed = bytearray(
        archive.pack(Record("apply", (Entry("a.py", BEFORE, AFTER), Entry("b.py", b"", b"b")), "0" * 40))
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(packed) - 1))
        packed[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    with suppress(ValueError):
        assert archive.unpack(bytes(packed)).kind


def test_a_file_system_that_cannot_lock(place: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    error = refused(lambda: apply_changes(at(place), CHANGES))
    assert error.message == f"cannot lock {at(place).place.state / 'lock'}: No locks available"
    assert error.hint == "move the checkout to a local disk"


def test_a_journal_that_is_a_link_is_not_written_to(place: Repo, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere, state = tmp_path_factory.mktemp("elsewhere"), at(place).place.state
    state.symlink_to(elsewhere)
    error = refused(lambda: apply_changes(at(place), CHANGES))
    assert (error.message, error.hint) == (f"{state} is a symbolic link, and is not written to", f"rm {state}")
    assert list(elsewhere.iterdir()) == []


def test_a_place_that_is_gone(place: Repo) -> None:
    checkout = at(place)
    gone = checkout.place.state.parent
    shutil.rmtree(gone)
    error = refused(lambda: apply_changes(checkout, CHANGES))
    assert (error.message, error.hint) == (f"{gone} is not there any more", f"ls -ld {gone}")


@pytest.mark.parametrize(("number", "works"), [(errno.EINVAL, True), (errno.EIO, False)])
def test_a_folder_that_cannot_be_synchronised(
    place: Repo, monkeypatch: pytest.MonkeyPatch, number: int, works: bool
) -> None:
    """Network file systems may refuse that of any folder; an error of the disk is none of these."""
    real, start = os.fsync, place.snapshot()

    def refuse(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", refuse)
    if works:
        assert apply_changes(at(place), CHANGES) == ("a.py", "pkg/b.py")
        return
    error = refused(lambda: apply_changes(at(place), CHANGES))
    assert error.message == f"cannot write {at(place).place.state}: Input/output error; nothing was changed"
    assert place.snapshot() == start


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(insertions(), lines, lines)
def test_revert_after_edits_above_and_below_gives_what_they_alone_give_or_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, pair: tuple[bytes, bytes], above: list[bytes], below: list[bytes]
) -> None:
    place = Repo(tmp_path_factory.mktemp("edits"))
    head, tail = (b"".join(b"# " + line for line in block) for block in (above, below))
    bare, shimmed = (BEFORE + content + b"\n" + BEFORE for content in pair)
    before, after = (head + content + tail for content in (bare, shimmed))
    place.write({"a.py": bare})
    apply_changes(at(place), [FileChange("a.py", bare, shimmed)])
    place.write({"a.py": after})
    try:
        revert(at(place), undo)
    except GenerateError:
        assert place.read("a.py") == after
    else:
        assert place.read("a.py") == before
