"""Operations that only the rows of a history name, once versions of a block were redacted. Nothing applies them."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from inspector.domain.actor import Actor
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation


@dataclass(frozen=True, slots=True)
class RedactVersions(Operation):
    """The contents of some versions of this block, by their numbers, are removed for good."""

    op: ClassVar[str] = "redact_versions"
    versions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Redacted(Operation):
    """What a redacted version's row says instead of its operation: what it was named, by whom and when it went."""

    op: ClassVar[str] = "redacted"
    was: str
    by: Actor
    at: datetime


@dataclass(frozen=True, slots=True)
class Withheld(Operation):
    """What the row of a kept version says instead of an operation that may quote redacted text: what it was named."""

    op: ClassVar[str] = "withheld"
    was: str
