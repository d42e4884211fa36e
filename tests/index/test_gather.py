"""What is brought at first, before an analysis asks for it."""

from __future__ import annotations

import pytest

from shimgen.cache import Store
from shimgen.index import Index, gather
from shimgen.model.source import memory_tree
from shimgen.profiles import load

FILES = {
    "sglang/srt/models/wrapper.py": "from sglang.srt.layers import Linear, unused\n"
    "class Wrapper:\n    def __init__(self):\n        self.head = Linear()\n",
    "sglang/srt/layers/__init__.py": "from sglang.srt.layers.linear import Linear\n"
    "from sglang.srt.layers.other import unused\n",
    "sglang/srt/layers/linear.py": "from sglang.srt.layers.base import Base\nclass Linear(Base):\n    pass\n",
    "sglang/srt/layers/base.py": "class Base:\n    pass\n",
    "sglang/srt/layers/other.py": "unused = 1\n",
}


def test_what_a_model_makes_is_followed_to_where_it_is_defined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather, "_FEW", 0)
    profile = load("sglang")
    store = Store(profile)
    tree = memory_tree({path: text.encode() for path, text in FILES.items()})
    index = Index(tree, profile, "", store)
    index.gather()
    brought = {path for path, blob in tree.blobs.items() if store.definitions.holds(blob)}
    assert brought == FILES.keys() - {"sglang/srt/layers/other.py"}
    assert index.stats.parsed == 0, "what nobody has asked for does not count"
