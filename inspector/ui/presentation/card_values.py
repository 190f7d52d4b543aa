"""What a detail card is: its rows and actions, and the facts that cards are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from inspector.domain.dataclass import dataclass
from inspector.domain.messages import Message
from inspector.domain.requests import Request
from inspector.domain.snapshot import BlockState, SharedBlock
from inspector.domain.summaries import Summary


@dataclass(frozen=True, slots=True)
class CardRow:
    """One line: what it is about, what is to be said. `tone` is a purpose of the theme."""

    name: str
    text: str
    tone: str = "text"


@dataclass(frozen=True, slots=True)
class Card:
    """What the detail panel shows; `actions` are ids of the registry."""

    title: str
    note: str = ""
    rows: tuple[CardRow, ...] = ()
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message of the file, and the summary that speaks of it if it was put away."""

    message: Message
    summary: Summary | None = None


@dataclass(frozen=True)
class CardFacts:
    """What cards are made from."""

    now: datetime
    request: Request | None = None
    saved_tokens: Mapping[str, int] = field(default_factory=dict)
    """Tokens by piece id before the drafts."""
    blocks: Mapping[str, BlockState] = field(default_factory=dict)
    shared: Mapping[str, SharedBlock] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    characters: Mapping[str, int] = field(default_factory=dict)
    """Characters that count against a block's limit, by block id."""
    message: StoredMessage | None = None
    """The selected message, as far as it has been read."""
    input_price: float | None = None
    """Dollars for a token of the Request's input, None where the model's prices aren't known."""
