"""Which gaps a command is about, and what a CI gate makes of them. Needs nothing of what found them."""

from shimgen.scope.selection import in_scope, named, unknown_names, whole
from shimgen.scope.verdict import judge

__all__ = ["in_scope", "judge", "named", "unknown_names", "whole"]
