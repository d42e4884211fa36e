"""The order of the stages, and nothing else: checkout -> index -> demands, wrappers -> gaps -> shims -> patch.

session     the checkout, opened and recognised
analysis    tree -> wrappers, demands, gaps
generation  gaps -> verified series
writing     apply, revert, series as files
upgrade     two revisions, compared
"""

from shimgen.pipeline.analysis import analyse
from shimgen.pipeline.generation import explain, gate, generate, verify
from shimgen.pipeline.session import recognise
from shimgen.pipeline.upgrade import upgrade
from shimgen.pipeline.writing import apply, revert, series

__all__ = ["analyse", "apply", "explain", "gate", "generate", "recognise", "revert", "series", "upgrade", "verify"]
