"""What every shape can do."""

from __future__ import annotations

from typing import Any, Protocol

from inspector.documents.stamp import Stamp
from inspector.domain.content import Content
from inspector.domain.edits.base import Operation


class Shape(Protocol):
    """One schema's content in the containers of one document (or of one section of it)."""

    def fill(self, content: Any, stamp: Stamp) -> None:
        """Write the first content, None for none, with the schema's defaults.

        Raises:
            RefusedError: when the content breaks the schema; the document is of no use then.
        """

    def apply(self, operation: Operation, stamp: Stamp) -> tuple[str, ...] | None:
        """Do an operation. Gives the ids of what it changed; None when that is nothing.

        Raises:
            RefusedError: when the operation is not the schema's or breaks it; nothing is changed then.
        """

    def merges(self, operation: Operation) -> bool:
        """Whether the operation means positions or a whole body, and so must be applied to its base version.

        All others name what they change by id, which holds in any version.
        """

    def content(self) -> Content:
        """All of it."""
