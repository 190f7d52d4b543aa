"""Token rules for images by provider (`resources/models/images.json`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from inspector.domain.dataclass import dataclass
from inspector.domain.models import ImageKind, ImageRule
from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.locate import malformed, resource_path


class _Rule(ShippedRecord, frozen=True):
    name: str
    kind: ImageKind
    source: str
    models: tuple[str, ...]
    patch: int = 0
    longest: int = 0
    most: int = 0
    factor: float = 1.0
    base: int = 0
    tile: int = 0
    low: int = 0


class _RulesFile(ShippedRecord, frozen=True):
    dated: str
    generic: str
    rules: tuple[_Rule, ...]


@dataclass(frozen=True, slots=True)
class ImageRuleTable:
    """The rules by the beginning of a model's id. `generic` is for models of which no rule is known."""

    dated: str
    by_beginning: Mapping[str, ImageRule]
    generic: ImageRule

    def for_model(self, model_id: str) -> ImageRule:
        """The rule of the longest beginning that fits, else the generic one."""
        fitting = [beginning for beginning in self.by_beginning if model_id.startswith(beginning)]
        return self.by_beginning[max(fitting, key=len)] if fitting else self.generic


@cache
def load_image_rules() -> ImageRuleTable:
    """Load the shipped token rules for images.

    Raises:
        MalformedError: the file has another shape, names a model twice or lacks the generic rule.
    """
    return read_image_rules(resource_path("models", "images.json"))


def read_image_rules(path: Path) -> ImageRuleTable:
    """Rules from any file of the shape; `load_image_rules` for the shipped ones."""
    content = read_json(path, _RulesFile)
    found: dict[str, ImageRule] = {}
    for at, each in enumerate(content.rules):
        for beginning in each.models:
            if beginning in found:
                raise malformed(path, f"{beginning!r} appears twice - at `$.rules[{at}].models`")
            found[beginning] = _rule(each)
    generic = next((_rule(each) for each in content.rules if each.name == content.generic), None)
    if generic is None:
        raise malformed(path, f"no such rule: {content.generic!r} - at `$.generic`")
    return ImageRuleTable(content.dated, found, replace(generic, is_assumed=True))


def _rule(stored: _Rule) -> ImageRule:
    return ImageRule(
        name=stored.name,
        kind=stored.kind,
        patch=stored.patch,
        longest=stored.longest,
        most=stored.most,
        factor=stored.factor,
        base=stored.base,
        tile=stored.tile,
        low=stored.low,
        source=stored.source,
    )
