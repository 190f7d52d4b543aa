"""The protocol of all document shapes: fill, apply, read and compare a content."""

from __future__ import annotations

from typing import Any, Protocol

from loro import LoroText

from inspector.documents.element_cache import ElementCache
from inspector.documents.stamp import EditStamp
from inspector.domain.content import Content
from inspector.domain.edits.base import Operation


class Shape(Protocol):
    """One schema's content in the containers of one document (or of one section of it)."""

    def fill(self, content: Any, stamp: EditStamp) -> None:
        """Write the first content, None for none, with the schema's defaults.

        Raises:
            RefusedError: when the content breaks the schema; the document is of no use then.
        """

    def apply(self, operation: Operation, stamp: EditStamp) -> tuple[str, ...] | None:
        """Do an operation. Gives the ids of what it changed; None when that is nothing.

        Raises:
            RefusedError: when the operation is not the schema's or breaks it; nothing is changed then.
        """

    def content(self, cache: ElementCache) -> Content:
        """All of it. What is `known` is not read again."""

    def become(self, content: Any, cache: ElementCache) -> None:
        """Make the content this one of the shape's kind, with the ids that it has; what is equal is left alone.

        `known` is what was known before the change that this is part of.

        Raises:
            RefusedError: when what is not there yet breaks the schema; something may have been changed then.
        """

    def texts(self) -> dict[str, LoroText]:
        """The text containers: by section, under an empty name where there are no sections."""
