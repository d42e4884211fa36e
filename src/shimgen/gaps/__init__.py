"""Demands x wrappers -> gaps with decisions; no syntax."""

from shimgen.gaps.finder import engine_facing, find_gaps
from shimgen.gaps.provided import provided
from shimgen.gaps.scope import in_scope, unknown_names

__all__ = ["engine_facing", "find_gaps", "in_scope", "provided", "unknown_names"]
