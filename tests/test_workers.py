"""Every task is done once, by whichever process; what another process loses is left to the caller."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

# Forking belongs into a process without other threads, and test runners have some.
SCRIPT = """
import os, signal, sys, time
from shimgen import workers

done = []

def here(number):
    {here}
    done.append(number)

def away(number):
    {away}
    return b"%d" % number

results = [int(r[:8]) for r in workers.spread({tasks}, here, away, {processes})]
try:
    os.waitpid(-1, os.WNOHANG)
    print("a process is left")
except ChildProcessError:
    pass
print(sorted(done + results) == list(range({tasks})), len(done), len(results))
"""


def run(away: str = "pass", tasks: int = 40, processes: int = 3, here: str = "pass") -> list[str]:
    script = SCRIPT.format(away=away, tasks=tasks, processes=processes, here=here)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(("tasks", "processes"), [(0, 3), (1, 3), (2, 1), (40, 1), (40, 2), (500, 4)])
def test_each_task_is_done_once(tasks: int, processes: int) -> None:
    whole, here, elsewhere = run(tasks=tasks, processes=processes)
    assert (whole, int(here) + int(elsewhere)) == ("True", tasks)


def test_the_other_processes_take_part() -> None:
    assert int(run("pass", 200, 2, here="time.sleep(0.01)")[2]) > 0


def test_results_longer_than_a_pipe_come_whole() -> None:
    whole, here, elsewhere = run("return (b'%08d' % number) * 40_000", 12, 2)
    assert (whole, int(here) + int(elsewhere)) == ("True", 12)


@pytest.mark.parametrize("way", ["raise OSError", "os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)", "sys.exit(3)"])
def test_what_a_process_fails_to_do_is_left_out(way: str) -> None:
    _, here, elsewhere = run(f"time.sleep(0.01); {way}", 20, 3)
    assert (elsewhere, int(here) >= 18) == ("0", True)


def test_an_error_in_this_process_is_raised_and_ends_the_others() -> None:
    script = textwrap.dedent("""
        import os, time
        from shimgen import workers

        def here(number):
            raise ValueError("mine")

        try:
            list(workers.spread(3, here, lambda number: time.sleep(60), 3))
        except ValueError as error:
            print(error)
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            print("none is left")
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)
    assert done.stdout.splitlines() == ["mine", "none is left"]


def test_an_interrupted_run_leaves_no_process_and_no_traceback_of_others() -> None:
    script = textwrap.dedent("""
        import os, signal, time
        from shimgen import workers

        signal.signal(signal.SIGINT, signal.default_int_handler)  # which one that runs in the background ignores

        def wait(number):
            os.write(1, b"begun\\n")
            time.sleep(60)

        try:
            list(workers.spread(3, wait, wait, 3))
        except KeyboardInterrupt:
            print("interrupted")
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
    )
    assert process.stdout is not None
    for _ in range(3):
        assert process.stdout.readline() == "begun\n"
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert (output, errors, process.returncode) == ("interrupted\n", "", 0)


def test_where_no_process_can_be_begun_this_one_does_everything() -> None:
    script = textwrap.dedent("""
        import os
        from shimgen import workers

        def refuse():
            raise BlockingIOError(11, "Resource temporarily unavailable")

        os.fork = refuse
        done = []
        print(list(workers.spread(3, done.append, lambda number: b"away", 3)), done)
        with workers.Standby() as standby:
            standby.begin(lambda: None, lambda order: order)
            print(standby.ask(b"made"))
        print(sorted(int(n) for n in os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else "")
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50, check=True)
    assert done.stdout.splitlines()[:2] == ["[] [0, 1, 2]", "None"]
    assert done.stdout.splitlines()[2] in ("", "[0, 1, 2, 3]")


STANDBY = """
import os, signal, sys, time
from shimgen import workers

workers.os.sched_getaffinity = lambda _: range({cores})
with workers.Standby() as standby:
    standby.begin(lambda: {prepare}, lambda order: {work})
    print(workers.available())
    {then}
try:
    os.waitpid(-1, os.WNOHANG)
    print("a process is left")
except ChildProcessError:
    print("none is left", workers.available())
"""


@pytest.mark.parametrize(
    ("prepare", "work", "then", "cores", "expected"),
    [
        ("None", "order * 2", "print(standby.ask(b'now'))", 2, ["1", "b'nownow'", "none is left 2"]),
        ("None", "order * 9", "print(len(standby.ask(b'x' * 90_000)))", 3, ["2", "810000", "none is left 3"]),
        ("None", "order", "print(standby.ask(b''), standby.ask(b'again'))", 2, ["1", "b'' None", "none is left 2"]),
        ("None", "order", "pass", 2, ["1", "none is left 2"]),
        ("time.sleep(60)", "order", "pass", 2, ["1", "none is left 2"]),
        ("None", "order", "print(standby.ask(b'now'))", 1, ["1", "None", "none is left 1"]),
        ("sys.exit(3)", "order", "print(standby.ask(b'x' * 90_000))", 2, ["1", "None", "none is left 2"]),
        ("None", "os.kill(os.getpid(), signal.SIGKILL)", "print(standby.ask(b''))", 2, ["1", "None", "none is left 2"]),
        ("None", "1 / 0", "print(standby.ask(b''))", 2, ["1", "None", "none is left 2"]),
    ],
)
def test_a_process_that_stands_by(prepare: str, work: str, then: str, cores: int, expected: list[str]) -> None:
    script = STANDBY.format(prepare=prepare, work=work, then=then, cores=cores)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)
    assert (done.stdout.splitlines(), done.stderr) == (expected, "")


def test_a_process_that_stands_by_ends_with_the_one_that_began_it() -> None:
    script = textwrap.dedent("""
        import os, signal, time
        from shimgen import workers

        workers.os.sched_getaffinity = lambda _: range(2)
        standby = workers.Standby()
        standby.begin(lambda: None, lambda order: b"")
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.communicate(timeout=50)[0] == b""  # it holds the stream as long as it lives
    assert process.returncode == -signal.SIGKILL
