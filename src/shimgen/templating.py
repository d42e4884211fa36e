"""The templates that a user may restyle, filled in: sandboxed, and a name that is missing is an error."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment


def fill(template: str, fields: Mapping[str, object]) -> str:
    """The text of `templates/<template>.j2` with its fields. Raises jinja2's errors for a template that is wrong."""
    return _environment().get_template(f"{template}.j2").render(fields)


def prepare() -> None:
    """Bring what filling takes, for a process that has time; else it is brought when it is first needed."""
    _environment()


@cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    folder = files("shimgen") / "templates"
    return SandboxedEnvironment(
        loader=FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=lambda name: name is not None and ".html." in name,
    )
