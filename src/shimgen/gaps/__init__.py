"""Demands x wrappers -> gaps with decisions; no syntax."""

from shimgen.gaps.finder import engine_facing, find_gaps
from shimgen.gaps.provided import provided
from shimgen.gaps.scope import in_scope, named, unknown_names
from shimgen.gaps.stale import find_stale

__all__ = ["engine_facing", "find_gaps", "find_stale", "in_scope", "named", "provided", "unknown_names"]
