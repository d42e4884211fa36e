"""Source -> facts, names, MROs and instance attributes: everything later stages know of the code."""

from shimgen.index.program import Index
from shimgen.index.trace import Trace

__all__ = ["Index", "Trace"]
