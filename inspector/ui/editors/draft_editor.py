"""What an editor of a block's content offers to the session that keeps its draft."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import SignalInstance

from inspector.domain.content import Content
from inspector.domain.edits.base import Operation
from inspector.domain.snapshot import BlockState


class EditSteps(Protocol):
    """What a person can undo and redo in an editor."""

    @property
    def can_undo(self) -> bool: ...

    @property
    def can_redo(self) -> bool: ...


class DraftEditor(Protocol):
    """Edits one content. It counts what is typed from its base, the stored content, and from a mark."""

    @property
    def edited(self) -> SignalInstance:
        """A person changed the content."""

    @property
    def content(self) -> Content: ...

    @property
    def steps(self) -> EditSteps: ...

    def undo_step(self) -> None: ...

    def redo_step(self) -> None: ...

    def forget_steps(self) -> None:
        """Let nothing that was typed before be undone."""

    def takes(self, content: Content | None) -> bool:
        """Whether it is an editor of such a content."""

    def operation(self) -> Operation | None:
        """How the content differs from its base, None when it does not."""

    def load(self, state: BlockState, mine: Content | None = None) -> None:
        """Take a stored content as the base, and show it, or unsaved work on it."""

    def resume(self, state: BlockState, operation: Operation, content: Content) -> None:
        """Show a kept draft that was made on this very state, and the content that it gives."""

    def join(self, state: BlockState) -> bool:
        """Bring what others stored into unsaved work and count it from there. False: saving or a review does that."""

    def go_back(self, state: BlockState) -> None:
        """Show the stored content again, as a step that can be undone."""

    def set_mark(self) -> None:
        """What is typed from here on is asked for later."""

    def since_mark_on(self, content: Content) -> Content:
        """Another content with what was typed since the mark."""

    @property
    def typed_since_mark(self) -> bool: ...

    def count_from_mark(self) -> None:
        """Take the content that the mark was set on as the base."""
