"""Whatever the signature and the class: the edited file runs, every argument arrives, and nothing else has moved."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import libcst
from hypothesis import given, settings
from hypothesis import strategies as st

from shimgen.model.reason import Reason
from shimgen.shims import find_shims, remove_shims
from tests.shims.hand import run
from tests.shims.programs import Made, calls, programs, running

quick = settings(settings.get_profile("shims"))


@quick
@given(programs(), st.data())
def test_every_argument_arrives(made: Made, data: st.DataObject) -> None:
    changes, refused = run(made.files, [made.gap])
    if made.expects_default:
        assert [gap.reason for gap in refused] == [Reason.DEFAULT]
        return
    assert not refused
    after = {**made.files, "wrapper.py": changes[0].after}
    with running(after) as modules:
        wrapper, full = modules["wrapper"].Wrapper(), modules["full"].Full()
        assert _shape(wrapper.member) == _shape(full.member)
        for _ in range(3):
            args, kwargs = data.draw(calls(made.params))
            assert _outcome(made, wrapper, args, kwargs) == _outcome(made, full, args, kwargs)


@quick
@given(programs())
def test_only_the_member_is_new(made: Made) -> None:
    """Lines are only added, they come out again, and libcst, which takes no part in the edit, sees every other
    statement with the comments that it had."""
    changes, _ = run(made.files, [made.gap])
    for change in changes:
        assert remove_shims(change.after, find_shims(change.after)) == change.before
        lines = iter(change.after.removesuffix(b"\n").split(b"\n"))
        assert all(line in lines for line in change.before.removesuffix(b"\n").split(b"\n"))
        assert _statements(change.after) == _statements(change.before)


def _statements(content: bytes) -> list[str]:
    """The statements of the file and of its last class, comments included, without those below a marker."""
    module = libcst.parse_module(content)
    classes = [node for node in module.body if isinstance(node, libcst.ClassDef)]
    others = [node for node in module.body if node is not classes[-1]]
    members = [node for node in classes[-1].body.body if not _is_marked(node)]
    return [module.code_for_node(node).strip() for node in (*others, *members)]


def _is_marked(node: libcst.CSTNode) -> bool:
    comments = [line.comment for line in getattr(node, "leading_lines", ())]
    return any(comment is not None and comment.value.startswith("# shimgen:") for comment in comments)


def _shape(function: Any) -> list[tuple[str, object, object]]:
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


def _outcome(made: Made, target: Any, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
    try:
        given = target.member(*args, **kwargs)
        if made.flavour == "async":
            assert inspect.iscoroutinefunction(target.member)
            given = asyncio.run(given)
        return list(given) if made.flavour == "generator" else given
    except TypeError as error:
        return f"TypeError: {str(error).partition('(')[0].rpartition('.')[2]}"
