"""A model that a person may choose: its window, how its tokens are counted, and its prices."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ModelOffer:
    """One model of a list to choose from; what is not known is None.

    Attributes:
        id: The name that an agent is given.
        provider: Who serves it under this id (``anthropic``, ``openai`` …).
        window: Tokens of its context window, else of the longest input.
        method: How texts are counted for it.
        input_price: US dollars per million input tokens.
        output_price: The same of output tokens.
    """

    id: str
    provider: str
    window: int | None = None
    method: Method = Method.ESTIMATE
    input_price: float | None = None
    output_price: float | None = None


def offer_of(offers: Iterable[ModelOffer], model: str) -> ModelOffer | None:
    """The offer of a model by its name, None for one that isn't listed."""
    return next((each for each in offers if each.id == model), None)
