"""Unsaved edits: kept through a crash, outside the constellation's file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from inspector.domain.edits.base import Edit
from inspector.domain.ref import Ref


@dataclass(frozen=True, slots=True)
class Draft:
    """One editor's unsaved work on one block: the edit that a save would make, against its base version."""

    ref: Ref
    edit: Edit
    updated_at: datetime
