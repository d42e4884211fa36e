"""Pretend serving stacks: the profiles that the case files are written against."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from shimgen.demands import collect
from shimgen.gaps import find_gaps
from shimgen.index import Index
from shimgen.model.domain import Demand, Gap, Wrapper
from shimgen.model.profile import External, Factory, Interface, Models, Profile, Receiver, Recipe
from shimgen.model.source import memory_tree
from shimgen.wrappers import find_wrappers
from tests.support import Case

PROFILE = Profile(
    name="pretend",
    engine=("engine/**/*.py",),
    hooks=("after_load",),
    models=Models(
        paths=("models/**/*.py",),
        entry_variable="EntryClass",
        body_parameters=("ids", "batch"),
        head_attributes=("lm_head",),
        multimodal_members=("embed_image",),
        draft_reads=("spec.hidden",),
        weight_members=("load_weights",),
    ),
    receivers=(
        Receiver(expression="*.draft.model", role="draft"),
        Receiver(expression="*.target.model", role="target"),
        Receiver(expression="*.runner.model"),
        Receiver(class_variable="model_class"),
    ),
    recipes={
        "both": Recipe(
            member="get_both",
            code="return self.{delegate}.embed, self.lm_head",
            delegate=("embed",),
            wrapper=("lm_head",),
            returns=("{delegate}.embed", "lm_head"),
        ),
        "exchange": Recipe(
            member="set_both",
            parameters=("embed", "head"),
            code="self.{delegate}.embed.weight = embed\nself.lm_head.weight = head",
            delegate=("embed",),
            wrapper=("lm_head",),
            writes={"{delegate}.embed.weight": "embed", "lm_head.weight": "head"},
        ),
    },
    interfaces={"eagle": Interface(members=("get_pair", "set_pair"))},
    externals={
        "module": External(names=("torch.nn.Module",), provides=("eval", "to", "named_parameters", "state_dict")),
        "hub": External(names=("hub.PreTrained",), provides=("config",), complete=False),
    },
)


# A stack that registers its models in a table, and makes inner models by the names in it.
REGISTERING = replace(
    PROFILE,
    name="registering",
    models=replace(
        PROFILE.models,
        registry="models.registry.TABLE",
        except_paths=("models/registry.py",),
        factories=(Factory(function="models.registry.make", names="names"),),
        draft_parameters=("hidden",),
    ),
)
# A stack whose models say by a base what they support.
DECLARING = replace(PROFILE, name="declaring", protocols=("models/interfaces.py",), predicates=("supports_*",))
STACKS = {profile.name: profile for profile in (PROFILE, REGISTERING, DECLARING)}


def analyse(
    files: Mapping[str, bytes], profile: Profile = PROFILE
) -> tuple[tuple[Wrapper, ...], tuple[Demand, ...], tuple[Gap, ...]]:
    """Wrappers, demands and all gaps of a pretend checkout."""
    program = Index(memory_tree(files), profile)
    wrappers = find_wrappers(program, profile)
    demands = collect(program, profile)
    return wrappers, demands, find_gaps(program, profile, wrappers, demands)


def index(files: Mapping[str, bytes]) -> Index:
    """The index of a pretend checkout."""
    return Index(memory_tree(files), PROFILE)


def profile_of(case: Case) -> Profile:
    """The profile that a case names in its section `stack`, else the pretend one."""
    return STACKS[case.sections.get("stack", PROFILE.name)]
