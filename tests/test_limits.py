"""Files that no parser likes and runs that somebody ends: a sentence, an exit code, and nothing half done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.commands import miniature, run
from tests.gitrepo import Repo

STACK = "python/sglang/srt/"
DEEP = {
    "elif": "        if a:\n            pass\n" + "        elif a:\n            pass\n" * 600,
    "sum": f"        a = 1{' + 1' * 1500}\n",
    "chain": f"        a = b{'.c' * 1500}\n",
    "calls": f"        a = b{'()' * 1500}\n",
    "lambda": f"        a = {'lambda: ' * 1500}1\n",
    "not parsed": f"        a = {'-' * 100_000}1\n",
}


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    return miniature("mini", tmp_path, monkeypatch)


def with_first_line(content: bytes, line: str) -> bytes:
    """The content with a line in its first method."""
    head, _, tail = content.partition(b"    def ")
    signature, _, rest = tail.partition(b":\n")
    return head + b"    def " + signature + b":\n" + line.encode() + rest


@pytest.mark.parametrize("deep", DEEP)
@pytest.mark.parametrize("name", ["models/picture.py", "models/plain.py", "speculative/eagle_worker.py"])
def test_what_is_nested_too_deeply_is_left_out_or_stops_the_patch(mini: Repo, name: str, deep: str) -> None:
    path = STACK + name
    mini.commit({path: with_first_line(mini.read(path), DEEP[deep])})
    before = mini.snapshot()
    check, apply = run("check", mini.path), run("apply", mini.path)
    assert check.exit_code in (0, 1), check.stderr
    if apply.exit_code:
        assert f"{path} does not compile: maximum recursion depth exceeded" in apply.stderr
        assert apply.exit_code == 4
        assert mini.snapshot() == before
    else:
        left_out = f"note: left out {path}: too large, or nested too deeply\n"
        assert (left_out in check.stderr) == (left_out in apply.stderr)
        assert left_out in apply.stderr or mini.snapshot() != before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_ends_a_run_lets_it_tidy_up(number: signal.Signals) -> None:
    script = textwrap.dedent("""
        import os, signal, sys, time
        from shimgen import pipeline
        from shimgen.cli.main import main

        signal.signal(signal.SIGINT, signal.default_int_handler)  # which one that runs in the background ignores
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and this one, under nohup

        def wait(settings):
            try:
                os.write(1, b"begun\\n")
                time.sleep(60)
            finally:
                os.write(1, b"tidied up\\n")

        pipeline.analyse = wait
        sys.argv = ["shimgen", "scan"]
        main()
    """)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    process.send_signal(number)
    output, errors = process.communicate(timeout=30)
    assert (output, errors, process.returncode) == (b"tidied up\n", b"shimgen: interrupted\n", 130)


def test_an_interruption_before_a_command_begins() -> None:
    """Exit code 1 would mean that a gap is to be closed."""
    script = textwrap.dedent("""
        import sys
        from shimgen.cli import console, main

        def interrupted(*arguments):
            raise KeyboardInterrupt

        console.Commands.parse_args = interrupted
        sys.argv = ["shimgen", "check"]
        main.main()
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, b"", b"shimgen: interrupted")


@pytest.mark.parametrize("words", [["--help"], ["diff", "--help"], ["--version"]])
def test_a_reader_of_help_that_goes_away(words: list[str]) -> None:
    source, target = os.pipe()
    os.close(source)
    done = subprocess.run([sys.executable, "-m", "shimgen", *words], stdout=target, stderr=subprocess.PIPE)
    os.close(target)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nonsense"], "Error: No such command 'nonsense'."),
        (["check", "--nonsense"], "--nonsense"),
        (["explain"], "Error: Missing argument 'CLASS[.MEMBER]'."),
        (["check", "--severity", "x"], "Error: Invalid value for '--severity'"),
        ([], "[OPTIONS] COMMAND [ARGS]..."),
    ],
)
def test_usage_errors_of_the_program(words: list[str], says: str) -> None:
    done = subprocess.run([sys.executable, "-m", "shimgen", *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.startswith("Usage: python -m shimgen")


def test_a_hangup_that_is_ignored_stays_ignored() -> None:
    """As under nohup."""
    script = textwrap.dedent("""
        import os, signal, sys
        from shimgen.cli import main

        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        main._run = lambda: os.kill(os.getpid(), signal.SIGHUP) or 7
        main.main()
    """)
    assert subprocess.run([sys.executable, "-c", script], timeout=30).returncode == 7
