"""The same answer, to the byte, whether facts are new or known, and whichever process extracted them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from shimgen import pipeline
from shimgen.config import Settings
from shimgen.index import Index
from shimgen.pipeline import analysis
from shimgen.pipeline.memory import Finding
from shimgen.pipeline.session import Session

FIXTURE = Path(__file__).parents[2] / "fixtures" / "mini" / "before"
MODELS = Path("python/sglang/srt/models")
# Forking belongs into a process without other threads, and test runners have some. A tree is small in a test: spread
# even that.
SCRIPT = """
import json, os, sys
from importlib import import_module
from pathlib import Path
from shimgen import pipeline
from shimgen.config import Settings
from shimgen import workers
from shimgen.index import gather
from shimgen.model.domain import Scope
from shimgen.report.json import render

gather._TEXTS, gather._MODULES = 2, 1
import_module("shimgen.shims.generate")._MANY = 1
for how, cache, command in json.loads(sys.argv[2]):
    workers.available = lambda: 3 if how == "parallel" else 1
    gather._FEW = 10**6 if how == "lazy" else 0
    os.environ["SHIMGEN_CACHE_DIR"] = cache
    settings = Settings(Path(sys.argv[1]), scope=Scope(severity="all"), use_cache=bool(cache))
    if command == "scan":
        sys.stdout.write(json.dumps(render(pipeline.analyse(settings))) + "\\n")
    elif command == "explain":
        found = pipeline.explain(settings, lambda analysis: analysis)
        document = [found.shims, list(found.provided.items()), found.analysis.gaps]
        sys.stdout.write(json.dumps(repr(document)) + "\\n")
    else:
        sys.stdout.write(json.dumps(pipeline.generate(settings).patch.decode()) + "\\n")
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The miniature stack, with every model file there several times, and one file that is no Python."""
    folder = tmp_path / "tree"
    shutil.copytree(FIXTURE, folder)
    for number in range(5):
        for path in sorted((FIXTURE / MODELS).glob("*.py")):
            text = path.read_text(encoding="utf-8").replace("srt.models.plain", f"srt.models.copy{number}.plain")
            copy = folder / MODELS / f"copy{number}" / path.name
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(text, encoding="utf-8")
    (folder / MODELS / "broken.py").write_text("class Broken:\n  def\n", encoding="utf-8")
    return folder


def run(tree: Path, *ways: tuple[str, str | Path, str]) -> list[str]:
    """What commands give, each run by a way and with a cache, "" for none."""
    wanted = json.dumps([(how, str(cache), command) for how, cache, command in ways])
    done = subprocess.run([sys.executable, "-c", SCRIPT, tree, wanted], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def scans(tree: Path, *ways: tuple[str, str | Path]) -> list[tuple[str, dict[str, int]]]:
    """The JSON of scans without what runs may differ in, and their statistics."""
    found = []
    for output in run(tree, *((how, cache, "scan") for how, cache in ways)):
        document = json.loads(output)
        stats = document.pop("stats")
        document["stats"] = {name: stats[name] for name in ("files", "filtered", "lines")}
        found.append((json.dumps(document), stats))
    return found


def test_new_known_parallel_serial_and_without_a_cache(tree: Path, tmp_path: Path) -> None:
    caches = [tmp_path / name for name in ("one", "two", "three")]
    new = [("parallel", caches[0]), ("serial", caches[1]), ("lazy", caches[2])]
    without = [("parallel", ""), ("serial", ""), ("lazy", "")]
    found = scans(tree, *new, *new, *without)
    answers, stats = [answer for answer, _ in found], [stats for _, stats in found]
    assert answers == answers[:1] * 9
    assert len(json.loads(answers[0])["gaps"]) > 12
    size = stats[0]["parsed"]
    assert size > 25
    assert [(s["parsed"], s["cached"]) for s in stats] == [(size, 0)] * 3 + [(0, size)] * 3 + [(size, 0)] * 3


def test_a_spoiled_cache_does_not_show(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHIMGEN_CACHE_DIR", str(tmp_path / "cache"))
    first = pipeline.analyse(Settings(tree))
    path = next((tmp_path / "cache").iterdir())
    whole = path.read_bytes()
    for content in (b"", b"no database", whole[: len(whole) // 2], whole.replace(b"forward", b"inwards")):
        path.write_bytes(content)
        again = pipeline.analyse(Settings(tree))
        assert replace(again, stats=first.stats) == first


def test_one_edited_file_is_seen_and_costs_one_file(tree: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    ((before, _),) = scans(tree, ("parallel", cache))
    path = tree / MODELS / "copy3" / "plain.py"
    path.write_text(path.read_text(encoding="utf-8").replace("def ", "def un", 1), encoding="utf-8")
    (after, stats), (fresh, _) = scans(tree, ("parallel", cache), ("serial", ""))
    assert stats["parsed"] == 1
    assert after != before
    assert after == fresh


@pytest.mark.parametrize("command", ["diff", "explain"])
def test_shims_are_the_same_by_every_way(command: str, tree: Path, tmp_path: Path) -> None:
    new = [("parallel", tmp_path / "one", command), ("lazy", tmp_path / "two", command)]
    texts = run(tree, *new, *new, ("parallel", "", command), ("serial", "", command))
    assert texts == texts[:1] * 6
    assert texts[0].count("# shimgen: forwards to") > 10


# What an editor may do to one file of the tree, by what was found before; whether that is still known to hold.
EDITS: dict[str, tuple[str, str, str, bool]] = {
    "a comment at the end": ("copy1/plain.py", r"\Z", "# nothing\n", True),
    "a line within a body": (
        "copy1/plain.py",
        r"self\.model = PlainModel\(config\)",
        "self.model  =  PlainModel(config)",
        True,
    ),
    "a comment outside of the package": ("../../../setup.py", r"\A", "# nothing\n", True),
    "a line with a demand moved": ("../mem_cache.py", r"\A", "# nothing\n", True),
    "lines moved": ("copy1/plain.py", r"\A", "# nothing\n", True),
    "lines moved up": ("copy1/plain.py", r"\n\n\nclass ", "\nclass ", True),
    "a body that grows": ("copy1/plain.py", r"(?m)^        super\(\).*$", r"\g<0>\n        note = 1", True),
    "a body that grows at its end": ("copy1/plain.py", r"(?<=weight = head\n)", "        note = 1\n", True),
    "members in another order": (
        "copy1/plain.py",
        r"(?s)(    def get_embed_and_head\(.*?\n\n)(    def set_embed.*?\n\n)",
        r"\2\1",
        False,
    ),
    "two statements in one line": ("copy1/plain.py", r"(bias=False\))\n +(?=self)", r"\1; ", False),
    "a file that no longer parses": ("copy1/plain.py", r"\Z", "def\n", False),
    "a new member": ("copy1/plain.py", r"\Z", "\n\ndef helper():\n    pass\n", False),
    "a member renamed": ("copy1/plain.py", r"def get_embed_and_head", "def get_embed_and_tail", False),
    "other parameters": (
        "copy1/plain.py",
        r"def get_embed_and_head\(self",
        "def get_embed_and_head(self, more=1",
        False,
    ),
    "the engine asks for more": ("../mem_cache.py", r"\Z", "\n\ndef ask(model):\n    return model.vanish()\n", False),
}
"""A text for the pattern in a file of the models folder (Python's `re`)."""


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_never_shows_what_was_found_before(
    name: str, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, pattern, new, holds = EDITS[name]
    path = tree / MODELS / file
    if not path.exists():
        path.write_text("def keep(model):\n    return model.start_layer\n", encoding="utf-8")
    monkeypatch.setenv("SHIMGEN_CACHE_DIR", str(tmp_path / "cache"))
    pipeline.analyse(Settings(tree))
    text = path.read_text(encoding="utf-8")
    edited, places = re.subn(pattern, new, text, count=1)
    assert places == 1
    path.write_text(edited, encoding="utf-8")
    analysed: list[Index] = []
    real = analysis._find

    def find(session: Session, program: Index, gathered: Callable[[Index], None]) -> Finding:
        analysed.append(program)
        return real(session, program, gathered)

    monkeypatch.setattr(analysis, "_find", find)
    cached = pipeline.analyse(Settings(tree))
    assert bool(analysed) == (not holds)
    fresh = pipeline.analyse(Settings(tree, use_cache=False))
    assert replace(cached, stats=fresh.stats) == fresh
    assert cached.stats.lines == fresh.stats.lines
    path.write_text(text, encoding="utf-8")
    del analysed[:]
    pipeline.analyse(Settings(tree))
    assert not analysed, "what was found before the edit is known still"
    other = tree / MODELS / "copy2" / "plain.py"
    other.write_text(other.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")
    assert pipeline.analyse(Settings(tree)).stats.parsed == 1
    assert not analysed, "and so is what it looked like, whatever was analysed last"


def test_a_file_whose_name_is_no_text(tree: Path, tmp_path: Path) -> None:
    try:
        shutil.copy(tree / MODELS / "picture.py", os.fsdecode(os.fsencode(tree / MODELS) + b"/\xff.py"))
    except OSError:
        pytest.skip("this file system has no such names")
    cache = tmp_path / "cache"
    found = scans(tree, ("serial", cache), ("serial", cache), ("parallel", ""))
    assert len({answer for answer, _ in found}) == 1
    assert "\\udcff.py" in found[0][0]
    for command in ("diff", "explain"):
        texts = run(tree, ("serial", cache, command), ("serial", cache, command), ("parallel", "", command))
        assert len(set(texts)) == 1
