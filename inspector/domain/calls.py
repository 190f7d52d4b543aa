"""Model calls before and as they are made: where one goes, what is sent, its key and its price."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InspectorError, Problem
from inspector.domain.limits import HistoryState
from inspector.domain.messages import Message
from inspector.domain.models import ModelFacts
from inspector.domain.records import TokenUsage
from inspector.domain.replies import CallFailure
from inspector.domain.wire.values import WireForm

DRAFTED = "send_draft"
"""The source of a message that stands in a Request and in no file yet."""

OFFLINE = "offline"
"""The name of the provider that answers by itself, without a network."""


class HostPlace(StrEnum):
    """How far away a destination is."""

    OFFLINE = "offline"
    """Nothing leaves the program."""
    LOOPBACK = "loopback"
    """This computer."""
    PRIVATE = "private"
    """The computer's own network, by its address."""
    PUBLIC = "public"


def origin_of(address: str) -> str:
    """Scheme, host and port of an address, what a key is bound to."""
    return "/".join(address.split("/", 3)[:3])


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a model call goes, and in whose form.

    Attributes:
        form: Whose request form is sent; None for the offline provider.
        base: The address before the form's own path, such as ``https://api.openai.com``; empty when offline.
        name: What people call it: a provider's name or a host.
        place: How far away it is.
        is_custom: Whether somebody gave the address, so that no key of a provider's own goes there by itself.
    """

    form: WireForm | None
    base: str = ""
    name: str = OFFLINE
    place: HostPlace = HostPlace.OFFLINE
    is_custom: bool = False

    @property
    def origin(self) -> str:
        """Scheme, host and port, what a key is bound to; empty when offline."""
        return origin_of(self.base)

    @property
    def is_encrypted(self) -> bool:
        return self.base.startswith("https:")


def stays_here(destination: Destination) -> bool:
    """Whether a call there doesn't leave this computer."""
    return destination.place in (HostPlace.OFFLINE, HostPlace.LOOPBACK)


class ApiKey:
    """A provider's key and the origin it was entered for. Neither its text nor its repr shows the key.

    Only `reveal` gives it out, to what writes the header, and `spellings`, to what takes it out of an answer.
    """

    __slots__ = ("_value", "origin", "spellings")

    def __init__(self, value: str, origin: str) -> None:
        self._value = value
        self.origin = origin
        # JSON may escape a slash.
        self.spellings = tuple({value: None, value.replace("/", "\\/"): None})

    def __repr__(self) -> str:
        return f"ApiKey(…, {self.origin!r})"

    def __str__(self) -> str:
        return "…"

    def reveal(self) -> str:
        """The key itself, for a header of a request to its origin alone."""
        return self._value


@dataclass(frozen=True, slots=True)
class CallOverrides:
    """What one send does differently. Nothing of it is stored with the agent.

    `parameters` replace the agent's own of the same neutral names (``temperature``, ``max_tokens`` …); a value of
    None leaves one out.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PriceEstimate:
    """US dollars for a call before it is made; None where a price is not known.

    `input` is all input at its full price, `reply` the longest reply that is allowed.
    """

    input: float | None = None
    reply: float | None = None


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """Something in a body that looks like a secret: its kind, masked, and its code points in the body's text."""

    kind: str
    shown: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call as it will be made, to look at before it is.

    Attributes:
        agent_id: Whose Request it is.
        model: The id that is asked for.
        destination: Where it goes.
        url: The whole address, empty when offline.
        headers: All headers but the key's.
        key_header: The header that carries the key, empty where none does.
        key_prefix: What stands before the key in it.
        key_variable: The environment variable that people keep the key in.
        body: The exact bytes of the body.
        tokens: The input tokens that were counted.
        method: How they were counted.
        price: What the call may cost.
        secrets: What looks like a secret in the body.
        adaptations: What the form had to change.
        tool_names: Names on the wire that differ from the tools' own, and the own ones.
        request_text: The Request's text form.
        manifest: The account of the Request, JSON.
        history_state: How far the Request's history was shortened.
        message: The user's message that the Request has and no file, None where there is none.
        parameters: Sampling parameters that were set for this call alone.
    """

    agent_id: str
    model: str
    destination: Destination
    url: str
    headers: Mapping[str, str]
    key_header: str
    key_prefix: str
    key_variable: str
    body: bytes
    tokens: int
    method: Method
    price: PriceEstimate
    secrets: tuple[SecretFinding, ...]
    adaptations: tuple[Problem, ...]
    tool_names: Mapping[str, str]
    request_text: str
    manifest: str
    history_state: HistoryState | None = None
    message: Message | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown_headers(self) -> Mapping[str, str]:
        """All headers as they may be shown: in place of the key, the variable that people keep it in."""
        if not self.key_header:
            return self.headers
        return {**self.headers, self.key_header: f"{self.key_prefix}${self.key_variable}"}


class CallError(InspectorError):
    """A call that gave no reply at all, with the reason as its failure."""

    def __init__(self, failure: CallFailure) -> None:
        self.failure = failure
        super().__init__(failure.code or f"call.{failure.kind.value}", **dict(failure.parameters))


def cost_of(usage: TokenUsage, facts: ModelFacts | None, calls: int = 1) -> float | None:
    """US dollars for the tokens that a provider reported, None where a figure or a price is missing.

    The sum of several calls is priced as if each were of their average size: some prices rise with the size.
    """
    if facts is None or facts.prices is None or usage.input_tokens is None:
        return None
    prices = facts.prices.at(usage.input_tokens // max(1, calls))
    read, written = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    charged = (
        (max(0, usage.input_tokens - read - written), prices.input),
        (read, prices.input if prices.cache_read is None else prices.cache_read),
        (written, prices.input if prices.cache_write is None else prices.cache_write),
        (usage.output_tokens or 0, prices.output),
    )
    total = 0.0
    for tokens, price in charged:
        if tokens and price is None:
            return None
        total += tokens * (price or 0.0)
    return total / 1_000_000
