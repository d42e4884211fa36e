"""Proves the shims: by analysing the patched tree again, and by executing each in a sandbox."""

from shimgen.verify.process import Limits
from shimgen.verify.reanalysis import static
from shimgen.verify.sandboxing import sandbox

__all__ = ["Limits", "sandbox", "static"]
