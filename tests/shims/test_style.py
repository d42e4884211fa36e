"""What a checkout's pyproject.toml says about formatting, and what it cannot break."""

from __future__ import annotations

import pytest

from shimgen.shims import Style, style_from_pyproject


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("", Style()),
        ("[tool.other]\nline-length = 20\n", Style()),
        ("[tool.black]\n", Style()),
        ("[tool.black]\nline-length = 120\ntarget-version = ['PY311', 'py310']\n", Style(120, ("py310", "py311"))),
        ("[tool.black]\ntarget-version = 'py39'\npreview = true\n", Style(target_versions=("py39",), preview=True)),
        (
            "[tool.black]\nskip-string-normalization = true\nskip-magic-trailing-comma = true\n",
            Style(string_normalization=False, magic_trailing_comma=False),
        ),
        ("[tool.ruff]\nline-length = 99\ntarget-version = 'py310'\n", Style(99, ("py310",))),
        (
            "[tool.ruff.format]\nquote-style = 'preserve'\npreview = true\n",
            Style(string_normalization=False, preview=True),
        ),
        ("[tool.ruff]\nline-length = 99\n[tool.black]\nline-length = 70\n", Style(70)),
        ("[tool.black]\nline-length = 'long'\ntarget-version = [3, 'py99']\n", Style(target_versions=("py99",))),
        ("[tool.black]\nline-length = true\n", Style()),
        ("tool = 1\n", Style()),
        ("[tool]\nblack = 1\nruff = 2\n", Style()),
        ("[tool.ruff]\nformat = 1\n", Style()),
        ("this is = no toml = at all", Style()),
    ],
)
def test_settings(text: str, style: Style) -> None:
    assert style_from_pyproject(text) == style
