"""What a stored call says of our counts: the reported input against the account that went with it."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.domain.calibration import Calibration
from inspector.domain.records import Run


def calibration_of(run: Run, manifest: object) -> Calibration | None:
    """The call's calibration; None where its provider reported no input, or its account tells no total.

    Args:
        run: The call.
        manifest: The account of its Request, as values.
    """
    reported = run.usage.input_tokens
    total = manifest.get("total") if isinstance(manifest, Mapping) else None
    if run.error is not None or not reported or reported < 0 or not isinstance(total, Mapping):
        return None
    counted, tokenizer = total.get("tokens"), total.get("tokenizer")
    if (
        isinstance(counted, bool)
        or not isinstance(counted, int)
        or counted <= 0
        or not isinstance(tokenizer, str)
    ):
        return None
    return Calibration(run.model, tokenizer, counted, reported, run.started_at, run.id)
