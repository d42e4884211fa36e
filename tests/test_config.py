"""shimgen.toml: which file holds, what overrides it, and that all of its faults are reported together."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from shimgen.config import Options, Pin, load_settings
from shimgen.model.accepts import Accept
from shimgen.model.domain import Scope
from shimgen.model.errors import ConfigError, did_you_mean, nearest
from shimgen.model.profile import Receiver
from shimgen.model.source import Baseline

FULL = """
profile = "sglang"
checkout = "../sglang"

[pin]
url = "https://example.invalid/sglang.git"
revision = "v0.5.9"
commit = "0123abc"

[scope]
interfaces = ["eagle3"]
wrappers = ["Kimi*"]
severity = "all"

[[carried]]
patch = "patches/ours.patch"

[[accept]]
wrapper = "Kimi*"
member = "start_layer"
reason = "one stage only"
until = 2026-12-31
"""


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "shimgen.toml"
    path.write_text(text, encoding="utf-8")
    return path


def faults_of(tmp_path: Path, text: str) -> list[str]:
    write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_settings(cwd=tmp_path)
    assert caught.value.exit_code == 2
    return [line.strip() for line in caught.value.message.splitlines()[1:]]


def test_a_working_directory_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(ConfigError, match="the working directory is not there any more") as caught:
        load_settings()
    assert caught.value.hint == "cd to a folder that is"


def test_without_a_file_everything_is_the_default(tmp_path: Path) -> None:
    settings = load_settings(cwd=tmp_path)
    assert (settings.checkout, settings.profile_name, settings.scope) == (tmp_path, "", Scope(severity="crash"))
    assert (settings.pin, settings.rev, settings.config_path) == (None, None, None)


def test_paths_of_a_file_start_at_its_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "ops", FULL)
    settings = load_settings(config=path, cwd=tmp_path)
    assert settings.checkout.resolve() == tmp_path / "sglang"
    assert (settings.carried[0].name, settings.carried[0].when) == ("patches/ours.patch", "before")
    assert settings.carried[0].patch == tmp_path / "ops" / "patches" / "ours.patch"
    assert settings.pin == Pin(url="https://example.invalid/sglang.git", revision="v0.5.9", commit="0123abc")
    assert settings.scope == Scope(("eagle3",), ("Kimi*",), (), "all")
    assert settings.accepts == (Accept("Kimi*", "start_layer", "one stage only", date(2026, 12, 31)),)


@pytest.mark.parametrize(
    ("files", "arguments", "expected"),
    [
        (("here", "tree", "named"), ("config", "checkout"), "named"),
        (("here", "tree"), ("checkout",), "here"),
        (("tree",), ("checkout",), "tree"),
        (("tree",), (), ""),
    ],
)
def test_which_file_holds(tmp_path: Path, files: tuple[str, ...], arguments: tuple[str, ...], expected: str) -> None:
    for place in files:
        write(tmp_path / place, "")
    config = tmp_path / "named" / "shimgen.toml" if "config" in arguments else None
    checkout = tmp_path / "tree" if "checkout" in arguments else None
    (tmp_path / "here").mkdir(exist_ok=True)
    assert load_settings(checkout, config, cwd=tmp_path / "here").config_path == (
        tmp_path / expected / "shimgen.toml" if expected else None
    )


def test_the_command_line_overrides_kind_by_kind(tmp_path: Path) -> None:
    write(tmp_path, FULL)
    said = Options(scope=Scope(members=("m",), interfaces=("lora",), severity=""), profile="generic", rev="HEAD~1")
    settings = load_settings(Path("other"), options=said, cwd=tmp_path)
    assert settings.scope == Scope(("lora",), ("Kimi*",), ("m",), "all")
    assert (settings.profile_name, settings.rev, settings.checkout) == ("generic", "HEAD~1", tmp_path / "other")


def test_all_faults_are_reported_together(tmp_path: Path) -> None:
    assert faults_of(
        tmp_path,
        """
        profil = "sglang"
        checkout = 3
        carried = "ours.patch"
        [pin]
        comit = "0123"
        commit = "v0.5.9"
        [scope]
        severity = "fatal"
        members = "start_layer"
        [[accept]]
        wrapper = "*"
        until = "soon"
        [stack]
        package = 1
        receivers = [{ expression = "self.model", rolle = "target" }]
        interface = {}
        """,
    ) == [
        'profil: unknown key; did you mean "profile"?',
        "checkout: a string is expected, not 3",
        "carried: tables are expected ([[carried]]), not 'ours.patch'",
        'pin.comit: unknown key; did you mean "commit"?',
        "pin.commit: a commit of 7 to 64 hexadecimal digits is expected, not 'v0.5.9'",
        "scope.severity: one of crash, silent, drift, all is expected, not 'fatal'",
        "scope.members: a list of strings is expected, not 'start_layer'",
        "accept[1].member: missing",
        "accept[1].reason: missing",
        "accept[1].until: a date or a release is expected, not 'soon'",
        'stack.interface: unknown key; did you mean "interfaces"?',
        "stack.package: Expected `str`, got `int`",
        'stack.receivers[1].rolle: unknown key; did you mean "role"?',
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"profile =", "is not TOML: Invalid value"), (b"\xff\xfe", "is not TOML"), (None, "cannot read")],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=says) as caught:
        load_settings(config=path, cwd=tmp_path)
    assert str(path) in caught.value.message
    assert caught.value.hint


def test_a_wrong_profile_is_one_fault_among_others(tmp_path: Path) -> None:
    assert faults_of(tmp_path, 'profile = "sglnag"\ncheckout = true') == [
        "checkout: a string is expected, not true",
        'profile: there is no profile "sglnag"; did you mean "sglang"?',
    ]
    assert faults_of(
        tmp_path, "profile = 3\n[[accept]]\nwrapper = '*'\nmember = '*'\nreason = ''\nuntil = 07:30:00"
    ) == [
        "profile: a string is expected, not 3",
        "accept[1].reason: a string that is not empty is expected, not ''",
        "accept[1].until: a date or a release is expected, not 07:30:00",
    ]


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "shimgen.toml").write_bytes(b'\xef\xbb\xbfprofile = "generic"\n')
    assert load_settings(cwd=tmp_path).profile_name == "generic"


COMMIT = Baseline("git", "0123456789abcdef" * 2)
PACKAGE = Baseline("package", "d" * 40, version="0.5.9")


@pytest.mark.parametrize(
    ("pin", "baseline", "digest", "holds"),
    [
        (Pin(), COMMIT, "", True),
        (Pin(commit="0123456"), COMMIT, "", True),
        (Pin(commit=COMMIT.id, url="u", revision="v1"), COMMIT, "", True),
        (Pin(commit=COMMIT.id, digest="e" * 40), COMMIT, "f" * 40, True),
        (Pin(digest="d" * 40, version="0.5.9"), PACKAGE, PACKAGE.id, True),
        (Pin(digest="d" * 40, commit="1234567"), PACKAGE, PACKAGE.id, True),
        (Pin(digest="d" * 40, commit="1234567"), COMMIT, "d" * 40, True),
        (Pin(version="0.5.9"), COMMIT, "", True),
        (Pin(commit="1234567", revision="v1"), COMMIT, "", False),
        (Pin(digest="d" * 40, commit="1234567"), COMMIT, "e" * 40, False),
        (Pin(commit="ddddddd"), PACKAGE, PACKAGE.id, False),
        (Pin(version="0.5.10"), PACKAGE, PACKAGE.id, False),
        (Pin(version="0.5.10", digest="d" * 40), PACKAGE, PACKAGE.id, False),
        (Pin(digest="e" * 40), PACKAGE, PACKAGE.id, False),
    ],
)
def test_a_pin_holds_or_not(pin: Pin, baseline: Baseline, digest: str, holds: bool) -> None:
    assert pin.holds(baseline, lambda: digest) is holds


@pytest.mark.parametrize(
    ("pin", "named"),
    [
        (Pin(commit="0123456789abcdef", revision="v1"), "commit 0123456789ab (v1)"),
        (Pin(commit="0123456"), "commit 0123456"),
        (Pin(digest="d" * 40, version="0.5.9"), "digest dddddddddddd (0.5.9)"),
        (Pin(version="0.5.9"), "version 0.5.9"),
    ],
)
def test_what_is_pinned_in_a_few_words(pin: Pin, named: str) -> None:
    assert pin.named == named


def test_a_stack_table_adds_to_the_profile(tmp_path: Path) -> None:
    write(tmp_path, '[stack]\npackage = "serving"\nmodels.paths = ["m/*"]\nreceivers = [{ expression = "self.model" }]')
    profile = load_settings(cwd=tmp_path).profile
    assert profile is not None
    assert (profile.name, profile.package, profile.models.paths) == ("generic", "serving", ("m/*",))
    assert profile.receivers == (Receiver(expression="self.model"),)
    assert "torch.nn.Module" in profile.externals
    asked = load_settings(options=Options(profile="sglang"), cwd=tmp_path).profile
    assert asked is not None
    assert (asked.name, asked.receivers[0]) == ("sglang", Receiver(expression="self.model"))


def test_an_unknown_profile(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='there is no profile "sglan"; did you mean "sglang"') as caught:
        load_settings(options=Options(profile="sglan"), cwd=tmp_path)
    assert (caught.value.exit_code, caught.value.hint) == (2, "shimgen scan --profile sglang")


NAMES = ("get_embed_and_head", "set_embed_and_head", "set_eagle3_layers_to_capture", "KimiK25ForConditionalGeneration")


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("get_embed_and_haed", ("get_embed_and_head", "set_embed_and_head")),
        ("kimik25", ("KimiK25ForConditionalGeneration",)),
        ("Kimi*", ("KimiK25ForConditionalGeneration",)),
        ("KimiK25ForCausalLM", ("KimiK25ForConditionalGeneration",)),
        ("eagle3", ("set_eagle3_layers_to_capture",)),
        ("zzz", ()),
        ("", ()),
    ],
)
def test_nearest_names(typed: str, found: tuple[str, ...]) -> None:
    assert nearest(typed, NAMES) == found


def test_nearest_names_as_the_end_of_a_sentence() -> None:
    assert did_you_mean("embed_and_head", NAMES) == '; did you mean "get_embed_and_head" or "set_embed_and_head"?'
    assert did_you_mean("zzz", NAMES) == ""


def test_carried_patches_and_their_faults(tmp_path: Path) -> None:
    rows = faults_of(tmp_path, '[[carried]]\nreason = "x"\nwhen = "later"\n[[carried]]\npatch = "p"\nwhen = "after"\n')
    assert rows == ["carried[1].patch: missing", 'carried[1].when: "before" or "after" is expected, not \'later\'']
