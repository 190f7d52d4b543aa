"""The counters of a process: one a family, made when first asked for, shared by all builds."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Protocol

from inspector.context.counting.counter import Counter, EstimateCounter
from inspector.context.counting.exact import ExactCounter, Vocabulary
from inspector.context.counting.frames import FrameCosts
from inspector.domain.models import ModelFacts
from inspector.shipped.estimators import GENERIC, EstimatorTable, load_estimators
from inspector.shipped.overheads import OverheadTable, load_overheads
from inspector.shipped.tokenizer_files import encoding_files


class ModelSource(Protocol):
    """Where facts about models come from."""

    def resolve(self, model_id: str) -> ModelFacts | None:
        """What is known of a model, or None."""
        ...


class CounterPool:
    """Gives the counter of a model. May be used from several threads."""

    def __init__(
        self, encodings: Mapping[str, Vocabulary], estimators: EstimatorTable, overheads: OverheadTable
    ) -> None:
        self._encodings = encodings
        self._estimators = estimators
        self._overheads = overheads
        self._exact: dict[str, ExactCounter] = {}
        self._estimates: dict[str, EstimateCounter] = {}
        self._costs: dict[tuple[str | None, str], FrameCosts] = {}
        self._lock = threading.Lock()

    def counter(self, facts: ModelFacts | None) -> Counter:
        """The exact counter where the model's vocabulary is shipped, else its family's estimate."""
        return self.costs(facts).counter

    def costs(self, facts: ModelFacts | None) -> FrameCosts:
        """The same counter with the costs of the family's frames."""
        family = facts.tokenizer if facts else GENERIC
        encoding = facts.encoding if facts else None
        with self._lock:
            if (encoding, family) not in self._costs:
                overheads = self._overheads.for_chat(family)
                tools = self._overheads.for_tools(family)
                self._costs[encoding, family] = FrameCosts(self._make(encoding, family), overheads, tools)
            return self._costs[encoding, family]

    def _make(self, encoding: str | None, family: str) -> Counter:
        vocabulary = self._encodings.get(encoding) if encoding else None
        if vocabulary is None:
            return self._estimate(family)
        if vocabulary.name not in self._exact:
            self._exact[vocabulary.name] = ExactCounter(vocabulary, self._estimate(family))
        return self._exact[vocabulary.name]

    def _estimate(self, family: str) -> EstimateCounter:
        if family not in self._estimates:
            estimator = self._estimators.for_family(family)
            self._estimates[family] = EstimateCounter(family, estimator.weights, estimator.band)
        return self._estimates[family]


def shipped_pool() -> CounterPool:
    """A pool over the shipped vocabularies, estimators and overheads."""
    return CounterPool(encoding_files(), load_estimators(), load_overheads())


def counter_for(model: str, models: ModelSource, pool: CounterPool) -> Counter:
    """The counter of a model by its id; an unknown one gets a labelled estimate."""
    return pool.counter(models.resolve(model))
