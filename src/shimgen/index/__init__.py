"""Source -> facts, names, MROs and instance attributes: everything later stages know of the code."""

from shimgen.index.cache import Cache, default_folder
from shimgen.index.extract import collector_off
from shimgen.index.program import Index
from shimgen.index.store import Store

__all__ = ["Cache", "Index", "Store", "collector_off", "default_folder"]
