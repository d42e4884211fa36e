"""A baseline as path -> bytes, and the only place that writes a checkout or talks to git.

    open_checkout(path, rev=None) -> Checkout       what the user gave; `.tree()`, `.dirty_files(paths)`, `.kind`
    open_package(name, python="") -> Checkout       an installed distribution, found without importing it
    recover(checkout) -> str | None                 call it first: ends what a killed apply or revert began
    render_patch(checkout, changes, plain) -> bytes what `git diff` prints after apply; plain=patch.render_changes
    apply_changes(checkout, changes) -> paths       all or none
    revert(checkout, undo) -> Reverted              byte for byte; undo=patch.undo
    state(checkout) -> tuple[AppliedFile, ...]      what apply has put in
    identify(checkout) -> Identity                  branch, tag, date, remote (slow path)
    short_id(checkout, blob) -> str
    write_folder(folder, contents) -> paths         where the user's -o points

The two functions that are passed in belong to `patch`, which this package does not import.
"""

from shimgen.checkout.commands import apply_changes, recover, render_patch, revert, short_id, state
from shimgen.checkout.files import write_folder
from shimgen.checkout.identity import Identity, identify
from shimgen.checkout.opening import Checkout, open_checkout, open_package
from shimgen.checkout.undoing import AppliedFile, Reverted

__all__ = [
    "AppliedFile",
    "Checkout",
    "Identity",
    "Reverted",
    "apply_changes",
    "identify",
    "open_checkout",
    "open_package",
    "recover",
    "render_patch",
    "revert",
    "short_id",
    "state",
    "write_folder",
]
