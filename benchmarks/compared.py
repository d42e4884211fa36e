"""What runs in the sandbox of the ablation: a member as upstream wrote it and the shim, on one recording delegate.

Standard library and shimgen's own sandbox only; `meaning.py` starts it.
"""

from __future__ import annotations

import inspect
import json
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from shimgen.verify.box.bench import describe, outcome, same
from shimgen.verify.box.calls import Call, calls, shaped
from shimgen.verify.box.case import Case, Provider, Token, TooLong, read
from shimgen.verify.box.confine import confine
from shimgen.verify.box.delegates import Script, delegate, delegate_class, fresh
from shimgen.verify.box.torchlike import Module
from shimgen.verify.box.wrappers import Plain, hold, wrapper_class

BASES: tuple[type, ...] = (Plain, Module)


class Anything(Token):
    """A name of the module that is not there: it can be called, and says so."""

    def __call__(self, *args: object, **kwargs: object) -> Token:
        return self.inner.setdefault("()", Token(f"{self.label}()"))


@dataclass(frozen=True)
class Pair:
    """Both texts of one member. `also` are further names that the cut reads of the delegate and that the real
    delegate has; `own` those that it reads of the wrapper; `names` the globals it mentions, `aliases` those that are
    classes which provide the member; `returns`: the provider's calls can give something; `init` the method that makes
    it an instance attribute, "" for a member of the class."""

    cut: Case
    shim: Case
    also: tuple[str, ...]
    own: tuple[str, ...]
    names: tuple[str, ...]
    aliases: tuple[str, ...]
    copied: tuple[str, ...]
    returns: bool
    init: str


def main() -> None:
    """Reads pairs as JSON from stdin, writes one line for each to stdout: how the two differ, "" for not at all."""
    request = json.load(sys.stdin)
    signal.signal(signal.SIGALRM, _late)
    confine(request["memory"], request["seconds"])
    for number, raw in enumerate(request["pairs"]):
        signal.setitimer(signal.ITIMER_REAL, request["each"])
        try:
            told = differs(_pair(raw))
        except TooLong:
            told = "it did not end in time"
        except Exception as error:
            told = f"not comparable: {type(error).__name__}: {error}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.write(json.dumps({"pair": number, "differs": told[:500]}) + "\n")
        sys.stdout.flush()


def differs(pair: Pair) -> str:
    """The first thing that the two do not have in common, "" when there is none."""
    found = (told for provider in pair.shim.providers for base in BASES for told in _of(pair, provider, base))
    return next(found, "")


def _of(pair: Pair, provider: Provider, base: type) -> Iterator[str]:
    script = Script()
    script.result = script.result if pair.returns else None
    cls = delegate_class(provider, pair.cut.member, Plain, script)
    made = dict.fromkeys((*pair.aliases, *provider.names), cls)
    known = {name: Anything(name) for name in pair.names} | made
    held = delegate(provider, pair.cut.member, base, script)
    for name in pair.also:
        object.__setattr__(held, name, Anything(f"<delegate>.{name}"))
    for chain in filter(None, pair.copied):
        _place(held, chain.split("."), script.value)
    cut, shim = (_wrapper(case, base, known, held, pair) for case in (pair.cut, pair.shim))
    on_class = pair.shim.kind in ("classmethod", "staticmethod", "attribute")
    for one in _asked(provider, pair, type(cut) if on_class else cut):
        left, right = (
            _observe(provider, script, type(w) if on_class else w, pair.cut.member, one) for w in (cut, shim)
        )
        if not same(left, right):
            yield f"{one or 'reading it'}: upstream's gives {_told(left)}, the shim {_told(right)}"


def _place(held: Any, chain: list[str], value: object) -> None:
    """Let the chain of attributes below `held` end at `value`."""
    for name in chain[:-1]:
        inner = Anything(f"<delegate>.{name}")
        object.__setattr__(held, name, inner)
        held = inner
    object.__setattr__(held, chain[-1], value)


def _wrapper(case: Case, base: type, known: dict[str, Any], held: object, pair: Pair) -> Any:
    made = hold(wrapper_class(case, base, known)(), case.attribute, held)
    for name in pair.own:
        object.__setattr__(made, name, Anything(f"<wrapper>.{name}"))
    if case is pair.cut and pair.init:
        getattr(made, pair.init)()
    return made


def _asked(provider: Provider, pair: Pair, holder: Any) -> Iterator[Call | None]:
    """The calls that upstream's member takes, those of the engine among them; None for reading a value."""
    if not provider.called:
        yield None
        return
    signature = inspect.signature(getattr(holder, pair.cut.member))
    yield from calls(signature)
    yield from (call for call in map(shaped, pair.cut.shapes) if _binds(signature, call))


def _binds(signature: inspect.Signature, call: Call) -> bool:
    try:
        signature.bind(*call.args, **dict(call.kwargs))
    except TypeError:
        return False
    return True


def _observe(provider: Provider, script: Script, holder: Any, member: str, call: Call | None) -> list[Any]:
    """What comes back or is raised, and with which arguments the delegate was reached."""
    fresh(script)
    try:
        value = getattr(holder, member)
        if call is not None:
            value = outcome(provider, script, value(*call.args, **dict(call.kwargs)))
    except Exception as error:
        return ["raises", type(error).__name__, len(script.log)]
    return ["gives", value, [arguments for _, arguments in script.log]]


def _told(seen: list[Any]) -> str:
    how, what, reached = seen
    return f"{how} {what}" if how == "raises" else f"{describe(what)} after {reached}"


def _pair(raw: dict[str, Any]) -> Pair:
    shim = read(raw["shim"])
    given = read({**raw["shim"], "source": raw["source"], "defaults": raw["defaults"]})
    cut = replace(given, wrapper=raw["wrapper"])
    also, own, names, aliases, copied = (tuple(raw[n]) for n in ("also", "own", "names", "aliases", "copied"))
    return Pair(cut, shim, also, own, names, aliases, copied, raw["returns"], raw["init"])


def _late(number: int, frame: object) -> None:
    raise TooLong


if __name__ == "__main__":
    main()
