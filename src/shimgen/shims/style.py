"""How the checkout formats its code: read from its pyproject.toml, applied to generated code only."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache

import msgspec


class Style(msgspec.Struct, frozen=True):
    """Settings of black. `target_versions` are black's names ("py310"); unknown ones are ignored."""

    line_length: int = 88
    target_versions: tuple[str, ...] = ()
    string_normalization: bool = True
    magic_trailing_comma: bool = True
    preview: bool = False


def style_from_pyproject(text: str) -> Style:
    """The style that a pyproject.toml asks for: [tool.black], else [tool.ruff], else black's defaults.

    What is no TOML, or of a wrong type, counts as not written: formatting is never a reason to fail.
    """
    try:
        tool = tomllib.loads(text).get("tool", {})
    except tomllib.TOMLDecodeError:
        return Style()
    if not isinstance(tool, dict):
        return Style()
    if isinstance(tool.get("black"), dict):
        return _from_black(tool["black"])
    return _from_ruff(tool["ruff"]) if isinstance(tool.get("ruff"), dict) else Style()


def _from_black(table: Mapping[str, object]) -> Style:
    versions = table.get("target-version", [])
    return Style(
        line_length=_length(table),
        target_versions=_versions(versions if isinstance(versions, list) else [versions]),
        string_normalization=table.get("skip-string-normalization") is not True,
        magic_trailing_comma=table.get("skip-magic-trailing-comma") is not True,
        preview=table.get("preview") is True,
    )


def _from_ruff(table: Mapping[str, object]) -> Style:
    layout = table.get("format")
    layout = layout if isinstance(layout, dict) else {}
    return Style(
        line_length=_length(table),
        target_versions=_versions([table.get("target-version")]),
        string_normalization=layout.get("quote-style", "double") == "double",
        magic_trailing_comma=layout.get("skip-magic-trailing-comma") is not True,
        preview=layout.get("preview", table.get("preview")) is True,
    )


def _length(table: Mapping[str, object]) -> int:
    value = table.get("line-length")
    return value if type(value) is int and value > 0 else Style().line_length


def _versions(values: list[object]) -> tuple[str, ...]:
    return tuple(sorted({v.lower() for v in values if isinstance(v, str)}))


@lru_cache(maxsize=512)
def black_format(code: str, style: Style, line_length: int) -> str:
    """`code` as black prints it. Raises black's errors when it is no Python, which only a template can cause."""
    import black
    from black.mode import TargetVersion

    known = {version.name.lower(): version for version in TargetVersion}
    mode = black.Mode(
        target_versions={known[name] for name in style.target_versions if name in known},
        line_length=max(line_length, 1),
        string_normalization=style.string_normalization,
        magic_trailing_comma=style.magic_trailing_comma,
        preview=style.preview,
    )
    return black.format_str(code, mode=mode)
