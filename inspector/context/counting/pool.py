"""The token counters of a process: one per tokenizer, made on first use and shared by all builds."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from inspector.context.counting.counter import Counter, EstimateCounter
from inspector.context.counting.exact import ExactCounter, Vocabulary
from inspector.context.counting.frames import FrameCosts
from inspector.context.counting.reconstruction import MessageCount, ReconstructedCounter, find_package
from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.estimation import SHARED
from inspector.domain.models import (
    ImageRule,
    ModelFacts,
    Overheads,
    Reconstruction,
    ResolvedBy,
    ToolOverheads,
)
from inspector.shipped.bands import BandTable, load_bands
from inspector.shipped.estimators import GENERIC, EstimatorTable, load_estimators
from inspector.shipped.image_rules import ImageRuleTable, load_image_rules
from inspector.shipped.overheads import OverheadTable, load_overheads
from inspector.shipped.reconstructions import load_reconstructions
from inspector.shipped.tokenizer_files import encoding_files

_OF_SHARED = "o200k"
"""The family that the shared vocabulary is of. Its own estimator doesn't weigh it."""


class ModelSource(Protocol):
    """Where facts about models come from."""

    def resolve(self, model_id: str) -> ModelFacts | None: ...


@dataclass(frozen=True, slots=True)
class Reconstructing:
    """A package that reconstructs tokenizers, and what is known of those that it does, by family."""

    count: MessageCount
    families: Mapping[str, Reconstruction]


@dataclass(frozen=True, slots=True)
class CostTables:
    """The shipped tables of what stands around texts and beside them."""

    overheads: OverheadTable
    images: ImageRuleTable
    bands: BandTable


class CounterPool:
    """Gives the counter of a model. May be used from several threads.

    Args:
        encodings: The vocabularies that are shipped, by name.
        estimators: The estimators by family.
        tables: What frames, tools and images cost.
        reconstructing: The package that reconstructs some families, None where there is none.
    """

    def __init__(
        self,
        encodings: Mapping[str, Vocabulary],
        estimators: EstimatorTable,
        tables: CostTables,
        reconstructing: Reconstructing | None = None,
    ) -> None:
        self._encodings = encodings
        self._estimators = estimators
        self._tables = tables
        self._reconstructing = reconstructing
        self._exact: dict[str, ExactCounter] = {}
        self._reconstructed: dict[str, ReconstructedCounter] = {}
        self._estimates: dict[str, EstimateCounter] = {}
        self._costs: dict[tuple[str | None, str, Overheads, ToolOverheads, ImageRule], FrameCosts] = {}
        self._lock = threading.Lock()

    def counter(self, facts: ModelFacts | None) -> Counter:
        """The exact counter where the model's vocabulary is shipped, else a reconstruction, else an estimate."""
        return self.costs(facts).counter

    def costs(self, facts: ModelFacts | None) -> FrameCosts:
        """The same counter with the costs of the family's frames."""
        family = facts.tokenizer if facts else GENERIC
        encoding = facts.encoding if facts else None
        model_id = facts.id if facts else ""
        images = self._tables.images.for_model(model_id) if facts else self._tables.images.generic
        overheads = self._tables.overheads.for_chat(family, model_id)
        if facts is not None and facts.resolved_by is ResolvedBy.MAKER:
            overheads = replace(overheads, method=Method.ESTIMATE, assistant_method=Method.ESTIMATE)
        tools = self._tables.overheads.for_tools(family, model_id)
        key = (encoding, family, overheads, tools, images)
        with self._lock:
            if key not in self._costs:
                bands = tuple(self._tables.bands.for_family(family).values())
                self._costs[key] = FrameCosts(self._make(encoding, family), overheads, tools, images, bands)
            return self._costs[key]

    def _make(self, encoding: str | None, family: str) -> Counter:
        vocabulary = self._encodings.get(encoding) if encoding else None
        if vocabulary is None:
            return self._reconstruction(family) or self._estimate(family)
        if vocabulary.name not in self._exact:
            self._exact[vocabulary.name] = ExactCounter(vocabulary, self._estimate(family))
        return self._exact[vocabulary.name]

    def _reconstruction(self, family: str) -> ReconstructedCounter | None:
        existing = self._reconstructing.families.get(family) if self._reconstructing else None
        if existing is None or self._reconstructing is None:
            return None
        if family not in self._reconstructed:
            count, fallback = self._reconstructing.count, self._estimate(family)
            self._reconstructed[family] = ReconstructedCounter(existing, count, fallback)
        return self._reconstructed[family]

    def _estimate(self, family: str) -> EstimateCounter:
        if family not in self._estimates:
            estimator = self._estimators.for_family(family)
            shared = self._make(SHARED, _OF_SHARED) if estimator.shared else None
            self._estimates[family] = EstimateCounter(estimator, shared)
        return self._estimates[family]


def shipped_pool() -> CounterPool:
    """A pool over the shipped vocabularies, estimators and tables, with what reconstructs tokenizers if it is there."""
    count = find_package()
    reconstructing = None if count is None else Reconstructing(count, load_reconstructions())
    tables = CostTables(load_overheads(), load_image_rules(), load_bands())
    return CounterPool(encoding_files(), load_estimators(), tables, reconstructing)


def counter_for(model: str, models: ModelSource, pool: CounterPool) -> Counter:
    """The counter of a model by its id; an unknown one gets a labelled estimate."""
    return pool.counter(models.resolve(model))
