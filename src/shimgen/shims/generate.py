"""Gaps -> edited files. Decides everything on the files as they are, then inserts, back to front."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby

import msgspec
from msgspec.structs import replace

from shimgen import workers
from shimgen.model.domain import ClassRef, Decision, FileChange, Gap, Provider, Refusal, Shim
from shimgen.model.program import Program
from shimgen.shims.adopt import Adoption, adoption, header_edits
from shimgen.shims.dependents import Key, drop_dependents, file_of, is_planned
from shimgen.shims.lists import Edit, applied
from shimgen.shims.marker import find_shims, marker, recipe_marker
from shimgen.shims.member import Draft, Setting, assembled, draft
from shimgen.shims.place import Place, find_class, find_place, names_in_class
from shimgen.shims.refusal import RefusedError, no_place, refused_gap
from shimgen.shims.render import render, width
from shimgen.shims.scopes import Scope, hidden_in, scope_of
from shimgen.shims.signature import Origin
from shimgen.shims.style import Style
from shimgen.source import ClassSite, Source, read
from shimgen.syntax import is_lazy

Sources = Callable[[str], bytes]
_MANY = 6
"""From so many files on several processes are quicker than one."""


def generate(
    gaps: Sequence[Gap], program: Program, sources: Sources, style: Style | None = None
) -> tuple[tuple[FileChange, ...], tuple[Gap, ...]]:
    """The files that close the gaps that are not refused, sorted, and the gaps that had to be refused after all.

    `sources` brings a file's bytes, `style` says how the checkout formats its code. Several gaps for one member of
    one class give one shim. The result does not depend on the order of `gaps`. That an edited file is valid Python
    is for the proofs to show.
    """
    wanted = sorted((g for g in gaps if g.decision is not Decision.REFUSE), key=_order)
    groups = {key: tuple(group) for key, group in groupby(wanted, key=_key)}
    maker = _Maker(groups, program, sources, style or Style())
    files = {path: tuple(keys) for path, keys in groupby(groups, key=file_of)}
    made = _made(maker, files)
    refusals = {key: refusal for file in made.values() for key, refusal in file.refusals}
    for path in drop_dependents(groups, refusals):
        made[path] = maker.file(path, [key for key in files[path] if key not in refusals])
    refused = [refused_gap(gap, refusal) for key, refusal in refusals.items() for gap in groups[key]]
    return tuple(file.change for file in made.values() if file.change is not None), tuple(sorted(refused, key=_order))


def _key(gap: Gap) -> Key:
    return gap.target, gap.member


def _order(gap: Gap) -> tuple[ClassRef, str, str, ClassRef]:
    return gap.target, gap.member, gap.wrapper.delegate.attribute, gap.wrapper.cls


class _Placed(msgspec.Struct, frozen=True):
    """A member with the text of its lines, and the place it goes to."""

    gap: Gap
    place: Place
    lines: tuple[str, ...]


class _Adopted(msgspec.Struct, frozen=True):
    """A base that a class takes up."""

    gap: Gap
    adoption: Adoption


class _File(msgspec.Struct, frozen=True, array_like=True):
    """What becomes of a file: the edit, None when nothing can be inserted, and what cannot."""

    change: FileChange | None = None
    refusals: tuple[tuple[Key, Refusal], ...] = ()


def _made(maker: _Maker, files: Mapping[str, Sequence[Key]]) -> dict[str, _File]:
    """What becomes of each file, in the order of their paths; many are shared out among processes."""
    pairs = list(files.items())
    processes = workers.available() if len(pairs) >= _MANY else 1
    made = workers.shared_out(len(pairs), lambda number: maker.file(*pairs[number]), _File, processes)
    return dict(zip(files, made, strict=True))


class _Target(msgspec.Struct, frozen=True):
    """A class that gets members, in its file, with the names seen from its body."""

    source: Source
    site: ClassSite
    scope: Scope


class _Maker:
    """Makes members; keeps what it parsed."""

    def __init__(self, groups: Mapping[Key, Sequence[Gap]], program: Program, sources: Sources, style: Style) -> None:
        self._groups = groups
        self._program = program
        self._sources = sources
        self._style = style
        self.source = cache(self._source)
        self._target = cache(self._targeted)

    def _source(self, path: str) -> Source:
        """The file at `path`. Raises RefusedError when it is no Python."""
        try:
            return read(self._sources(path))
        except (SyntaxError, ValueError) as error:
            raise no_place(f"{path} does not parse: {error}") from error

    def file(self, path: str, keys: Iterable[Key]) -> _File:
        """The file with what can be inserted of these keys, which are of its classes."""
        made: list[_Placed | _Adopted] = []
        refusals: list[tuple[Key, Refusal]] = []
        for key in keys:
            try:
                made.append(self.adopted(key) if self._groups[key][0].takes_base else self.member(key))
            except RefusedError as error:
                refusals.append((key, error.refusal))
        change = _spliced(path, self.source(path), made, self._style.line_length) if made else None
        return _File(change, tuple(refusals))

    def adopted(self, key: Key) -> _Adopted:
        """The base that a class takes up. Raises RefusedError."""
        gap = self._groups[key][0]
        target = self._target(key[0])
        if gap.protocol is None:
            raise no_place(f"what {gap.member} is was not said")
        return _Adopted(gap, adoption(self._program, target.source, target.site, target.scope, gap.protocol))

    def member(self, key: Key) -> _Placed:
        """The member for the gaps of one class and name. Raises RefusedError."""
        ref, name = key
        gap = _merged(self._groups[key])
        target = self._target(ref)
        bound = names_in_class(target.site.node).get(name)
        if bound is not None:
            raise no_place(f"it binds {name} itself at line {bound}")
        place = find_place(target.source, target.site, gap.wrapper.delegate.attribute)
        made, above = self._recipe(gap, target) if gap.assembly else self._forward(gap, target, place)
        lines = render(made.template, made.fields, self._style, place)
        lines = (place.indent + above, *lines)
        try:
            "\n".join(lines).encode(target.source.encoding)
        except UnicodeEncodeError:
            why = f"its file is written in {target.source.encoding}, which lacks a letter of the names"
            raise no_place(why) from None
        return _Placed(replace(gap, detail={**gap.detail, **made.detail}), place, lines)

    def _forward(self, gap: Gap, target: _Target, place: Place) -> tuple[Draft, str]:
        """A forwarding member and its marker."""
        providers = gap.providers
        setting = Setting(self._program, target.scope, self._origin(providers[0], gap.member))
        made = draft(gap, providers, setting)
        names = (p.cls.name.rpartition(".")[2] for p in providers)
        return made, marker(made.target, names, width(self._style, place))

    def _recipe(self, gap: Gap, target: _Target) -> tuple[Draft, str]:
        """A member that a recipe assembles, and its marker."""
        if gap.assembly is None:
            raise no_place(f"the recipe {gap.recipe} is not known")
        setting = Setting(self._program, target.scope, Origin(gap.target.path, True))
        return assembled(gap, gap.assembly, setting), recipe_marker(gap.recipe, gap.wrapper.delegate.attribute)

    def _targeted(self, ref: ClassRef) -> _Target:
        source = self.source(ref.path)
        site = find_class(source, ref.name, ref.line)
        mine = (group[0] for (cls, _), group in self._groups.items() if cls == ref)
        members = {gap.member for gap in mine if not gap.takes_base}
        return _Target(source, site, scope_of(ref.path, source, site, members))

    def _origin(self, provider: Provider, name: str) -> Origin:
        """Where the signature was first written: a member that shimgen adds below has it from further below."""
        seen: set[ClassRef] = set()
        while is_planned(provider) and (provider.cls, name) in self._groups and provider.cls not in seen:
            seen.add(provider.cls)
            below = self._groups[provider.cls, name][0].providers
            if not below:
                break  # a recipe gives it there
            provider = below[0]
        try:
            source = self.source(provider.cls.path)
            hidden = frozenset(hidden_in(find_class(source, provider.cls.name, provider.cls.line)))
        except (RefusedError, KeyError):
            return Origin(provider.cls.path, True)
        return Origin(provider.cls.path, is_lazy(source.tree), source, provider.line, hidden)


def _merged(gaps: Sequence[Gap]) -> Gap:
    """The gaps of one class and name as one: the first, with the providers of all, and a delegate that is optional
    when it is so for any. Raises RefusedError when they do not mean the same attribute."""
    first = gaps[0]
    if any(g.wrapper.delegate.attribute != first.wrapper.delegate.attribute for g in gaps):
        raise no_place(f"two of its attributes hold an object that has {first.member}")
    candidates = tuple(dict.fromkeys(c for g in gaps for c in g.wrapper.delegate.candidates))
    optional = any(g.wrapper.delegate.optional for g in gaps)
    delegate = replace(first.wrapper.delegate, optional=optional, candidates=candidates)
    return replace(
        first,
        wrapper=replace(first.wrapper, delegate=delegate),
        providers=tuple(dict.fromkeys(p for g in gaps for p in g.providers)),
        demand=replace(first.demand, sites=tuple(dict.fromkeys(s for g in gaps for s in g.demand.sites))),
    )


def _spliced(path: str, source: Source, made: Sequence[_Placed | _Adopted], limit: int) -> FileChange:
    """The file with everything inserted, the last place first, so that earlier places stay where they are."""
    edits: list[Edit] = []
    shims: list[Shim] = []
    placed = sorted((p for p in made if isinstance(p, _Placed)), key=lambda p: (p.place.line, p.gap.member))
    for line, group in [(n, list(g)) for n, g in groupby(placed, key=lambda p: p.place.line)]:
        newline = source.terminator(line) or (source.terminator(line - 1) if line > 1 else "") or "\n"
        texts = [newline + "".join(item + newline for item in one.lines) for one in group]
        whole = "".join(texts)
        if not source.terminator(line):
            whole = newline + whole.removesuffix(newline)
        edits.append(Edit(source.after(line), source.after(line), whole.encode(source.encoding)))
        shims += (Shim(p.gap, p.gap.target, p.gap.member, t) for p, t in zip(group, texts, strict=True))
    bases = [p for p in made if isinstance(p, _Adopted)]
    edits += header_edits(source, [base.adoption for base in bases], limit)
    data = applied(source.data, edits)
    there = {(s.cls, s.member): s.text for s in find_shims(data) if s.adopted is not None} if bases else {}
    shims += (Shim(b.gap, b.gap.target, b.gap.member, there[b.gap.target.name, b.gap.member]) for b in bases)
    return FileChange(path, source.data, data, tuple(sorted(shims, key=lambda s: (s.place, s.member))))
