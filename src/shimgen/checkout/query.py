"""Where a distribution is installed, as the interpreter that runs this sees it; no package is imported.

Also a program of its own for other interpreters (Python 3.8 and later): `python -I query.py NAME` prints JSON.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import site
import sys


def installed(name: str) -> list[dict[str, str]]:
    """Every distribution of that name, in the order in which imports would look for it.

    `info` is the real path of its metadata folder, `direct` the text of direct_url.json, "" without one.
    """
    found: dict[str, dict[str, str]] = {}
    for distribution in importlib.metadata.distributions(name=name, path=_folders()):
        info = os.path.realpath(str(getattr(distribution, "_path", "")))
        row = {"info": info, "name": distribution.metadata["Name"] or name, "version": distribution.version or ""}
        found.setdefault(info, {**row, "direct": distribution.read_text("direct_url.json") or ""})
    return list(found.values())


def _folders() -> list[str]:
    """The folders and archives that imports look in, and those of `pip install --user`, which -I leaves out."""
    own = [folder for folder in sys.path if folder]
    return own if sys.prefix != sys.base_prefix else [*own, site.getusersitepackages()]


if __name__ == "__main__":
    sys.stdout.write(f"\n{json.dumps(installed(sys.argv[1]))}\n")
