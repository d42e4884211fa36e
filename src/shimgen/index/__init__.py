"""Source -> facts, names, MROs and instance attributes: everything later stages know of the code."""

from shimgen.index.program import Index, collector_off, definitions_of, uses_of

__all__ = ["Index", "collector_off", "definitions_of", "uses_of"]
