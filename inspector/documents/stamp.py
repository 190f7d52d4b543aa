"""Who edits a document, when, and where new ids come from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from inspector.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EditStamp:
    """Who, when, and where new ids for items, entries, nodes and list elements come from."""

    author: str
    at: datetime
    new_id: Callable[[], str]
