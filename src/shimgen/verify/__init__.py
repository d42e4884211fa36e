"""Proves the shims: by analysing the patched tree again, by executing each in a sandbox, and, where the serving
stack's own interpreter is at hand, by asking the real classes."""

from shimgen.verify.live import live
from shimgen.verify.process import Limits
from shimgen.verify.proving import prove

__all__ = ["Limits", "live", "prove"]
