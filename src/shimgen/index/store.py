"""Facts of blobs that were seen before, by blob id: the same bytes give the same facts."""

from __future__ import annotations

from dataclasses import dataclass, field

from shimgen.model.facts import ModuleFacts, Use


@dataclass(slots=True)
class Store:
    """Facts of one profile. Uses also depend on the path, since a profile's receivers do."""

    definitions: dict[str, ModuleFacts] = field(default_factory=dict)
    uses: dict[tuple[str, str], tuple[Use, ...]] = field(default_factory=dict)
