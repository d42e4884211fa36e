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
from tests.gitrepo import Repo, only_default_settings

__all__ = ["only_default_settings"]

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
