"""Profiles from tables: every fault of a table is reported, not only the first; rows are counted from 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec

from shimgen.model.errors import ConfigError, FaultsError, did_you_mean
from shimgen.model.profile import External, Interface, Models, Profile, Receiver, Recipe

ROLES = ("target", "draft", "encoder", "any")
_SOURCES = ("expression", "parameter", "accessor", "class_variable")
_NAMED: dict[str, type[msgspec.Struct]] = {"interfaces": Interface, "externals": External, "recipes": Recipe}


def from_table(table: Mapping[str, Any], base: Callable[[str], Profile] | None = None) -> Profile:
    """The profile that a table describes; with `extends = NAME` on top of a shipped one.

    An extension's receivers come before those of its base, so that they win; its lists are added; interfaces,
    externals and recipes of a name that the base has are replaced; single values are replaced. `base` loads a
    profile by name. Raises ConfigError with all faults of the table.
    """
    faults: list[str] = []
    given = dict(table)
    parent = _parent(given.pop("extends", None), base, faults)
    known = _types(Profile)
    faults += [f"{key}: unknown key{did_you_mean(key, known)}" for key in given if key not in known]
    values = {key: _field(key, value, faults) for key, value in given.items() if key in known}
    if faults:
        raise FaultsError("the profile", faults)
    profile = _build(values, parent, faults)
    faults += _meaning(profile)
    if faults:
        raise FaultsError("the profile", faults)
    return msgspec.structs.replace(profile, ignore=_expanded(profile))


def _parent(name: object, base: Callable[[str], Profile] | None, faults: list[str]) -> Profile | None:
    if name is None:
        return None
    if not isinstance(name, str) or base is None:
        faults.append("extends: the name of a shipped profile is expected")
        return None
    try:
        return base(name)
    except ConfigError as error:
        faults.append(f"extends: {error.message}")
        return None


def _field(key: str, value: Any, faults: list[str]) -> Any:
    """One field converted; faults of every element are noted."""
    if key == "receivers" and isinstance(value, list):
        return tuple(_converted(f"receivers[{n}]", item, Receiver, faults) for n, item in enumerate(value, 1))
    if key in _NAMED and isinstance(value, dict):
        return {name: _converted(f"{key}.{name}", item, _NAMED[key], faults) for name, item in value.items()}
    if key == "models":
        return _converted(key, value, Models, faults)
    return _converted(key, value, _types(Profile)[key], faults)


@cache
def _types(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The fields of a struct, with their types."""
    return {field.name: field.type for field in msgspec.structs.fields(kind)}


def _converted(where: str, value: Any, target: Any, faults: list[str]) -> Any:
    if isinstance(value, dict) and isinstance(target, type) and issubclass(target, msgspec.Struct):
        known = _types(target)
        strange = [key for key in value if key not in known]
        faults += [f"{where}.{key}: unknown key{did_you_mean(key, known)}" for key in strange]
        value = {key: item for key, item in value.items() if key in known}
    try:
        return msgspec.convert(value, target)
    except msgspec.ValidationError as error:
        faults.append(f"{where}: {str(error).replace(' - at `$', ' at `')}")
        return None


def _build(values: dict[str, Any], parent: Profile | None, faults: list[str]) -> Profile:
    if parent is None and "name" not in values:
        faults.append("name is missing")
    if parent is None:
        return Profile(**{"name": "", **values})
    merged = {name: getattr(parent, name) for name in _types(Profile)}
    for key, value in values.items():
        merged[key] = _merged(key, merged[key], value)
    return Profile(**merged)


def _merged(key: str, old: Any, new: Any) -> Any:
    if key == "receivers":
        return (*new, *old)
    if isinstance(new, Models):
        default = Models()
        changed = {f: getattr(new, f) for f in _types(Models) if getattr(new, f) != getattr(default, f)}
        return msgspec.structs.replace(old, **{f: _merged(f, getattr(old, f), v) for f, v in changed.items()})
    if isinstance(new, tuple):
        return tuple(dict.fromkeys((*old, *new)))
    return {**old, **new} if isinstance(new, dict) else new


def _meaning(profile: Profile) -> list[str]:
    """Faults that types do not show."""
    faults = []
    for number, rule in enumerate(profile.receivers, 1):
        where = f"receivers[{number}]"
        if sum(bool(getattr(rule, source)) for source in _SOURCES) != 1:
            faults.append(f"{where}: give exactly one of {', '.join(_SOURCES)}")
        if rule.role not in ROLES:
            faults.append(f'{where}.role: one of {", ".join(ROLES)} is expected, not "{rule.role}"')
        if not all(name.isidentifier() for name in _chain(rule)):
            faults.append(f'{where}: "{_written(rule)}" is not a dotted name')
    for name, interface in profile.interfaces.items():
        if not interface.members and not interface.paths:
            faults.append(f"interfaces.{name}: give members or paths")
    return faults + _meaning_of_models(profile.models)


def _meaning_of_models(models: Models) -> list[str]:
    dotted = {"registry": models.registry}
    dotted |= {f"factories[{n}].function": factory.function for n, factory in enumerate(models.factories, 1)}
    strange = (f'models.{key}: "{text}" is not a dotted name' for key, text in dotted.items() if not _is_dotted(text))
    missing = ["models.factories: give models.registry, too"] if models.factories and not models.registry else []
    return [*strange, *missing]


def _is_dotted(text: str) -> bool:
    return not text or ("." in text and all(name.isidentifier() for name in text.split(".")))


def _written(rule: Receiver) -> str:
    return rule.expression or rule.parameter or rule.accessor or rule.class_variable


def _chain(rule: Receiver) -> list[str]:
    return [name for name in _written(rule).removeprefix("*.").split(".") if _written(rule)]


def _expanded(profile: Profile) -> tuple[str, ...]:
    members: list[str] = []
    for name in profile.ignore:
        external = profile.externals.get(name)
        members += external.provides if external is not None else (name,)
    return tuple(dict.fromkeys(members))
