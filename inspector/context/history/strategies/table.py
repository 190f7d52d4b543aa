"""The strategies by their settings' class: one row each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.context.history.choice import Choosing
from inspector.context.history.strategies import (
    hysteresis,
    importance_based,
    recursive_summarization,
    time_decay,
    truncate,
    window,
)
from inspector.domain.limits import (
    Hysteresis,
    ImportanceBased,
    RecursiveSummarization,
    Strategy,
    TimeDecay,
    Truncate,
    Window,
)

STRATEGY_CHOICES: Mapping[type[Strategy], Choosing[Any]] = {
    Truncate: truncate.choose,
    RecursiveSummarization: recursive_summarization.choose,
    ImportanceBased: importance_based.choose,
    TimeDecay: time_decay.choose,
    Window: window.choose,
    Hysteresis: hysteresis.choose,
}
