"""The chain of evidence behind a gap, as text: demand, wrapper, delegate, provider, decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import dedent, indent

from msgspec.structs import replace

from shimgen.model.domain import Decision, Demand, Gap, Provider, Severity, Shim, Wrapper
from shimgen.report.text import Paint, because, by_severity, count, folded, holds, place, plain, sites


def member(gap: Gap, shim: Shim | None = None, paint: Paint = plain) -> str:
    """Everything that speaks for or against a forward, for one gap. `shim` is what would be inserted."""
    head = f"{gap.wrapper.cls.name}.{gap.member}"
    lines = [paint("name", head), *_demanded(gap, paint), *_wrapper(gap.wrapper, paint)]
    lines += [line for provider in gap.providers for line in _provider(provider, paint)]
    lines += [*_decision(gap, paint), *_inserted(shim)]
    return "\n".join(lines) + "\n"


def nothing_missing(found: Wrapper, demand: Demand, provider: Provider | None, paint: Paint = plain) -> str:
    """A demanded member that is no gap of a wrapper: who provides it, or who else it is asked of."""
    lines = [paint("name", f"{found.cls.name}.{demand.member}"), *_sites(demand, paint), *_wrapper(found, paint)]
    if provider is not None:
        lines += _provider(replace(provider, candidate=provider.cls), paint)
        lines.append("decision   nothing to do: the wrapper has it")
    else:
        roles = " and ".join(demand.roles) or "no"
        lines.append(f"decision   nothing to do: no place needs it of this model (asked of {roles} models)")
    return "\n".join(lines) + "\n"


def wrapper(found: Wrapper, gaps: Iterable[Gap], provided: Mapping[str, Provider], paint: Paint = plain) -> str:
    """One wrapper: its delegate, what it lacks, what is refused, what it provides by itself."""
    lines = [f"{paint('name', found.cls.name)} {holds(found)}", *_wrapper(found, paint)]
    listed = by_severity(gaps)
    missing = [gap for gap in listed if gap.severity is not Severity.DRIFT]
    for decision, title in (
        (Decision.FORWARD, "missing, to be forwarded"),
        (Decision.RECIPE, "missing, to be filled by a recipe"),
        (Decision.REFUSE, "missing, refused"),
    ):
        lines += _group(title, [gap for gap in missing if gap.decision is decision], paint)
    lines += _group("there and wrong", [gap for gap in listed if gap.severity is Severity.DRIFT], paint)
    if provided:
        lines += ["", f"provided ({len(provided)})"]
        width = max(map(len, provided))
        lines += [f"  {name:{width}}  {_origin(provided[name])}" for name in sorted(provided)]
    return "\n".join(lines) + "\n"


def _group(title: str, gaps: list[Gap], paint: Paint) -> Iterator[str]:
    if not gaps:
        return
    yield ""
    yield f"{title} ({len(gaps)})"
    width = max(len(gap.member) for gap in gaps)
    rows = [(gap, f"{gap.member:{width}}  {because(gap)}") for gap in gaps if not gap.sentence]
    for gap, row in [*rows, *folded(gap for gap in gaps if gap.sentence)]:
        yield f"  {paint(gap.severity.value, f'{gap.severity.value:6}')}  {row}"


def _demanded(gap: Gap, paint: Paint) -> Iterator[str]:
    if gap.demanded:
        yield from _sites(gap.demand, paint)
    else:
        yield f"demanded   by nobody here; it completes the interface {', '.join(gap.interfaces)}"
        yield from (f"  {line}" for line in sites(gap.demand.sites, paint))


def _sites(demand: Demand, paint: Paint) -> Iterator[str]:
    if not demand.sites:
        yield "demanded   by nobody"
        return
    bare = sum(demand.fails(site) for site in demand.sites)
    interfaces = f", interface {', '.join(demand.interfaces)}" if demand.interfaces else ""
    places = count(len(demand.sites), "place")
    yield f"demanded   at {places}, {bare} without guard, role {', '.join(demand.roles) or 'unknown'}{interfaces}"
    yield from (f"  {line}" for line in sites(demand.sites, paint))


def _wrapper(found: Wrapper, paint: Paint) -> Iterator[str]:
    held = found.delegate
    yield f"wrapper    {found.cls.name}  {paint('faint', place(found.cls.path, found.cls.line))}"
    by = "" if held.owner == found.cls else f", by {held.owner.name}"
    optional = ", may be None" if held.optional else ""
    yield f"delegate   self.{held.attribute}{by}{optional}  {paint('faint', place(held.owner.path, held.line))}"
    for candidate in held.candidates:
        yield f"candidate  {candidate.name}  {paint('faint', place(candidate.path, candidate.line))}"
    if held.unknown:
        yield f"candidate  unknown: {held.unknown}"


def _provider(found: Provider, paint: Paint) -> Iterator[str]:
    via = "" if found.cls == found.candidate else f", for {found.candidate.name}"
    where = paint("faint", place(found.cls.path, found.line))
    yield f"provider   {found.cls.name}{via}: {found.kind.value} {found.signature}".rstrip() + f"  {where}"


def _decision(gap: Gap, paint: Paint) -> Iterator[str]:
    reason = f": {gap.sentence}" if gap.sentence else f" {gap.recipe}" if gap.recipe else ""
    yield f"decision   {paint(gap.decision.value, gap.decision.value)}{reason}  ({gap.severity.value})"
    if gap.advice:
        yield f"instead    {gap.advice}"
    yield from (f"note       {note}" for note in gap.notes)


def _inserted(shim: Shim | None) -> Iterator[str]:
    if shim is None:
        return
    yield f"inserted   into class {shim.place.name}, {shim.place.path}"
    yield indent(dedent(shim.text.replace("\r\n", "\n")).strip("\n"), "    ")


def _origin(provider: Provider) -> str:
    return f"{provider.cls.name} {place(provider.cls.path, provider.line)}"
