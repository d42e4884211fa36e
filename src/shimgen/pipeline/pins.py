"""Is the checkout the one that `shimgen.toml` pins; if not, how does it differ, and what moves the pin on."""

from __future__ import annotations

from functools import cache

import msgspec

from shimgen import checkout as baseline
from shimgen.checkout import Checkout
from shimgen.config import FILE_NAME, Pin
from shimgen.model.source import Baseline
from shimgen.pipeline.carried import bare, load_cargo
from shimgen.pipeline.session import Session


class Fault(msgspec.Struct, frozen=True):
    """How a checkout differs from the pin, as a sentence, and the command that moves on."""

    sentence: str
    command: str


def pin_fault(session: Session) -> Fault | None:
    """None when there is no pin or it holds. Shimgen's own commits on top of the pinned one are no difference."""
    pin, checkout, found = session.settings.pin, session.checkout, session.tree.baseline
    if pin is None or pin.holds(found, cache(checkout.digest)):
        return None
    if found.kind != "git":
        return Fault(f"{FILE_NAME} pins {_plain(pin, found)}", "shimgen pin")
    if not pin.commit:
        return Fault(f"{FILE_NAME} pins {pin.named}, and {_named(checkout, found)} has other files", "shimgen pin")
    away = baseline.distance(checkout, pin.commit)
    if away is None:
        sentence = f"{FILE_NAME} pins {pin.named}, which this repository does not have; it is at"
        return Fault(f"{sentence} {_named(checkout, found)}", "git fetch --tags, or shimgen pin")
    if _is_own(session, pin.commit, away):
        return None
    where = " and ".join(filter(None, (_commits(away.ahead, "after"), _commits(away.behind, "before"))))
    python = sum(path.endswith(".py") for path in away.files)
    differ = f"{python:,} Python file{'s differ' if python != 1 else ' differs'}"
    sentence = f"{FILE_NAME} pins {pin.named}, and the checkout is {_named(checkout, found)}, {where} it; {differ}"
    return Fault(sentence, f"shimgen upgrade {pin.commit[:12]} HEAD, then shimgen pin")


def _plain(pin: Pin, found: Baseline) -> str:
    """What is pinned and what is there, where git is not asked."""
    if pin.version and found.version not in ("", pin.version):
        return f"version {pin.version}, and the checkout is {found.version}"
    what = f"{found.version} with" if found.version else "not in git and has"
    return f"{pin.named}, and the checkout is {what} other files, digest {found.id[:12]}"


def _named(checkout: Checkout, found: Baseline) -> str:
    name = baseline.release_name(checkout)
    return f"commit {found.id[:12]}{f' ({name})' if name else ''}"


def _commits(number: int, side: str) -> str:
    return f"{number:,} commit{'s' if number != 1 else ''} {side}" if number else ""


def _is_own(session: Session, pinned: str, away: baseline.Distance) -> bool:
    """Whether all that differs from the pinned commit is what shimgen puts in: shims and carried patches."""
    if away.behind or not away.ahead:
        return False
    checkout = session.checkout
    before = baseline.open_checkout(checkout.root, pinned)
    now = baseline.open_checkout(checkout.root, checkout.revision or checkout.head)
    pairs = ((path, before.read(path), now.read(path)) for path in away.files)
    cargo = load_cargo(session)
    return all(
        old is not None and new is not None and bare(path, old, cargo) == bare(path, new, cargo)
        for path, old, new in pairs
    )
