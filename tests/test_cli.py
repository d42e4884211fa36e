"""The command line: what goes to stdout and stderr, exit codes, and that no error ends as a traceback.

The pipeline is exchanged here for one that returns or raises what a test says; tests/test_story.py runs the real one.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from shimgen import pipeline
from shimgen.cli.main import shimgen
from shimgen.config import Settings
from shimgen.model.domain import Scope
from shimgen.model.errors import BaselineError, ConfigError, GenerateError
from shimgen.model.results import Analysis, Explanation, Outcome, Recognition, Stale
from shimgen.model.source import Baseline, Skipped, Stats
from tests.builders import ANALYSIS, CHANGE, FORWARDED, PATCH, REFUSED, SHIM, WRAPPER

COMMANDS = ("scan", "diff", "apply", "check", "patch", "explain", "verify", "revert", "init")
OUTCOME = Outcome(ANALYSIS, (CHANGE,), PATCH)
EXPLANATION = Explanation(ANALYSIS, (SHIM,), {WRAPPER.cls: {"forward": FORWARDED.providers[0]}})
NOTHING = Outcome(replace(ANALYSIS, gaps=()))


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch, here: Path) -> list[Settings]:
    """Fake every entry point of the pipeline; the settings that they were called with are collected."""
    settings: list[Settings] = []

    def explain(given: Settings, choose: Callable[[Analysis], Analysis]) -> Explanation:
        settings.append(given)
        return replace(EXPLANATION, analysis=choose(ANALYSIS))

    def fake(result: Any) -> Callable[..., Any]:
        def entry(given: Settings, *rest: Any) -> Any:
            settings.append(given)
            return result

        return entry

    recognition = Recognition(ANALYSIS.baseline, "sglang", url="https://example.invalid/s.git", revision="v1")
    for name, result in {
        "recognise": recognition,
        "analyse": ANALYSIS,
        "gate": ANALYSIS,
        "generate": OUTCOME,
        "apply": OUTCOME,
        "revert": OUTCOME,
        "verify": OUTCOME,
        "series": (OUTCOME, (Path("out/0001-one.patch"),)),
    }.items():
        monkeypatch.setattr(pipeline, name, fake(result))
    monkeypatch.setattr(pipeline, "explain", explain)
    return settings


def run(*arguments: str) -> Result:
    return CliRunner().invoke(shimgen, list(arguments), prog_name="shimgen")


def arguments(command: str) -> list[str]:
    return [command, *{"explain": ["Wrapper"], "patch": ["-o", "out"]}.get(command, [])]


def everywhere(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let every entry point of the pipeline raise."""

    def entry(*_: Any) -> Any:
        raise error

    for name in ("recognise", "analyse", "gate", "generate", "apply", "revert", "series", "explain", "verify"):
        monkeypatch.setattr(pipeline, name, entry)


@pytest.mark.parametrize("command", ["scan", "check"])
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "Wrapper"),
        (["--format", "text"], "Wrapper"),
        (["--json"], '"schema": "shimgen/1"'),
        (["--format", "json", "--json"], '"schema": "shimgen/1"'),
        (["--format", "sarif"], '"version": "2.1.0"'),
    ],
)
def test_forms(command: str, words: list[str], expected: str, seen: list[Settings]) -> None:
    result = run(command, *words)
    assert expected in result.stdout
    assert result.exit_code == (1 if command == "check" else 0)


def test_the_page_of_a_scan(seen: list[Settings]) -> None:
    assert run("scan", "--format", "html").stdout.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["scan", "--json", "--format", "html"], "--json and --format html contradict each other"),
        (["check", "--format", "html"], "'html' is not one of 'text', 'json', 'sarif'"),
    ],
)
def test_forms_that_are_none(words: list[str], said: str, seen: list[Settings]) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_diff_prints_the_patch_and_nothing_else(seen: list[Settings]) -> None:
    result = run("diff")
    assert (result.exit_code, result.stdout_bytes) == (0, PATCH)
    assert "Wrapper: not forwarded: Delegate does not have start_layer either" in result.stderr
    assert run("diff", "--quiet").stderr == ""


def test_a_binary_patch_survives(seen: list[Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    odd = "+x\r\n+é\f\n".encode() + b"+\xff\r\n\\ No newline at end of file\n"
    monkeypatch.setattr(pipeline, "generate", lambda settings: replace(OUTCOME, patch=odd))
    assert run("diff").stdout_bytes == odd


@pytest.mark.parametrize(
    ("words", "outcome", "code"),
    [
        (["diff"], OUTCOME, 0),
        (["diff", "--exit-code"], OUTCOME, 1),
        (["diff", "--exit-code"], NOTHING, 0),
        (["scan"], OUTCOME, 0),
        (["scan", "--exit-code"], OUTCOME, 1),
        (["scan", "--exit-code"], NOTHING, 0),
        (["check"], OUTCOME, 1),
        (["check"], NOTHING, 0),
        (["check"], Outcome(replace(ANALYSIS, gaps=(REFUSED,))), 0),
        (["check", "--strict"], Outcome(replace(ANALYSIS, gaps=(REFUSED,))), 1),
        (["check"], Outcome(replace(ANALYSIS, gaps=(), stale=(Stale(WRAPPER.cls, "old", 9, "gone"),))), 1),
        (["apply"], NOTHING, 0),
        (["apply"], OUTCOME, 0),
    ],
)
def test_exit_codes(
    seen: list[Settings], monkeypatch: pytest.MonkeyPatch, words: list[str], outcome: Outcome, code: int
) -> None:
    monkeypatch.setattr(pipeline, "analyse", lambda settings: outcome.analysis)
    monkeypatch.setattr(pipeline, "gate", lambda settings: outcome.analysis)
    monkeypatch.setattr(pipeline, "generate", lambda settings: outcome)
    monkeypatch.setattr(pipeline, "apply", lambda *given: outcome)
    assert run(*words).exit_code == code


@pytest.mark.parametrize(
    ("until", "strict", "code"),
    [("", [], 0), ("until = 2000-01-01", [], 1), (f"until = {date.max}", [], 0), ("", ["--strict"], 1)],
)
def test_an_accepted_gap_never_counts(
    here: Path, seen: list[Settings], until: str, strict: list[str], code: int
) -> None:
    row = f'[[accept]]\nwrapper = "Wrap*"\nmember = "{FORWARDED.member}"\nreason = "we know"\n{until}\n'
    (here / "shimgen.toml").write_text(row)
    result = run("check", *strict)
    assert result.exit_code == code
    assert ("accepted: we know" in result.stdout) is ("2000" not in until)


@pytest.mark.parametrize("command", COMMANDS)
def test_scope_options_are_the_same_everywhere(seen: list[Settings], command: str) -> None:
    scope = ["--interface", "eagle3", "--interface", "lora", "--wrapper", "Kimi*", "--member", "m"]
    words = [*scope, "--severity", "all", "--profile", "generic"]
    result = run(*arguments(command), "tree", *words, "--no-cache", "-v", "--json")
    assert result.exit_code in (0, 1), result.output
    settings = seen[0]
    assert (settings.checkout, settings.profile_name) == (Path.cwd() / "tree", "generic")
    assert (settings.use_cache, settings.verbose) == (False, 1)
    if command != "explain":
        assert settings.scope == Scope(("eagle3", "lora"), ("Kimi*",), ("m",), "all")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError('no profile is called "x"', "shimgen init"), 2),
        (BaselineError("/tree is not a checkout", "shimgen init /tree"), 3),
        (GenerateError("the shim does not parse", "shimgen explain X"), 4),
        (PermissionError(13, "Permission denied", "/tree/a.py"), 4),
        (OSError(24, "Too many open files"), 4),
        (RecursionError("maximum recursion depth exceeded"), 4),
        (KeyError("boom"), 4),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 141),
    ],
)
def test_every_error_is_a_sentence_and_a_code(
    here: Path, monkeypatch: pytest.MonkeyPatch, command: str, error: BaseException, code: int
) -> None:
    everywhere(monkeypatch, error)
    result = run(*arguments(command))
    assert (result.exit_code, result.stdout) == (code, "")
    assert "Traceback" not in result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) <= 2
    assert not lines or lines[0].startswith("shimgen: ")
    assert list(here.iterdir()) == []


def test_an_error_says_what_to_type_next(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everywhere(monkeypatch, BaselineError("/tree is not a checkout", "shimgen init /tree"))
    assert run("scan").stderr == "shimgen: /tree is not a checkout\n  next: shimgen init /tree\n"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            OSError(24, "Too many open files"),
            ["the system said no in tests.test_cli: Too many open files", "ulimit -a, or: shimgen scan --debug"],
        ),
        (
            PermissionError(13, "Permission denied", "/tree/a.py"),
            ["cannot access /tree/a.py: Permission denied", "ls -ld /tree/a.py"],
        ),
        (
            UnicodeEncodeError("utf-8", "name\udce9", 4, 5, "surrogates not allowed"),
            ["'name\\udce9' cannot be written as utf-8", "rename it"],
        ),
        (
            UnicodeEncodeError("ascii", "name\xe9", 4, 5, "ordinal not in range"),
            ["'name\xe9' cannot be written as ascii", "rename it, or: PYTHONUTF8=1 shimgen scan"],
        ),
    ],
)
def test_what_the_system_refuses_is_said(
    here: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, says: list[str]
) -> None:
    everywhere(monkeypatch, error)
    assert run("scan").stderr.splitlines() == [f"shimgen: {says[0]}", f"  next: {says[1]}"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["diff", "--help"]])
def test_help_that_cannot_be_written(words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-m", "shimgen", *words], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 4
    assert done.stderr == b"shimgen: cannot write to stdout: No space left on device\n"


def test_an_internal_error_names_its_place_and_debug_shows_more(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everywhere(monkeypatch, KeyError("boom"))
    assert "internal error in tests.test_cli, line" in run("scan").stderr
    assert "shimgen scan --debug" in run("scan").stderr
    assert isinstance(run("scan", "--debug").exception, KeyError)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["scan", "--severity", "fatal"], "'fatal' is not one of"),
        (["scan", "--colour"], "No such option"),
        (["sca"], "No such command"),
        (["patch"], "Missing option '-o'"),
        (["explain"], "Missing argument 'CLASS[.MEMBER]'"),
        (["apply", "--at", "HEAD"], "--at reads a revision"),
        (["revert", "--at", "HEAD"], "--at reads a revision"),
        (["scan", "--config", "nowhere.toml"], "nowhere.toml: No such file"),
    ],
)
def test_usage_errors(seen: list[Settings], words: list[str], says: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""


def test_all_faults_of_the_configuration_are_shown(here: Path, seen: list[Settings]) -> None:
    (here / "shimgen.toml").write_text('profil = "x"\nscope.severity = "fatal"\n')
    result = run("scan")
    assert (result.exit_code, seen) == (2, [])
    assert result.stderr.count("profil: unknown key") == 1
    assert result.stderr.count("scope.severity:") == 1


def test_explain_shows_the_chain(seen: list[Settings]) -> None:
    result = run("explain", f"Wrapper.{FORWARDED.member}")
    assert result.exit_code == 0
    for part in ("engine/worker.py:7", "self.language_model", "models/delegate.py:20", "forward", "def get_embed"):
        assert part in result.stdout


def test_explain_a_refusal_says_why_and_what_to_do(seen: list[Settings]) -> None:
    result = run("explain", "Wrapper.start_layer")
    assert result.exit_code == 0
    assert REFUSED.sentence in result.stdout
    assert f"instead    {REFUSED.advice}" in result.stdout


def test_explain_a_wrapper_lists_its_gaps(seen: list[Settings]) -> None:
    result = run("explain", "Wrapper")
    assert result.exit_code == 0
    assert "missing, to be forwarded (1)" in result.stdout
    assert "missing, refused (1)" in result.stdout
    assert "provided (1)\n  forward  Base models/delegate.py:20" in result.stdout


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("Wraper", 'no wrapper is called "Wraper"; did you mean "Wrapper"?'),
        ("Wraper.start_layer", 'no wrapper is called "Wraper"; did you mean "Wrapper"?'),
        ("Wrapper.start_layers", 'no member "start_layers" of a model; did you mean "start_layer"?'),
        (".", 'no wrapper is called "."'),
    ],
)
def test_explain_an_unknown_name(seen: list[Settings], target: str, says: str) -> None:
    result = run("explain", target)
    assert result.exit_code == 2
    assert says in result.stderr


def test_skipped_files_are_noted(seen: list[Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    stats = Stats(files=2, skipped=(Skipped("a.py", "invalid syntax", 3),))
    monkeypatch.setattr(pipeline, "analyse", lambda settings: replace(ANALYSIS, stats=stats))
    result = run("scan")
    assert "note: left out a.py:3: invalid syntax" in result.stderr
    assert "2 files, 1 left out" in result.stdout


def test_init_writes_profile_and_pin(here: Path, seen: list[Settings]) -> None:
    result = run("init", "tree", "--interface", "eagle3")
    assert result.exit_code == 0
    assert (here / "shimgen.toml").read_text().splitlines()[1:] == [
        'profile = "sglang"',
        'checkout = "tree"',
        "",
        "[pin]",
        'url = "https://example.invalid/s.git"',
        'revision = "v1"',
        f'commit = "{ANALYSIS.baseline.id}"',
        "",
        "[scope]",
        'interfaces = ["eagle3"]',
    ]
    assert "next: shimgen scan" in result.stdout
    assert run("scan").exit_code == 0
    assert seen[-1].checkout == here / "tree"


def test_init_leaves_an_existing_file_alone(here: Path, seen: list[Settings]) -> None:
    (here / "shimgen.toml").write_text("# mine\n")
    result = run("init")
    assert (result.exit_code, seen) == (2, [])
    assert "next: shimgen init --force" in result.stderr
    assert (here / "shimgen.toml").read_text() == "# mine\n"


def test_init_by_force_keeps_what_a_person_wrote(here: Path, seen: list[Settings]) -> None:
    mine = '# mine\nprofile = "generic"  # ours\ncheckout = "tree"\n\n[scope]\nmembers = ["m"] # why\n'
    (here / "shimgen.toml").write_text(mine)
    assert run("init", "--force").exit_code == 0
    text = (here / "shimgen.toml").read_text()
    assert text.startswith('# mine\nprofile = "sglang"  # ours\ncheckout = "tree"\n\n[scope]\nmembers = ["m"] # why\n')
    assert seen[0].profile_name == "generic"
    assert f'commit = "{ANALYSIS.baseline.id}"' in text


def test_init_by_force_starts_anew_when_the_file_is_broken(here: Path, seen: list[Settings]) -> None:
    (here / "shimgen.toml").write_text("profile = \n")
    assert run("init", "--force").exit_code == 0
    assert run("scan").exit_code == 0


def test_init_with_an_unknown_profile_writes_nothing(here: Path, seen: list[Settings]) -> None:
    result = run("init", "--profile", "sglan")
    assert (result.exit_code, seen, list(here.iterdir())) == (2, [], [])
    assert 'there is no profile "sglan"; did you mean "sglang"?' in result.stderr


def test_init_pins_a_package_by_digest(here: Path, seen: list[Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    package = Recognition(Baseline("package", "d" * 40, version="0.5.9"), "sglang")
    monkeypatch.setattr(pipeline, "recognise", lambda settings: package)
    assert run("init").exit_code == 0
    assert f'version = "0.5.9"\ndigest = "{"d" * 40}"\n' in (here / "shimgen.toml").read_text()


def test_patch_lists_its_files(seen: list[Settings]) -> None:
    assert run("patch", "-o", "out").stdout == "out/0001-one.patch\n"


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("shimgen 0.")
    listed = [line.split()[0] for line in run("--help").stdout.splitlines() if line.startswith("  ")]
    assert [name for name in listed if name in COMMANDS] == [
        "init", "scan", "diff", "apply", "check", "patch", "explain", "verify", "revert",
    ]  # fmt: skip


HEAVY = ("libcst", "git", "rich", "jinja2", "black", "tomlkit", "shimgen.index", "shimgen.gaps", "shimgen.shims")
LOADED = (
    "import os, sys; from shimgen.cli.main import main;"
    f"os._exit = lambda code: print(sorted(sys.modules.keys() & {HEAVY!r}), file=sys.stderr);"
    "sys.argv = ['shimgen', *sys.argv[1:]]; main()"
)


@pytest.mark.parametrize("words", [["scan"], ["check"], ["explain", "PictureForConditionalGeneration"]])
def test_what_is_known_loads_nothing_heavy(words: list[str], tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(Path(__file__).parents[1] / "fixtures" / "mini" / "before", tree)
    env = {**os.environ, "SHIMGEN_CACHE_DIR": str(tmp_path / "cache")}

    def run_once() -> tuple[str, list[str]]:
        command = [sys.executable, "-c", LOADED, *words, str(tree)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        return done.stdout, ast.literal_eval(done.stderr.splitlines()[-1])

    first, loaded = run_once()
    assert "shimgen.gaps" in loaded, "what is new has to be analysed"
    again, loaded = run_once()
    assert loaded == []
    assert without_seconds(again) == without_seconds(first)


def test_a_gate_over_applied_shims_analyses_nothing(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(Path(__file__).parents[1] / "fixtures" / "mini" / "before", tree)
    env = {**os.environ, "SHIMGEN_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-m", "shimgen", "apply", tree], check=True, env=env, capture_output=True)

    def check() -> tuple[int, str, list[str]]:
        command = [sys.executable, "-c", LOADED, "check", str(tree)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
        return done.returncode, without_seconds(done.stdout), ast.literal_eval(done.stderr.splitlines()[-1])

    first, again = check(), check()
    assert again[:2] == first[:2]
    assert "0 stale shims" in again[1]
    assert not {"libcst", "git", "shimgen.index"} & set(again[2]), "no file is parsed, and no name is resolved"


def without_seconds(text: str) -> str:
    return re.sub(r"[\d.]+ s$", "", text, flags=re.MULTILINE)


DIFF = (
    "from shimgen import pipeline; from shimgen.cli.main import main; from tests.builders import ANALYSIS, Outcome;"
    "pipeline.generate = lambda settings: Outcome(ANALYSIS, (), b'x' * 10_000_000);"
    "import sys; sys.argv = ['shimgen', 'diff', '--quiet', *sys.argv[1:]]; main()"
)


def process(stdout: int, here: Path, *words: str) -> subprocess.Popen[bytes]:
    """`shimgen diff` of ten megabytes, with a real process and a real stdout."""
    root = Path(__file__).parents[1]
    env = {"PYTHONPATH": f"{root / 'src'}:{root}", "PATH": ""}
    command = [sys.executable, "-c", DIFF, *words]
    return subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, cwd=here, env=env)


def test_a_reader_who_leaves_early_is_no_error(here: Path) -> None:
    with process(subprocess.PIPE, here) as running:
        assert running.stdout and running.stderr
        running.stdout.close()
        complaints = running.stderr.read()
    assert (running.returncode, complaints) == (141, b"")


@pytest.mark.parametrize("words", [(), ("--help",)])
def test_a_stdout_that_cannot_be_written_is_a_sentence(here: Path, words: tuple[str, ...]) -> None:
    with Path(os.devnull).open("rb") as stdout, process(stdout.fileno(), here, *words) as running:
        assert running.stderr
        complaints = running.stderr.read().decode()
    assert running.returncode == 4
    assert complaints.startswith("shimgen: cannot ")
    assert complaints.endswith("stdout: Bad file descriptor\n")
    assert complaints.count("\n") == 1


def test_no_stdout_at_all(here: Path) -> None:
    script = "import sys; sys.stdout = None;" + DIFF
    root = Path(__file__).parents[1]
    env = {"PYTHONPATH": f"{root / 'src'}:{root}", "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=here, env=env, check=False
    )
    assert (done.returncode, done.stderr) == (4, "shimgen: there is no stdout to write the result to\n")
