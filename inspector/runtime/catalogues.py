"""The shipped model facts, layouts and counters that the engine uses, read once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from inspector.context.counting.counter import Counter
from inspector.context.counting.pool import CounterPool, counter_for, shipped_pool
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.layouts import Layout
from inspector.domain.model_offers import ModelOffer
from inspector.domain.models import ModelFacts
from inspector.shipped.layout_files import load_layouts
from inspector.shipped.model_overrides import with_overrides
from inspector.shipped.models import ModelTable, load_model_table

MODELS_FILE = "models.json"
"""What the user knows better about models, beside the settings."""


@cache
def shipped_models() -> ModelTable:
    """The dated table of model facts."""
    return load_model_table()


def models_of_user(path: Path | None) -> tuple[ModelTable, tuple[Problem, ...]]:
    """The table with what the user's own file beside the settings says instead, and what is wrong with that file."""
    if path is None:
        return shipped_models(), ()
    try:
        return with_overrides(shipped_models(), path.with_name(MODELS_FILE)), ()
    except MalformedError as error:
        problem = Problem("models_file_unreadable", Severity.WARNING, "setting:models", error.parameters)
        return shipped_models(), (problem,)


@cache
def shipped_layouts() -> Mapping[str, Layout]:
    """The shipped layouts by name."""
    return load_layouts()


@cache
def shipped_counters() -> CounterPool:
    """The counters over the shipped vocabularies. Shared by all engines of a process, for their caches."""
    return shipped_pool()


def shipped_counter(model: str) -> Counter:
    """The counter of a model by its id."""
    return counter_for(model, shipped_models(), shipped_counters())


def model_offers(models: ModelTable) -> tuple[ModelOffer, ...]:
    """The models of a table as a person chooses among them, in the order of the table."""
    return tuple(_offer(facts) for facts in models.models.values())


def _offer(facts: ModelFacts) -> ModelOffer:
    window = facts.max_input if facts.context_window is None else facts.context_window
    method = shipped_counters().counter(facts).tokenizer.method
    prices = facts.prices
    return ModelOffer(
        facts.id,
        facts.provider,
        window,
        method,
        None if prices is None else prices.input,
        None if prices is None else prices.output,
    )
