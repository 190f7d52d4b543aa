"""What the settings of a strategy may be, and what sets two of them apart."""

from __future__ import annotations

import math
from collections.abc import Mapping

from inspector.domain.codec import to_plain
from inspector.domain.errors import Parameters
from inspector.domain.limits import Strategy

_SHARES = frozenset({"high", "low"})


def strategy_fault(strategy: Strategy) -> Parameters | None:
    """The first setting that cannot be meant, with what it has to be: numbers from 0 on, shares up to 1."""
    settings = strategy_settings(strategy)
    for name, value in settings.items():
        if isinstance(value, str) or value is None:
            continue
        most = 1 if name in _SHARES else math.inf
        if not (math.isfinite(value) and 0 <= value <= most):
            return _fault(strategy, name, value, "0 to 1" if name in _SHARES else "0 or more")
    high, low = settings.get("high"), settings.get("low")
    if isinstance(high, int | float) and isinstance(low, int | float) and low > high:
        return _fault(strategy, "low", low, f"0 to {high}, the high mark")
    return None


def strategy_settings(strategy: Strategy) -> Mapping[str, str | int | float | None]:
    """The settings of a strategy by name."""
    plain = to_plain(strategy)
    return {name: value for name, value in plain.items() if name != "kind"}


def _fault(strategy: Strategy, name: str, value: float, wanted: str) -> Parameters:
    return {"strategy": strategy.kind, "name": name, "value": str(value), "wanted": wanted}
