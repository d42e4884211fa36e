"""Demands: cases of engine code, and what the profiles make of it."""

from __future__ import annotations

import ast
import random
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from shimgen.demands import collect, unnamed
from shimgen.index.program import Index
from shimgen.index.uses import extract_uses, may_hold_uses
from shimgen.model.domain import Demand, Site, SiteKind
from shimgen.model.profile import Profile
from shimgen.model.source import memory_tree
from shimgen.profiles import from_table, load
from tests.support import Case, cases, load_case

EAGLE = "sglang/srt/speculative/eagle_worker.py"
LOADER = "sglang/srt/model_loader/loader.py"


def demands_in(files: Mapping[str, bytes], profile: Profile | None = None) -> tuple[Demand, ...]:
    """The demands of a pretend checkout; the package may stand below `python/`."""
    root = "python/" if all(path.startswith("python/") for path in files) else ""
    used = profile or load("sglang")
    return collect(Index(memory_tree(files), used, root), used)


def profile_of(case: Case) -> Profile:
    text = case.sections.get("profile")
    return load("sglang") if text is None else from_table(tomllib.loads(text), load)


def line_of(demand: Demand, site: Site) -> str:
    guarded = "guarded" if site.guarded else "unguarded"
    role = "ambiguous" if site.ambiguous else site.role
    return f"{demand.member} {site.kind.value} {guarded} {role} {site.path}:{site.line}"


def details_of(site: Site) -> Iterator[str]:
    """What an indented line of a case may say of a site."""
    yield f"guard {site.guard}"
    yield f"message {site.message}"
    yield f"parameter {site.parameter}"
    if site.value is not None:
        yield f"value {site.value.text}"
    if site.shape is not None:
        yield " ".join(["shape", str(site.shape.positional), *site.shape.keywords])


@pytest.mark.parametrize("path", cases("demands"), ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = load_case(path)
    found = [(line_of(d, s), s) for d in demands_in(case.files, profile_of(case)) for s in d.sites]
    if "nothing" in case.sections:
        assert [line for line, _ in found] == []
        return
    sites = dict(found)
    current = ""
    for line in case.expected("expected"):
        if line.startswith(" "):
            assert line.strip() in list(details_of(sites[current])), sites[current]
        else:
            current = line
            assert line in sites, "\n".join(sites)
    assert sorted(sites) == sorted(line for line in case.expected("expected") if not line.startswith(" "))


def test_order_does_not_depend_on_the_order_of_files() -> None:
    files = {
        f"sglang/srt/speculative/worker_{n}.py": b"def f(target_model):\n    target_model.b()\n    target_model.a()\n"
        for n in range(6)
    }
    expected = demands_in(files)
    for seed in range(5):
        shuffled = list(files.items())
        random.Random(seed).shuffle(shuffled)  # noqa: S311
        assert demands_in(dict(shuffled)) == expected
    assert [d.member for d in expected] == ["a", "b"]
    assert [s.path for s in expected[0].sites] == sorted(files)


def test_interfaces_by_member_by_path_and_core() -> None:
    found = demands_in(
        {
            EAGLE: b"def f(target_model):\n    target_model.get_embed_and_head()\n    target_model.strange()\n",
            "sglang/srt/lora/manager.py": b"def f(base_model):\n    return base_model.lm_head\n",
        }
    )
    assert {d.member: d.interfaces for d in found} == {
        "get_embed_and_head": ("eagle3",),
        "lm_head": ("lora",),
        "strange": ("core",),
    }


def test_unnamed_demands_are_those_that_no_interface_lists() -> None:
    source = (
        b"def f(model):\n    model.forward(1)\n    model.strange()\n    model.mark = 1\n    getattr(model, 'x' + y)\n"
    )
    found = demands_in({LOADER: source})
    assert [d.member for d in unnamed(found, load("sglang"))] == ["strange"]


def test_eagle3_has_exactly_its_three_members() -> None:
    assert load("sglang").interfaces["eagle3"].members == (
        "get_embed_and_head",
        "set_embed_and_head",
        "set_eagle3_layers_to_capture",
    )


@pytest.mark.parametrize(
    ("kind", "guarded", "ambiguous", "fails"),
    [
        (SiteKind.CALL, False, False, True),
        (SiteKind.CALL, True, False, False),
        (SiteKind.CALL, False, True, False),
        (SiteKind.PROBE, False, False, True),
        (SiteKind.WRITE, False, False, False),
        (SiteKind.ISINSTANCE, False, False, False),
    ],
)
def test_which_sites_fail_when_the_member_is_missing(
    kind: SiteKind, guarded: bool, ambiguous: bool, fails: bool
) -> None:
    assert Site("a.py", 1, kind, guarded, "any", "model", ambiguous=ambiguous).fails is fails


@pytest.mark.parametrize(
    "end", [b"\n", b"\r\n", b"\r", b"\n\x0c"], ids=["line feed", "carriage return too", "old Mac", "form feed"]
)
def test_line_ends_do_not_hide_uses(end: bytes) -> None:
    source = end.join([b"", b"def f(target_model):", b"    x = 1", b"    target_model.get_embed_and_head()", b""])
    found = demands_in({EAGLE: source.replace(b"\x0c    ", b"    ")})
    assert [(d.member, d.sites[0].line) for d in found] == [("get_embed_and_head", 4)]


def test_text_of_the_file_is_only_a_hint() -> None:
    for path in cases("demands"):
        case = load_case(path)
        profile = profile_of(case)
        for name, content in case.files.items():
            if path.stem in ("not_python", "below_python_folder"):
                continue
            without = extract_uses(ast.parse(content), name, profile)
            assert extract_uses(ast.parse(content), name, profile, content) == without, path
            assert may_hold_uses(content, name, profile) or not without, path
