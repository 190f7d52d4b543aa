"""Reconstructed tokenizers of models, and how far they are off (`resources/models/reconstructions.json`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from inspector.domain.models import Reconstruction
from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.locate import resource_path


class _Family(ShippedRecord, frozen=True):
    version: str
    band: float
    under: float
    source: str


class _ReconstructionsFile(ShippedRecord, frozen=True):
    dated: str
    package: str
    families: dict[str, _Family]


@cache
def load_reconstructions() -> Mapping[str, Reconstruction]:
    """The shipped facts by tokenizer family.

    Raises:
        MalformedError: the file has another shape.
    """
    return read_reconstructions(resource_path("models", "reconstructions.json"))


def read_reconstructions(path: Path) -> Mapping[str, Reconstruction]:
    """Facts from any file of the shape; `load_reconstructions` for the shipped ones."""
    content = read_json(path, _ReconstructionsFile)
    return {
        family: Reconstruction(family, each.version, each.band, each.under, each.source)
        for family, each in content.families.items()
    }
