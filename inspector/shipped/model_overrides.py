"""The user's own model facts, which override the shipped ones.

The file is JSON: ``{"models": [{"id": "qwen3", "context_window": 40960, …}]}``. Each entry names a model, known or
not, and the facts that are to hold instead; null says that one is not known after all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from inspector.domain.models import ModelFacts, ResolvedBy
from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.estimators import GENERIC
from inspector.shipped.locate import malformed
from inspector.shipped.models import ModelTable, StoredPrices, StoredTier, read_prices
from inspector.shipped.tokenizer_files import shipped_encoding_for_model

Unset = msgspec.UnsetType
_UNSET = msgspec.UNSET
_MOST_TOKENS = 1_000_000_000


class _Override(ShippedRecord, frozen=True):
    id: str
    provider: str | Unset = _UNSET
    tokenizer: str | Unset = _UNSET
    max_input: int | Unset | None = _UNSET
    max_output: int | Unset | None = _UNSET
    context_window: int | Unset | None = _UNSET
    prices: StoredPrices | Unset | None = _UNSET
    cache_minimum: int | Unset | None = _UNSET
    retires: str | Unset | None = _UNSET
    flags: tuple[str, ...] | Unset = _UNSET


class _OverridesFile(ShippedRecord, frozen=True):
    models: tuple[_Override, ...]


def with_overrides(table: ModelTable, path: Path) -> ModelTable:
    """The table with a user's file laid over it; without such a file the table itself.

    Raises:
        MalformedError: the file has another shape, names a model twice, or has a number that cannot be; with
            the place in it.
    """
    if not path.exists():
        return table
    content = read_json(path, _OverridesFile)
    given: dict[str, ModelFacts] = {}
    for at, override in enumerate(content.models):
        name = override.id.strip().lower()
        if not name or name in given:
            raise malformed(path, f"{override.id!r} is empty or appears twice - at `$.models[{at}].id`")
        for key, why in _faults(override):
            raise malformed(path, f"{why} - at `$.models[{at}].{key}`")
        existing = table.resolve(name)
        given[name] = _laid_over(existing or _unknown(name), name, override)
    return table.with_models(given)


def _faults(override: _Override) -> Iterator[tuple[str, str]]:
    for key in ("max_input", "max_output", "context_window", "cache_minimum"):
        value = getattr(override, key)
        if isinstance(value, int) and not 0 < value <= _MOST_TOKENS:
            yield key, f"a number of tokens from 1 to {_MOST_TOKENS}, not {value}"
    prices = override.prices
    if isinstance(prices, StoredPrices):
        stored: list[StoredPrices | StoredTier] = [prices, *prices.tiers]
        for each in stored:
            values = (each.input, each.output, each.cache_read, each.cache_write)
            if any(value is not None and not 0 <= value < float("inf") for value in values):
                yield "prices", "a price must be 0 or more"


def _laid_over(existing: ModelFacts, name: str, override: _Override) -> ModelFacts:
    given = {key: getattr(override, key) for key in _KEYS if getattr(override, key) is not _UNSET}
    changes: dict[str, Any] = {**given}
    if "prices" in given:
        changes["prices"] = read_prices(given["prices"])
    if "flags" in given:
        changes["flags"] = frozenset(given["flags"])
    if given.get("tokenizer", existing.tokenizer) != existing.tokenizer:
        # Only ids that the vocabulary's own publisher maps to it are counted exactly.
        changes["encoding"] = None
    return replace(
        existing,
        id=name,
        resolved_by=ResolvedBy.EXACT,
        overridden=existing.overridden | given.keys(),
        **changes,
    )


def _unknown(name: str) -> ModelFacts:
    return ModelFacts(
        id=name,
        provider="",
        max_input=None,
        max_output=None,
        context_window=None,
        prices=None,
        cache_minimum=None,
        tokenizer=GENERIC,
        encoding=shipped_encoding_for_model(name),
        flags=frozenset(),
        retires=None,
        resolved_by=ResolvedBy.EXACT,
    )


_KEYS = tuple(key for key in _Override.__struct_fields__ if key != "id")
