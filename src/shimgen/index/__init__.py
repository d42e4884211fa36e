"""Source -> facts, names, MROs and instance attributes: everything later stages know of the code.

Whether an analysis of an earlier run still holds is told by the facts of the edited files alone (`Files`, `followed`):
such a run imports nothing that gives them a meaning.
"""

from typing import TYPE_CHECKING

from shimgen.lazily import exported

if TYPE_CHECKING:
    from shimgen.index.files import Files
    from shimgen.index.program import Index
    from shimgen.index.trace import Trace, changed_since, followed

__all__ = ["Files", "Index", "Trace", "changed_since", "followed"]

__getattr__ = exported(
    __name__,
    {"files": "Files", "program": "Index", "trace": "Trace changed_since followed"},
)
