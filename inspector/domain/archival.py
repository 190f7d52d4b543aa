"""Archival entries: found by search, never in the prompt by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ArchivalEntry:
    """One entry of an agent."""

    id: str
    agent_id: str
    content: str
    tags: tuple[str, ...]
    metadata: str
    created_at: datetime
    updated_at: datetime
    is_deleted: bool = False
