"""The shipped facts and layouts that the engine is wired with, read once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from inspector.context.counting.pool import CounterPool, shipped_pool
from inspector.domain.layouts import Layout
from inspector.shipped.layout_files import load_layouts
from inspector.shipped.models import ModelTable, load_model_table


@cache
def shipped_models() -> ModelTable:
    """The dated table of model facts."""
    return load_model_table()


@cache
def shipped_layouts() -> Mapping[str, Layout]:
    """The shipped layouts by name."""
    return load_layouts()


@cache
def shipped_counters() -> CounterPool:
    """The counters over the shipped vocabularies. Shared by all engines of a process, for their caches."""
    return shipped_pool()
