"""The order of the stages, and nothing else: checkout -> index -> demands, wrappers -> gaps -> shims -> patch.

session     the checkout, opened and recognised
pins        is it the one that shimgen.toml pins
memory      what earlier runs found in the same files
moved       that, where only lines have moved
analysis    tree -> wrappers, demands, gaps
generation  gaps -> verified series
ground      the source without anything of shimgen's
carried     the patches that the user carries besides
steps       the series as letters
filing      the series as files, and a reviewed one brought back
writing     apply, revert
revisions   two revisions, compared
"""

from typing import TYPE_CHECKING

from shimgen.lazily import exported

if TYPE_CHECKING:
    from shimgen.pipeline.analysis import analyse
    from shimgen.pipeline.filing import series
    from shimgen.pipeline.generation import explain, gate, generate, verify
    from shimgen.pipeline.revisions import upgrade
    from shimgen.pipeline.session import recognise
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

__getattr__ = exported(
    __name__,
    {
        "analysis": "analyse",
        "filing": "series",
        "generation": "explain gate generate verify",
        "revisions": "upgrade",
        "session": "recognise",
        "writing": "Manner apply revert",
    },
)
