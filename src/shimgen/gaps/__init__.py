"""Demands x wrappers -> gaps with decisions; no syntax."""

from shimgen.gaps.demanded import compare_demands
from shimgen.gaps.finder import engine_facing, find_gaps
from shimgen.gaps.members import provided
from shimgen.gaps.stale import find_stale
from shimgen.gaps.upgrade import Side, compare

__all__ = [
    "Side",
    "compare",
    "compare_demands",
    "engine_facing",
    "find_gaps",
    "find_stale",
    "provided",
]
