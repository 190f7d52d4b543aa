"""Operations that restore an earlier version of a block, for every schema."""

from __future__ import annotations

from typing import ClassVar

from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation, Version


@dataclass(frozen=True, slots=True)
class RestoreVersion(Operation):
    """Make the content again what it was at a version of this block, as a new change.

    What was written after the edit's base version stays; without a base, nothing of it does.
    """

    op: ClassVar[str] = "restore_version"
    version: Version


@dataclass(frozen=True, slots=True)
class TakeBack(Operation):
    """Take back what lies between two versions of this block, and leave all that came later."""

    op: ClassVar[str] = "take_back"
    before: Version
    after: Version
