"""The circumstances of an edit that a document records or needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who, when, and where new ids for items, entries, nodes and list elements come from."""

    author: str
    at: datetime
    new_id: Callable[[], str]
