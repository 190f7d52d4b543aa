"""One part of a record as an editor shows it on a page."""

from __future__ import annotations

from inspector.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PagePart:
    """One part as a page: its title, its exact text, and why it can't be edited."""

    title: str
    text: str
    why_not: str = ""
