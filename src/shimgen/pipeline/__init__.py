"""The order of the stages, and nothing else: checkout -> index -> demands, wrappers -> gaps -> shims -> patch.

session     the checkout, opened and recognised
analysis    tree -> wrappers, demands, gaps
generation  gaps -> verified series
ground      the source without anything of shimgen's
carried     the patches that the user carries besides
steps       the series as letters
series      the series as files, and a reviewed one brought back
writing     apply, revert
upgrade     two revisions, compared
"""

from shimgen.pipeline.analysis import analyse
from shimgen.pipeline.generation import explain, gate, generate, verify
from shimgen.pipeline.series import series
from shimgen.pipeline.session import recognise
from shimgen.pipeline.upgrade import upgrade
from shimgen.pipeline.writing import Manner, apply, revert

__all__ = [
    "Manner",
    "analyse",
    "apply",
    "explain",
    "gate",
    "generate",
    "recognise",
    "revert",
    "series",
    "upgrade",
    "verify",
]
