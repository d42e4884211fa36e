"""Gaps -> edited files: where a shim stands, how it looks, and how shimgen finds its own work again."""

from shimgen.shims.generate import generate
from shimgen.shims.marker import ExistingShim, find_shims, remove_shims, take_out
from shimgen.shims.render import prepare
from shimgen.shims.style import Style, style_from_pyproject

__all__ = [
    "ExistingShim",
    "Style",
    "find_shims",
    "generate",
    "prepare",
    "remove_shims",
    "style_from_pyproject",
    "take_out",
]
