"""What shimgen knows of serving stacks, as data: the profiles shipped with it, and a user's own."""

from shimgen.profiles.store import load, names, recognise
from shimgen.profiles.table import from_table

__all__ = ["from_table", "load", "names", "recognise"]
