"""Facts -> wrappers and their delegates."""

from shimgen.wrappers.finder import find_wrappers

__all__ = ["find_wrappers"]
