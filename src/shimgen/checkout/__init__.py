"""A baseline as path -> bytes, and the only place that writes a checkout or talks to git.

    open_checkout(path, rev=None) -> Checkout       what the user gave; `.tree()`, `.dirty_files(paths)`
    open_package(name, python="") -> Checkout       an installed distribution, found without importing it
    recover(checkout) -> str | None                 before anything is written: ends what a killed run began
    interrupted(checkout) -> str                    what a killed run has left open, for commands that only read
    render_patch(checkout, changes, plain) -> bytes what `git diff` prints after apply; plain=patch.render_changes
    apply_changes(checkout, changes) -> paths       all or none
    check_recording, make_commits, adopt            the changes as commits on a branch
    take_back(checkout)                             where that fails: what apply_changes wrote
    revert(checkout, undo) -> paths                 byte for byte; undo=patch.undo
    origins(checkout) -> path -> bytes              what was there before apply, of files that are as it left them
    other_forms(checkout, held) -> paths            of which git has something else, which is not to be committed over
    identify(checkout) -> Identity                  tag, date, remote, author (slow path)
    distance(checkout, commit) -> Distance | None   how far the checkout is from another commit
    release_name(checkout) -> str                   the installed version, or what git describe says
    digest(blobs) -> str                            of paths and their blob ids
    write_folder(folder, contents) -> paths         where the user's -o points

The two functions that are passed in belong to `patch`, which this package does not import.
"""

from typing import TYPE_CHECKING

from shimgen.checkout.directory import digest
from shimgen.checkout.opening import Checkout, open_checkout, open_package
from shimgen.lazily import exported

if TYPE_CHECKING:
    from shimgen.checkout.commands import (
        apply_changes,
        interrupted,
        origins,
        other_forms,
        recover,
        render_patch,
        revert,
        take_back,
    )
    from shimgen.checkout.commits import Commit, Made, adopt, check_recording, make_commits
    from shimgen.checkout.files import write_folder
    from shimgen.checkout.identity import Distance, Identity, distance, identify, release_name

__all__ = [
    "Checkout",
    "Commit",
    "Distance",
    "Identity",
    "Made",
    "adopt",
    "apply_changes",
    "check_recording",
    "digest",
    "distance",
    "identify",
    "interrupted",
    "make_commits",
    "open_checkout",
    "open_package",
    "origins",
    "other_forms",
    "recover",
    "release_name",
    "render_patch",
    "revert",
    "take_back",
    "write_folder",
]

__getattr__ = exported(
    __name__,
    {
        "commands": "apply_changes interrupted origins other_forms recover render_patch revert take_back",
        "commits": "Commit Made adopt check_recording make_commits",
        "files": "write_folder",
        "identity": "Distance Identity distance identify release_name",
    },
)
