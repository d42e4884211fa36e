"""Every right shim is proven, and every way to get one wrong is caught."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shimgen.model.domain import FileChange, Gap
from shimgen.model.results import Proof, summarise
from shimgen.model.source import memory_tree
from shimgen.verify.reanalysis import served, static
from tests.verify.made import PROVIDERS, Sample, change, failures, sandboxed
from tests.verify.samples import MUTANTS, SAMPLES


def edit(path: str, sample: Sample, text: str) -> FileChange:
    """The edit that puts `text`, the sample's own or a broken one, into a file of its own."""
    return change(sample.gap, text, sample.before, path)


def verified(edit: FileChange) -> list[Proof]:
    """The static proofs of one edit whose gap is closed."""
    tree = memory_tree({edit.path: edit.before, **PROVIDERS})
    before: Sequence[Gap] = [shim.gap for shim in edit.shims]
    return list(static(tree, edit, served(before)))


@pytest.fixture(scope="module")
def proofs() -> dict[str, list[Proof]]:
    """The proofs of all samples and mutants: one sandbox for all that are one file each."""
    changes = {f"sample {name}": edit(f"sample {name}", s, s.text) for name, s in SAMPLES.items()}
    changes |= {f"mutant {name}": edit(f"mutant {name}", SAMPLES[m.sample], m.text) for name, m in MUTANTS.items()}
    found = {name: verified(change) for name, change in changes.items()}
    for proof in sandboxed(list(changes.values())):
        found[proof.wrapper.path].append(proof)
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_right_shim_is_proven(name: str, proofs: dict[str, list[Proof]]) -> None:
    found = proofs[f"sample {name}"]
    assert failures(found) == {}
    assert {"compiles", "binds", "class"} <= {p.check for p in found}
    assert summarise(found).proven == 1


@pytest.mark.parametrize("name", MUTANTS)
def test_wrong_shim_is_caught(name: str, proofs: dict[str, list[Proof]]) -> None:
    found = failures(proofs[f"mutant {name}"])
    assert set(MUTANTS[name].caught) <= set(found), found
    assert all(found.values()), "a failure says what is wrong"
    assert summarise(proofs[f"mutant {name}"]).failed == 1
