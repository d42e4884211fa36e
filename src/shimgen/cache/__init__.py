"""What earlier runs found, known by the bytes that it was found in. The only place that keeps anything between runs."""

from shimgen.cache.database import Cache, default_folder
from shimgen.cache.store import Shelf, Store

__all__ = ["Cache", "Shelf", "Store", "default_folder"]
