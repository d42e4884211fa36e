"""Imports edited files as they would be after the edit, from a checkout that stays as it is."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Mapping
from types import CodeType
from typing import Any


class PatchedLoader(importlib.machinery.SourceFileLoader):
    """A module whose source is given. Nothing is taken from a cache, and nothing is put there."""

    def __init__(self, fullname: str, path: str, content: bytes) -> None:
        super().__init__(fullname, path)
        self._content = content

    def get_data(self, path: str) -> bytes:
        return self._content

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self._content, self.path)
        return code


class PatchedFinder(importlib.abc.MetaPathFinder):
    """Finds modules where Python would, and exchanges the loader of those whose file is edited."""

    def __init__(self, edited: Mapping[str, bytes]) -> None:
        self._edited = {os.path.realpath(path): content for path, content in edited.items()}

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None:
            return spec
        content = self._edited.get(os.path.realpath(spec.origin))
        if content is not None:
            spec.loader = PatchedLoader(fullname, spec.origin, content)
        return spec


def install(folder: str, edited: Mapping[str, bytes]) -> None:
    """Import from `folder` first, with the files of absolute path in `edited` as given there."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    before = [f for f in sys.meta_path if f is importlib.machinery.PathFinder]
    place = sys.meta_path.index(before[0]) if before else len(sys.meta_path)
    sys.meta_path.insert(place, PatchedFinder(edited))
