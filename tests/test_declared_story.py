"""The life of an adopted interface, by the commands, on the miniature of a stack that declares what it supports."""

from __future__ import annotations

import inspect
import json
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result

from shimgen.verify.box import torchlike
from tests import commands
from tests.commands import miniature
from tests.gitrepo import Repo

BEFORE = Path(__file__).parents[1] / "fixtures" / "declared" / "before"
MODELS = "vllm/model_executor/models"
PICTURE = f"{MODELS}/picture.py"


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The miniature stack, recognised."""
    repo = miniature("declared", tmp_path, monkeypatch)
    assert "recognised vllm" in run("init", repo.path).stdout
    return repo


def run(*arguments: object, code: int = 0) -> Result:
    result = commands.run(*arguments)
    assert result.exit_code == code, result.output
    return result


def decisions(member: str) -> dict[str, str]:
    """What is done about a member on each wrapper: the decision, or the name of the class that lacks it."""
    document = json.loads(run("scan", "--json").stdout)
    rows = (gap for gap in document["gaps"] if gap["member"] == member)
    return {row["wrapper"]: row["reason"] or row["decision"] for row in rows}


def test_every_wrapper_is_adopted_or_refused_with_its_reason(stack: Repo) -> None:
    found = decisions("SupportsEagle3")
    assert found.pop("PictureForConditionalGeneration") == "recipe"
    assert found.pop("SoundForConditionalGeneration") == "SimpleForCausalLM does not support SupportsEagle3 either"
    assert "known only at run time" in found.pop("FilmForConditionalGeneration")
    assert "does not hand back" in found.pop("SketchForConditionalGeneration")
    assert not found


def test_apply_is_the_patch_and_ends_the_work(stack: Repo) -> None:
    patch = run("diff").stdout.encode()
    stack.git("apply", "--check", "-", given=patch)
    run("apply")
    assert stack.git("diff") == patch
    py_compile.compile(str(stack.path / PICTURE), cfile=str(stack.path.parent / "compiled"), doraise=True)
    assert run("diff").stdout == ""
    assert "0 failed" in run("verify").stdout
    run("revert")
    assert stack.git("status", "--porcelain") == b""


def test_what_cannot_be_written_stays_refused_where_lines_have_moved(stack: Repo) -> None:
    """The class of the delegate has no name in the wrapper's module; the import above has grown by a line since."""
    assert decisions("weight_chunk")["PictureForConditionalGeneration"] == "forward"
    run("apply")
    assert stack.read(PICTURE).index(b"class Picture") > (BEFORE / PICTURE).read_bytes().index(b"class Picture")
    gate = run("check").stdout
    assert "0 gaps could be closed" in gate
    assert "binds no name to the one class that weight_chunk is to be asked of" in gate


# The engine of the fixture, on a model of eight layers that each add one to what they get, with a draft that asks for
# the layers the model names. The torch under it is the sandbox's miniature.
ENGINE = """
import sys
from types import SimpleNamespace as Names

from vllm.model_executor.models.interfaces import supports_eagle3
from vllm.model_executor.models.picture import PictureForConditionalGeneration
from vllm.v1.worker.gpu_model_runner import GPUModelRunner


class Config(Names):
    def with_hf_config(self, config, architectures):
        return Config(depth=8, hf_config=config, architectures=architectures)


config = Config(architectures=["PictureForConditionalGeneration"], hf_config=Names(text_config=None), draft=None)
runner = GPUModelRunner()
runner.load_model(config)
print(supports_eagle3(runner.model), supports_eagle3(PictureForConditionalGeneration))
config.draft = Names(layers=())
runner.load_model(config)
print(runner.model(None, None, inputs_embeds=0))
"""
TORCH = {
    "__init__.py": "from . import nn\n",
    "nn.py": inspect.getsource(torchlike)
    + """

Module.__call__ = lambda self, *args, **kwargs: self.forward(*args, **kwargs)


class Linear(Module):
    def __init__(self, inside, outside):
        super().__init__()

    def forward(self, x):
        return x + 1


class ModuleList(list):
    pass
""",
}


def start(stack: Repo) -> subprocess.CompletedProcess[str]:
    """Run the fixture's engine."""
    folder = stack.path.parent / "libraries" / "torch"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in TORCH.items():
        (folder / name).write_text(text)
    environment = {"PYTHONPATH": f"{stack.path}:{folder.parent}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", ENGINE]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_what_is_adopted_does_what_the_engine_asks(stack: Repo) -> None:
    """Without the base the engine refuses the model; with it, the hidden states of the layers come back."""
    before = start(stack)
    assert before.stdout.split() == ["False", "False"]
    assert "the model does not support EAGLE-3" in before.stderr
    run("apply")
    after = start(stack)
    assert after.stderr == ""
    assert after.stdout.splitlines() == ["True True", "(8, [2, 4, 5])"]


def test_a_base_taken_out_by_hand_is_due_again(stack: Repo) -> None:
    run("apply")
    applied = stack.read(PICTURE)
    bases = applied[applied.index(b"class Picture") :].partition(b":")[0]
    (stack.path / PICTURE).write_bytes(applied.replace(bases, bases.replace(b", SupportsEagle3", b"")))
    assert start(stack).stdout.split() == ["False", "False"]
    assert "1 gap could be closed" in run("check", code=1).stdout


OTHER = """

class OtherForCausalLM(nn.Module, SupportsEagle3):
    def set_aux_hidden_state_layers(self, layers):
        self.layers = layers

    def get_eagle3_aux_hidden_state_layers(self):
        return (1,)
"""
ABOVE = """
class Handing(SupportsEagle3):
    def set_aux_hidden_state_layers(self, layers):
        self.language_model.set_aux_hidden_state_layers(layers)

    def get_eagle3_aux_hidden_state_layers(self):
        return self.language_model.get_eagle3_aux_hidden_state_layers()


@register_processor
class"""


def fates(stack: Repo, path: str, old: str, new: str) -> dict[str, str]:
    """What becomes of an adopted interface and its members when upstream exchanges one text in a file."""
    stack.git("tag", "v1")
    content = stack.read(path).decode()
    assert old in content
    stack.commit({path: content.replace(old, new, 1).encode()}, message="v2")
    document = json.loads(run("upgrade", "v1", "HEAD", "--json").stdout)
    rows = (row for row in document["members"] if row["wrapper"].startswith("Picture"))
    return {row["member"]: f"{row['verdict']}: {row['why']}" for row in rows if row["member"] != "weight_chunk"}


SETTER, GETTER = "set_aux_hidden_state_layers", "get_eagle3_aux_hidden_state_layers"


def test_upstream_takes_up_the_interface_itself(stack: Repo) -> None:
    run("apply")
    own = "".join(line for line in stack.read(PICTURE).decode().splitlines(True) if "# shimgen: " not in line)
    stack.git("checkout", PICTURE)
    found = fates(stack, PICTURE, stack.read(PICTURE).decode(), own)
    assert [why.partition(" ")[0] for why in found.values()] == ["own:"] * 3
    assert found["SupportsEagle3"] == f"own: PictureForConditionalGeneration {PICTURE}:14"


def test_a_class_above_takes_up_the_interface(stack: Repo) -> None:
    text = stack.read(PICTURE).decode().replace("import SupportsM", "import SupportsEagle3, SupportsM")
    text = text.replace("\n@register_processor\nclass", ABOVE).replace(
        "(nn.Module, SupportsM", "(Handing, nn.Module, SupportsM"
    )
    assert fates(stack, PICTURE, stack.read(PICTURE).decode(), text) == {
        "SupportsEagle3": f"base: Handing {PICTURE}:13",
        SETTER: f"base: Handing {PICTURE}:14",
        GETTER: f"base: Handing {PICTURE}:17",
    }


def test_the_delegate_supports_it_no_longer(stack: Repo) -> None:
    plain = stack.read(f"{MODELS}/plain.py").decode() + OTHER
    stack.commit({f"{MODELS}/plain.py": plain.encode()}, message="one more model supports it")
    assert fates(stack, f"{MODELS}/plain.py", ", SupportsEagle3)", ")") == {
        "SupportsEagle3": "target-gone: PlainForCausalLM does not support SupportsEagle3 either",
        SETTER: "undemanded: nothing that the engine can hold needs it",
        GETTER: "undemanded: nothing that the engine can hold needs it",
    }


def test_no_model_supports_it_any_more(stack: Repo) -> None:
    found = fates(stack, f"{MODELS}/plain.py", ", SupportsEagle3)", ")")
    assert found["SupportsEagle3"] == "undemanded: no model supports it any more"


def test_the_engine_asks_for_it_no_longer(stack: Repo) -> None:
    runner = "vllm/v1/worker/gpu_model_runner.py"
    found = fates(stack, runner, stack.read(runner).decode(), "")
    assert found == dict.fromkeys((GETTER, "SupportsEagle3", SETTER), "undemanded: the engine no longer demands it")
