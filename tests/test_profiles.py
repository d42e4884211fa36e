"""Profiles: those that are shipped, recognising a stack, and a user's own."""

from __future__ import annotations

from typing import Any

import pytest

from shimgen.model.errors import ConfigError, FaultsError
from shimgen.model.profile import Receiver
from shimgen.profiles import from_table, load, names, recognise

SGLANG = [
    "sglang/srt/server_args.py",
    "sglang/srt/model_executor/model_runner.py",
    "sglang/srt/models/registry.py",
    "sglang/srt/models/llama.py",
]


def test_every_shipped_profile_loads() -> None:
    assert {"generic", "sglang", "vllm"} <= set(names())
    for name in names():
        assert load(name).name == name


@pytest.mark.parametrize("name", names())
def test_what_a_base_outside_only_raises_it_does_not_provide(name: str) -> None:
    externals = load(name).externals
    assert "forward" not in externals["torch.nn.Module"].provides
    assert "get_input_embeddings" not in externals["transformers.PreTrainedModel"].provides


def test_unknown_profile_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r'no profile "sglan".*"sglang"') as caught:
        load("sglan")
    assert caught.value.hint == "shimgen scan --profile sglang"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (SGLANG, [("sglang", "")]),
        ([f"python/{path}" for path in SGLANG], [("sglang", "python/")]),
        (SGLANG + [f"python/{path}" for path in SGLANG], [("sglang", ""), ("sglang", "python/")]),
        (SGLANG[1:], []),
        ([f"vendored/{path}" for path in SGLANG], []),
        ([], []),
    ],
    ids=["installed", "repository", "both", "one file is missing", "elsewhere", "empty"],
)
def test_recognise(paths: list[str], expected: list[tuple[str, str]]) -> None:
    assert [found for found in recognise(paths) if found[0] == "sglang"] == expected


def test_stacks_in_one_checkout_are_told_apart() -> None:
    other = [f"vllm/{path}" for path in load("vllm").recognise]
    assert recognise(other) == [("vllm", "")]
    assert recognise([*SGLANG, *other]) == [("sglang", ""), ("vllm", "")]


def test_generic_is_never_recognised() -> None:
    assert "generic" not in dict(recognise([*SGLANG, "acme/engine.py"]))


def test_ignored_externals_stand_for_what_they_provide() -> None:
    for name in names():
        assert {"named_parameters", "state_dict", "training"} <= set(load(name).ignore)
        assert "forward" not in load(name).ignore


def test_extension_comes_before_what_it_extends() -> None:
    base = load("sglang")
    table: dict[str, Any] = {
        "extends": "sglang",
        "hooks": ["on_ready", "post_load_weights"],
        "receivers": [{"expression": "self.net", "role": "target"}],
        "interfaces": {"ours": {"members": ["on_ready"]}, "dllm": {"members": ["other"]}},
        "models": {"paths": ["sglang/ours/*.py"]},
        "ignore": ["secret"],
    }
    profile = from_table(table, load)
    assert (profile.name, profile.package) == ("sglang", "sglang")
    assert profile.receivers == (Receiver(expression="self.net", role="target"), *base.receivers)
    assert profile.hooks == ("post_load_weights", "on_ready")
    assert profile.interfaces["ours"].members == ("on_ready",)
    assert profile.interfaces["dllm"].members == ("other",)
    assert profile.interfaces["eagle3"] == base.interfaces["eagle3"]
    assert profile.models.paths == (*base.models.paths, "sglang/ours/*.py")
    assert profile.models.entry_variable == base.models.entry_variable
    assert set(profile.ignore) == {*base.ignore, "secret"}


def test_extending_by_nothing_changes_nothing() -> None:
    assert from_table({"extends": "sglang"}, load) == load("sglang")


FAULTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no name": ({}, ["name is missing"]),
    "unknown key": ({"name": "x", "reciever": []}, ['reciever: unknown key; did you mean "receivers" or "recipes"?']),
    "wrong type": ({"name": "x", "engine": "all"}, ["engine: Expected `array`, got `str`"]),
    "two sources": (
        {"name": "x", "receivers": [{"expression": "a", "parameter": "b"}]},
        ["receivers[1]: give exactly one of expression, parameter, accessor, class_variable"],
    ),
    "no source": (
        {"name": "x", "receivers": [{"role": "target"}]},
        ["receivers[1]: give exactly one of expression, parameter, accessor, class_variable"],
    ),
    "role": (
        {"name": "x", "receivers": [{"expression": "a.b", "role": "traget"}]},
        ['receivers[1].role: one of target, draft, encoder, any is expected, not "traget"'],
    ),
    "not dotted": (
        {"name": "x", "receivers": [{"expression": "a[0].b"}]},
        ['receivers[1]: "a[0].b" is not a dotted name'],
    ),
    "star inside": (
        {"name": "x", "receivers": [{"expression": "a.*.b"}]},
        ['receivers[1]: "a.*.b" is not a dotted name'],
    ),
    "empty interface": ({"name": "x", "interfaces": {"lora": {}}}, ["interfaces.lora: give members or paths"]),
    "registry without module": (
        {"name": "x", "models": {"registry": "TABLE"}},
        ['models.registry: "TABLE" is not a dotted name'],
    ),
    "factory without registry": (
        {"name": "x", "models": {"factories": [{"function": "a b.c", "names": "names"}]}},
        [
            'models.factories[1].function: "a b.c" is not a dotted name',
            "models.factories: give models.registry, too",
        ],
    ),
    "strange base": ({"extends": "sglng"}, ['extends: there is no profile "sglng"; did you mean "sglang"?']),
    "base is no name": ({"extends": 3}, ["extends: the name of a shipped profile is expected"]),
    "all together": (
        {
            "name": "x",
            "interfaces": {"a": {"memebers": []}},
            "receivers": [{"expression": "a.b", "roles": "any"}, {"parameter": 3}],
            "hooks": "none",
        },
        [
            'interfaces.a.memebers: unknown key; did you mean "members"?',
            'receivers[1].roles: unknown key; did you mean "role"?',
            "receivers[2]: Expected `str`, got `int` at `.parameter`",
            "hooks: Expected `array`, got `str`",
        ],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_reported_together(name: str) -> None:
    table, expected = FAULTS[name]
    with pytest.raises(FaultsError) as caught:
        from_table(table, load)
    assert list(caught.value.faults) == expected
