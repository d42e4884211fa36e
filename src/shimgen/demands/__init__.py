"""Facts -> demands: which members the engine uses on a model, with all sites, roles and interfaces."""

from shimgen.demands.collect import collect, unnamed

__all__ = ["collect", "unnamed"]
