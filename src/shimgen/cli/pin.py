"""`shimgen pin`: say in `shimgen.toml` which baseline is expected from now on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from shimgen.cli.console import emit, note
from shimgen.cli.options import requested, shared_options
from shimgen.config import FILE_NAME, load_settings
from shimgen.model.errors import BaselineError, ConfigError
from shimgen.model.results import Analysis


@click.command(short_help="Pin the checkout, or a revision of it, in shimgen.toml.")
@click.argument("revision", metavar="[REV]", required=False)
@shared_options
def pin(revision: str | None, checkout: Path | None, config: Path | None, as_json: bool, **shared: Any) -> None:
    """Write url, revision, commit and digest of the checkout (or of REV in it) into shimgen.toml, and leave the rest
    of the file as it is, comments included."""
    from shimgen import pipeline
    from shimgen.cli.document import parsed, set_pin, write
    from shimgen.report import json, text

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
    if found.baseline.dirty:
        note(f"the commit that the pin names lacks the changes of {text.count(len(found.baseline.dirty), 'file')}")
    analysis = Analysis(found.baseline, found.profile_name, found.root)
    before = f" (before: {settings.pin.named})" if settings.pin is not None else ""
    name = f" ({found.revision})" if found.revision else ""
    pinned = f"pinned {text.baseline(analysis)}{name}{before}\nnext: shimgen apply\n"
    emit(json.render(analysis) if as_json else pinned, done=True)
