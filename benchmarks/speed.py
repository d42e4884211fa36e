"""How long shimgen takes: `python -m benchmarks.speed [--quick] [--runs N] [--write PAGE]`, printed as Markdown.

Each time is the median of the wall times of fresh processes, and every goal is a ratio of two medians of this run. A
goal that is missed is no error: times depend on the machine, and on what else it does.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import shimgen
from benchmarks import releases, trees
from benchmarks.tables import ROOT, markdown, replaced
from benchmarks.timing import Case, environment, medians, megabytes, seconds

RELEASES = ("0.5.9", "0.5.23")
NEIGHBOURS = ("0.5.10.post1", "0.5.11")
PARTS = (0.25, 0.5)
COUNTS = (1, 10, 100)
KINDS: dict[str, trees.Kind] = {
    "a comment at the end": trees.comment,
    "a line in a method": trees.line,
    "a method more": trees.method,
}
BARE, PARSE, COLD, WARM, DIFF = "python -c pass", "ast.parse of every file", "scan, cold", "scan, warm", "diff, cold"
UPGRADE, RULE = "upgrade, warm", "ast-grep, one rule"
TOOLS = os.pathsep.join([str(ROOT / ".venv-bench" / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
MARKER = "make bench"

PARSE_ALL = """
import ast, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    try:
        ast.parse(path.read_bytes())
    except SyntaxError:
        pass
"""
PARSE_CST = """
import pathlib, sys
import libcst
for name in sys.argv[1:]:
    libcst.parse_module(pathlib.Path(name).read_bytes())
"""

Figures = Mapping[str, float]
"""What was measured by the names of the cases, which begin with the release."""


@dataclass(frozen=True, slots=True)
class Goal:
    """One figure, or the ratio of it to another one, is at most `limit`."""

    title: str
    limit: float
    figure: str
    of: str = ""
    unit: str = ""

    def row(self, figures: Figures) -> tuple[str, str, str, str]:
        """Goal, limit, measured, and whether it is met; nothing is claimed of what was not measured."""
        limit = f"{self.limit:g}{self.unit}"
        if self.figure not in figures or (self.of and self.of not in figures):
            return self.title, limit, "not measured", ""
        found = figures[self.figure] / (figures[self.of] if self.of else 1)
        return self.title, limit, f"{found:.2f}{self.unit}", "yes" if found <= self.limit else "**no**"


GOALS = (
    Goal("cold scan, of `ast.parse` of every file", 0.35, f"0.5.9 {COLD}", f"0.5.9 {PARSE}"),
    Goal("cold scan, of ast-grep with one rule", 1, f"0.5.9 {COLD}", f"0.5.9 {RULE}"),
    Goal("cold diff, of the cold scan", 1.5, f"0.5.9 {DIFF}", f"0.5.9 {COLD}"),
    Goal("warm scan, of bare Python", 15, f"0.5.9 {WARM}", BARE),
    Goal("warm scan of 0.5.23, of bare Python", 30, f"0.5.23 {WARM}", BARE),
    *(Goal(f"scan after {kind} of 1 file, of the warm scan", 1.3, f"1 {kind}", f"0.5.9 {WARM}") for kind in KINDS),
    Goal(f"upgrade from {' to '.join(NEIGHBOURS)}, both cached", 1, UPGRADE, unit=" s"),
    *(Goal(f"peak memory of a cold scan of {v}", 150, f"{v} {COLD} MB", unit=" MB") for v in RELEASES),
)


@dataclass(frozen=True, slots=True)
class Release:
    """A release in a git repository, and what a first scan found there, which fills the cache of the warm scans.

    `applied`: a checkout of the same that has its shims. `files`: how many Python files; `wrappers`: the files of the
    wrappers; `gap`: a class and member to explain;
    `member`, `attribute`: what is demanded most, and the most common name of a delegate, for the tools that search.
    """

    version: str
    tree: Path
    applied: Path
    warm: Path
    files: int
    wrappers: tuple[str, ...]
    gap: str
    member: str
    attribute: str


def prepare(version: str, folder: Path) -> Release:
    """Unpack a release below `folder` and scan it once."""
    tree, applied = (releases.checkout(version, folder / name) for name in (version, f"{version}-applied"))
    warm = folder / f"{version}-warm"
    command, env = [*_shimgen("scan", tree), "--json"], environment(os.environ, warm)
    done = subprocess.run(command, env=env, cwd=folder, check=True, stdout=subprocess.PIPE)
    subprocess.run(_shimgen("apply", applied), env=env, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    found = json.loads(done.stdout)
    gap = found["gaps"][0]
    sites = Counter({demand["member"]: len(demand["sites"]) for demand in found["demands"]})
    attributes = Counter(wrapper["delegate"]["attribute"] for wrapper in found["wrappers"])
    return Release(
        version,
        tree,
        applied,
        warm,
        found["stats"]["files"],
        tuple(sorted({wrapper["path"] for wrapper in found["wrappers"]})),
        f"{gap['wrapper']}.{gap['member']}",
        sites.most_common(1)[0][0],
        attributes.most_common(1)[0][0],
    )


def warm_cases(release: Release) -> Iterator[Case]:
    """What is short: shimgen where all is known, and between that bare Python."""
    bare = Case(BARE, (sys.executable, "-c", "pass"))
    asked = {
        WARM: ("scan", release.tree),
        "check, warm": ("check", release.tree),
        "check, warm, shims applied": ("check", release.applied),
        "explain, warm": ("explain", release.gap, release.tree),
    }
    for name, words in asked.items():
        yield bare
        yield Case(f"{release.version} {name}", _shimgen(*words), release.warm)


def cold_cases(release: Release, folder: Path) -> Iterator[Case]:
    """`ast.parse`, and shimgen without anything known."""
    yield Case(f"{release.version} {PARSE}", (sys.executable, "-c", PARSE_ALL, str(release.tree)))
    yield _cold(f"{release.version} {COLD}", _shimgen("scan", release.tree), folder)
    if release.version == RELEASES[0]:
        yield _cold(f"{release.version} {DIFF}", _shimgen("diff", release.tree), folder)


def other_cases(release: Release) -> Iterator[Case]:
    """A diff where all is known, and what other tools take for a part of that work."""
    version, tree = release.version, str(release.tree)
    yield Case(f"{version} diff, warm", _shimgen("diff", release.tree), release.warm)
    wrappers = [str(release.tree / path) for path in release.wrappers]
    yield Case(f"{version} libcst, the wrappers' files", (sys.executable, "-c", PARSE_CST, *wrappers))
    if ruff := shutil.which("ruff", path=TOOLS):
        command = (ruff, "check", "--no-cache", "--isolated", "--quiet", "--exit-zero", tree)
        yield Case(f"{version} ruff check --no-cache", command)
    if found := shutil.which("ast-grep", path=TOOLS):
        pattern = f"self.{release.attribute} = $MADE($$$ARGUMENTS)"
        yield Case(f"{version} {RULE}", (found, "run", "--lang", "python", "--pattern", pattern, tree))
    if ripgrep := shutil.which("rg", path=TOOLS):
        yield Case(f"{version} ripgrep, one name", (ripgrep, "--count", "--word-regexp", release.member, tree))
    else:
        command = ("git", "-C", tree, "grep", "--count", "--word-regexp", release.member)
        yield Case(f"{version} git grep, one name (ripgrep is absent)", command)


def edited_cases(release: Release, counts: Sequence[int], folder: Path) -> Iterator[Case]:
    """Scans of a warm checkout after edits: of a wrapper's file, or of so many model files."""
    tree = releases.checkout(release.version, folder / f"{release.version}-edited")
    models = trees.model_files(tree)
    wrappers = [path for path in release.wrappers if path in models]
    scan = Case("", _shimgen("scan", tree), release.warm)
    for count in counts:
        paths = trees.spaced(wrappers if count == 1 else models, count)
        for name, kind in KINDS.items():
            edit = trees.Edited(tree, paths, kind, lambda: seconds(scan))
            yield Case(f"{count} {name}", _shimgen("scan", tree), release.warm, edit)


def part_cases(release: Release, folder: Path) -> Iterator[Case]:
    """Cold and warm scans of parts of a release."""
    for share in PARTS:
        tree = trees.part(release.tree, share, folder / f"{release.version}-{share:.0%}")
        yield _cold(f"{share:.0%} {COLD}", _shimgen("scan", tree), folder)
        yield Case(f"{share:.0%} {WARM}", _shimgen("scan", tree), folder / "cold")


def upgrade_case(folder: Path) -> Case:
    """An upgrade between two releases of one repository, both in the cache."""
    tree = releases.history(NEIGHBOURS, folder / "neighbours")
    case = Case(UPGRADE, _shimgen("upgrade", *(f"v{version}" for version in NEIGHBOURS), tree), folder / "upgrade")
    seconds(case)
    return case


def measure(runs: int, quick: bool, folder: Path) -> tuple[list[Release], Figures]:
    """Everything; `quick` leaves out the larger release, other tools, parts and memory."""
    compileall.compile_dir(Path(shimgen.__file__).parent, quiet=1)
    found = [prepare(version, folder) for version in (RELEASES[:1] if quick else RELEASES)]
    smaller, larger = found[0], found[-1]
    short = [*warm_cases(smaller), *edited_cases(smaller, COUNTS[:1] if quick else COUNTS, folder)]
    short += [] if quick else warm_cases(larger)
    others = [case for release in found for case in cold_cases(release, folder)]
    if not quick:
        others += [case for release in found for case in other_cases(release)]
        others += [*part_cases(larger, folder), upgrade_case(folder)]
    figures = {**medians(short, runs, seconds), **medians(others, runs, seconds)}  # the long ones leave files to write
    if quick:
        return found, figures
    names = {f"{release.version} {what}" for release in found for what in (COLD, WARM, DIFF)}
    memory = medians([case for case in (*short, *others) if case.name in names], min(runs, 3), megabytes)
    return found, {**figures, **{f"{name} MB": value for name, value in memory.items()}}


def report(found: Sequence[Release], figures: Figures, runs: int, quick: bool) -> str:
    """All tables."""
    goals = [goal for goal in GOALS if not quick or (goal.figure in figures and goal.of in figures)]
    reached = [goal.row(figures) for goal in goals]
    return "\n\n".join(
        [
            f"{os.cpu_count()} cores, {platform.python_implementation()} {platform.python_version()}, "
            f"{platform.system()}; medians of {runs} runs that take turns.",
            markdown(("goal, at SGLang 0.5.9", "at most", "measured", "met"), reached),
            *(_times(release, figures) for release in found),
            _edits(figures),
            *([] if quick else [_growth(found[-1], figures), _memory(figures)]),
        ]
    )


def _times(release: Release, figures: Figures) -> str:
    """The times of one release, and what they are of `ast.parse` and of bare Python."""
    start = f"{release.version} "
    own = {name.removeprefix(start): value for name, value in figures.items() if name.startswith(start)}
    rows = [
        (name, f"{value:.3g}", f"{value / own[PARSE]:.2g}", f"{value / figures[BARE]:.0f}")
        for name, value in {BARE: figures[BARE], **own}.items()
        if not name.endswith(" MB")
    ]
    header = (f"SGLang {release.version}, {release.files:,} files", "seconds", "of ast.parse", "of bare Python")
    return markdown(header, rows)


def _edits(figures: Figures) -> str:
    warm = figures[f"{RELEASES[0]} {WARM}"]
    names = [(count, name) for name in KINDS for count in COUNTS if f"{count} {name}" in figures]
    rows = [
        (name, count, f"{figures[f'{count} {name}']:.3g}", f"{figures[f'{count} {name}'] / warm:.2f}")
        for count, name in names
    ]
    return markdown(("edited since the last scan, at 0.5.9", "files", "seconds", "of the warm scan"), rows)


def _growth(release: Release, figures: Figures) -> str:
    names = [f"{share:.0%}" for share in PARTS]
    rows = [
        (name, *(f"{figures[f'{start} {what}']:.3g}" for what in (COLD, WARM)))
        for name, start in [*zip(names, names, strict=True), ("100%", release.version)]
    ]
    rows.append(("full to 25%", *(_ratio(figures, release.version, names[0], what) for what in (COLD, WARM))))
    return markdown((f"share of the {release.files:,} files of {release.version}", COLD, WARM), rows)


def _ratio(figures: Figures, start: str, other: str, what: str) -> str:
    return f"{figures[f'{start} {what}'] / figures[f'{other} {what}']:.1f} times"


def _memory(figures: Figures) -> str:
    rows = [(name.removesuffix(" MB"), f"{value:.0f}") for name, value in figures.items() if name.endswith(" MB")]
    return markdown(("peak memory of all processes together", "MB"), rows)


def _shimgen(*arguments: object) -> tuple[str, ...]:
    return (str(Path(sys.executable).with_name("shimgen")), *map(str, arguments))


def _cold(name: str, command: tuple[str, ...], folder: Path) -> Case:
    cache = folder / "cold"
    forget: Callable[[], object] = lambda: shutil.rmtree(cache, ignore_errors=True)  # noqa: E731
    return Case(name, command, cache, forget)


def main() -> int:
    """Command line; prints the tables, or writes them into a page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--runs", type=int, default=0, help="how many of each (default: 5, with --quick 3)")
    parser.add_argument("--quick", action="store_true", help=f"only {RELEASES[0]}, and no other tools")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the tables between the markers of this page")
    options = parser.parse_args()
    runs = options.runs or (3 if options.quick else 5)
    page = options.write.read_text(encoding="utf-8") if options.write else ""
    if options.write:
        replaced(page, MARKER, "")
    with tempfile.TemporaryDirectory() as folder:
        text = report(*measure(runs, options.quick, Path(folder)), runs, options.quick)
    if options.write:
        options.write.write_text(replaced(page, MARKER, f"\n{text}\n"), encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
