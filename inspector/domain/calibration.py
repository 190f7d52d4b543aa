"""Compares tokens that a provider reported with tokens that were counted.

A correction is shown beside a figure and never goes into it: the parts of a Request keep their own counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from inspector.domain.dataclass import dataclass

RUNS_KEPT = 20
"""How many of the newest runs of a model tell its ratio: providers change how they count."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """One call's input: `counted` by us with `tokenizer` before it was sent, `reported` by the provider after."""

    model: str
    tokenizer: str
    counted: int
    reported: int
    at: datetime
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """What a model's calls say of our counts.

    Attributes:
        model: The model.
        tokenizer: What counted.
        runs: How many calls it is from, at most `RUNS_KEPT`.
        ratio: Reported by counted tokens, over all of them.
        least: The smallest ratio of one call.
        most: The largest.
    """

    model: str
    tokenizer: str
    runs: int
    ratio: float
    least: float
    most: float

    def corrected(self, tokens: int) -> int:
        """What a count would be if the provider goes on counting as it did."""
        return round(tokens * self.ratio)


def correction(
    rows: Iterable[Calibration], model: str, tokenizer: str, before: datetime | None = None
) -> Correction | None:
    """What the newest calls of a model say, None where there was none that was counted so.

    Args:
        rows: What was reported, of any model, in any order.
        model: The model.
        tokenizer: What counts now: a ratio is of one tokenizer.
        before: Only what was reported before this moment.
    """
    fitting = [
        row
        for row in rows
        if row.model == model
        and row.tokenizer == tokenizer
        and row.counted > 0
        and row.reported > 0
        and (before is None or row.at < before)
    ]
    newest = sorted(fitting, key=lambda row: (row.at, row.run_id or ""))[-RUNS_KEPT:]
    if not newest:
        return None
    ratios = [row.reported / row.counted for row in newest]
    whole = sum(row.reported for row in newest) / sum(row.counted for row in newest)
    return Correction(model, tokenizer, len(newest), whole, min(ratios), max(ratios))
