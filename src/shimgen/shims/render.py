"""Templates -> the text of one member, formatted as the checkout formats its code and indented as its class is."""

from __future__ import annotations

from collections.abc import Mapping

from shimgen import templating
from shimgen.shims.place import Place
from shimgen.shims.style import Style, black_format
from shimgen.templating import fill

_LEVEL = "    "


def prepare() -> None:
    """Bring what rendering takes, for a process that has time; else it is brought when it is first needed."""
    templating.prepare()
    black_format("pass\n", Style(), Style().line_length)


def render(template: str, fields: Mapping[str, object], style: Style, place: Place) -> tuple[str, ...]:
    """The lines of a member, without line ends. `template` names a file in `templates/shim/`."""
    room = width(style, place)
    code = fill(f"shim/{template}.py", {**fields, "room": room})
    nested = "class _:\n" + "".join(f"{_LEVEL}{line}\n" if line.strip() else "\n" for line in code.splitlines())
    lines = black_format(nested, style, room + len(_LEVEL)).split("\n")[1:-1]
    while lines and not lines[0]:
        lines.pop(0)
    return tuple(_indented(line, place) for line in lines)


def width(style: Style, place: Place) -> int:
    """How long a line of a member may be, without the indentation of the class body."""
    return style.line_length - len(place.indent.expandtabs(4))


def _indented(line: str, place: Place) -> str:
    text = line.lstrip(" ")
    if not text:
        return ""
    levels = (len(line) - len(text)) // len(_LEVEL)
    return place.indent + place.unit * (levels - 1) + text
