"""Token estimators per tokenizer family (`resources/models/estimators.json`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from inspector.domain.dataclass import dataclass
from inspector.domain.estimation import FEATURE_NAMES, SHARED
from inspector.domain.models import Estimator
from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.locate import malformed, resource_path

GENERIC = "generic"
"""The family of a model of which nothing is known: weights fitted to the mean of all others, its band is wide."""


class _Fitted(ShippedRecord, frozen=True):
    mape: float
    band: float
    covered: float
    under: float
    weights: dict[str, float]


class _StandIn(ShippedRecord, frozen=True):
    like: str
    mape: float
    band: float
    covered: float
    under: float


class _EstimatorsFile(ShippedRecord, frozen=True):
    fitted_on: str
    method: str
    sources: tuple[str, ...]
    texts: dict[str, int]
    kinds: tuple[str, ...]
    characters: tuple[int, int]
    families: dict[str, _Fitted]
    stand_ins: dict[str, _StandIn]


@dataclass(frozen=True, slots=True)
class EstimatorTable:
    """All estimators. `fitted_on` is the day of the fit; `by_family` has the stand-ins too."""

    fitted_on: str
    method: str
    sources: tuple[str, ...]
    by_family: Mapping[str, Estimator]

    def for_family(self, family: str) -> Estimator:
        """The estimator of a tokenizer family; an unknown family gets the generic one, as a stand-in."""
        found = self.by_family.get(family)
        if found is not None:
            return found
        generic = self.by_family[GENERIC]
        return replace(generic, family=family)


@cache
def load_estimators() -> EstimatorTable:
    """Load the shipped token estimators once.

    Raises:
        MalformedError: the file has another shape, or weighs a feature that is not counted.
    """
    return read_estimators(resource_path("models", "estimators.json"))


def read_estimators(path: Path) -> EstimatorTable:
    """Estimators from any file of the shape; `load_estimators` for the shipped ones."""
    content = read_json(path, _EstimatorsFile)
    if GENERIC not in content.families:
        raise malformed(path, f"`{GENERIC}` is missing - at `$.families`")
    found = {
        family: Estimator(
            family,
            family,
            _weights(path, family, each.weights),
            each.weights.get(SHARED, 0.0),
            each.mape,
            each.band,
            each.covered,
            each.under,
        )
        for family, each in content.families.items()
    }
    for family, each in content.stand_ins.items():
        if each.like not in content.families:
            raise malformed(path, f"no such family: {each.like!r} - at `$.stand_ins.{family}.like`")
        like = found[each.like]
        found[family] = Estimator(
            family, each.like, like.weights, like.shared, each.mape, each.band, each.covered, each.under
        )
    return EstimatorTable(content.fitted_on, content.method, content.sources, found)


def _weights(path: Path, family: str, named: Mapping[str, float]) -> tuple[float, ...]:
    unknown = named.keys() - {*FEATURE_NAMES, SHARED}
    if unknown:
        raise malformed(path, f"no such feature: {min(unknown)!r} - at `$.families.{family}.weights`")
    return tuple(named.get(name, 0.0) for name in FEATURE_NAMES)
