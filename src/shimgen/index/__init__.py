"""Source -> facts, names, MROs and instance attributes: everything later stages know of the code."""

from shimgen.index.program import Index, collector_off, definitions_of, uses_of
from shimgen.index.store import Store

__all__ = ["Index", "Store", "collector_off", "definitions_of", "uses_of"]
