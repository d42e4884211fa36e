"""`shimgen init` and `shimgen pin`: write to `shimgen.toml` what the stack is, and which baseline is expected."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from shimgen.cli.console import emit, note
from shimgen.cli.options import requested, shared_options
from shimgen.config import FILE_NAME, Options, Settings, load_settings
from shimgen.model.domain import Scope
from shimgen.model.errors import BaselineError, ConfigError
from shimgen.model.results import Analysis, Recognition


@click.command(short_help="Recognise the stack and write shimgen.toml.")
@shared_options
@click.option("--force", is_flag=True, help="Renew profile and pin in a shimgen.toml that is there already.")
def init(checkout: Path | None, config: Path | None, as_json: bool, force: bool, **shared: Any) -> None:
    """Recognise the serving stack and write shimgen.toml with profile and pin."""
    from shimgen import pipeline
    from shimgen.cli.document import set_aside, write

    said = requested(checkout, shared)
    target = config or Path(FILE_NAME)
    if target.exists() and not force:
        again = "shimgen init --force" + (f" --config {config}" if config else "")
        raise ConfigError(f"{target} is there already and was left as it is", again)
    settings = _settings(checkout, target, said)
    found = pipeline.recognise(settings)
    document = _document(target, found, settings, said.scope)
    kept = set_aside(target)
    write(target, document)
    if kept is not None:
        note(f"{target} was not TOML, and is kept as {kept}")
    where = "" if target.parent == Path() else f" --config {target}"
    after = f" in {checkout or settings.source}\nwrote {target}\nnext: shimgen scan{where}\n"
    _tell(found, as_json, "recognised", after)


@click.command(short_help="Pin the checkout, or a revision of it, in shimgen.toml.")
@click.argument("revision", metavar="[REV]", required=False)
@shared_options
def pin(revision: str | None, checkout: Path | None, config: Path | None, as_json: bool, **shared: Any) -> None:
    """Write url, revision, commit and digest of the checkout (or of REV in it) into shimgen.toml, and leave the rest
    of the file as it is, comments included."""
    from shimgen import pipeline
    from shimgen.cli.document import parsed, set_pin, write

    said = requested(checkout, shared)
    settings = load_settings(checkout, config, replace(said, rev=revision or said.rev))
    target = settings.config_path
    if target is None:
        raise ConfigError(f"there is no {FILE_NAME} to write the pin to", "shimgen init CHECKOUT")
    try:
        found = pipeline.recognise(settings)
    except BaselineError:
        if revision and Path(revision).is_dir():
            message = f"{revision} is a folder, and the first argument of pin is a revision"
            raise ConfigError(message, f"shimgen pin HEAD {revision}") from None
        raise
    document = parsed(target)
    set_pin(document, found)
    write(target, document)
    before = f" (before: {settings.pin.named})" if settings.pin is not None else ""
    name = f" ({found.revision})" if found.revision else ""
    _tell(found, as_json, "pinned", f"{name}{before}\nnext: shimgen apply\n")


def _tell(found: Recognition, as_json: bool, what: str, after: str) -> None:
    """Say what was done with the baseline: the words before it, and those after it."""
    from shimgen.report import json, text

    if found.baseline.dirty:
        note(f"the commit that the pin names lacks the changes of {text.count(len(found.baseline.dirty), 'file')}")
    analysis = Analysis(found.baseline, found.profile_name, found.root)
    emit(json.render(analysis) if as_json else f"{what} {text.baseline(analysis)}{after}", done=True)


def _settings(checkout: Path | None, target: Path, said: Options) -> Settings:
    """What an existing file says of checkout and stack still holds, unless it is at fault."""
    try:
        return load_settings(checkout, target if target.exists() else None, said, use_file=target.exists())
    except ConfigError:
        return load_settings(checkout, options=said, use_file=False)


def _document(target: Path, found: Recognition, settings: Settings, scope: Scope) -> Any:
    """The file anew: what a person wrote besides profile, checkout and pin stays, unless it is not TOML."""
    import tomlkit

    from shimgen.cli.document import parsed, set_pin, table

    document = parsed(target)
    if document is None:
        document = tomlkit.document()
        document.add(tomlkit.comment("What shimgen expects of this checkout; docs/config.md describes every key."))
    document["profile"] = found.profile_name
    for key, value in _place(settings, target).items():
        document.pop(key, None)
        if value:
            document[key] = value
    set_pin(document, found)
    said = {"interfaces": scope.interfaces, "wrappers": scope.wrappers, "members": scope.members}
    chosen = {key: list(names) for key, names in said.items() if names}
    if chosen or scope.severity:
        document["scope"] = table(**chosen, severity=scope.severity)
    return document


def _place(settings: Settings, target: Path) -> dict[str, str]:
    """The keys that say where the source is; "" for those that must not be there."""
    if settings.package:
        return {"checkout": "", "package": settings.package, "python": settings.python}
    return {"package": "", "checkout": _relative(settings.checkout, target)}


def _relative(checkout: Path, target: Path) -> str:
    """The checkout as seen from the file's folder, when it lies beside or below; else absolute."""
    folder = target.absolute().parent
    path = Path(os.path.relpath(checkout.absolute(), folder))
    return checkout.absolute().as_posix() if path.parts[:2] == ("..", "..") else path.as_posix()
