"""Bands of whole Requests by what is in them and who counts (`resources/models/bands.json`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from inspector.domain.counts import RequestBand
from inspector.domain.dataclass import dataclass
from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.locate import malformed, resource_path

ANY = "any"


class _Class(ShippedRecord, frozen=True):
    group: str
    kind: str
    low: float
    high: float | None
    n: int
    covered: float


class _BandsFile(ShippedRecord, frozen=True):
    dated: str
    method: str
    source: str
    slack: int
    groups: dict[str, tuple[str, ...]]
    classes: tuple[_Class, ...]


@dataclass(frozen=True, slots=True)
class BandTable:
    """The bands by group of tokenizer families and kind of Request; those of any group stand for what is missing."""

    groups: Mapping[str, str]
    by_class: Mapping[tuple[str, str], RequestBand]

    def for_family(self, family: str) -> Mapping[str, RequestBand]:
        """The bands of a tokenizer family by kind of Request."""
        own = self.groups.get(family, ANY)
        kinds = {kind for _, kind in self.by_class}
        return {kind: self.by_class.get((own, kind), self.by_class[ANY, kind]) for kind in kinds}


@cache
def load_bands() -> BandTable:
    """Load the shipped bands of whole Requests.

    Raises:
        MalformedError: the file has another shape, or a kind lacks the band of any group.
    """
    return read_bands(resource_path("models", "bands.json"))


def read_bands(path: Path) -> BandTable:
    """Bands from any file of the shape; `load_bands` for the shipped ones."""
    content = read_json(path, _BandsFile)
    found = {
        (each.group, each.kind): RequestBand(
            each.group, each.kind, each.low, each.high, content.slack, each.n, each.covered, content.source
        )
        for each in content.classes
    }
    for at, each in enumerate(content.classes):
        if (ANY, each.kind) not in found:
            raise malformed(path, f"{each.kind!r} has no band of any group - at `$.classes[{at}]`")
    groups = {family: group for group, families in content.groups.items() for family in families}
    return BandTable(groups, found)
