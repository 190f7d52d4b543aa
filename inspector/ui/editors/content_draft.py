"""The draft of a structured content: a value that views change, and the operations that lead to it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, Signal

from inspector.domain.blocks import Schema, UnreadableSchema
from inspector.domain.content import Content, LogContent
from inspector.domain.differences.contents import joint
from inspector.domain.edits.base import Operation
from inspector.domain.errors import RefusedError
from inspector.domain.merging import merged
from inspector.domain.operations_between import operation_between
from inspector.domain.resolution import clash
from inspector.domain.snapshot import BlockState

_MOST_STEPS = 500


class ContentSteps:
    """Contents to go back and forth between. They share all that is the same in them.

    What somebody else changed meanwhile is brought into a content when it is gone back to.
    """

    def __init__(self) -> None:
        self._before: list[tuple[Content, int]] = []
        self._after: list[tuple[Content, int]] = []
        self._carried: list[tuple[Content, Content]] = []
        self._place: object = None

    @property
    def can_undo(self) -> bool:
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        return bool(self._after)

    def add(self, content: Content, place: object) -> None:
        """Remember what is left; further changes at one place, unless it is None, are one step."""
        if place is None or place != self._place or not self._before:
            self._before = [*self._before[1 - _MOST_STEPS :], (content, len(self._carried))]
        self._place = place
        self._after.clear()

    def end(self) -> None:
        """Have the next change be a step of its own, though it is at the same place."""
        self._place = None

    def carry(self, before: Content, after: Content) -> None:
        """Keep the steps over what somebody else changed."""
        self._place = None
        if self._before or self._after:
            self._carried.append((before, after))

    def undo(self, schema: Schema, present: Content) -> Content:
        self._place = None
        self._after.append((present, len(self._carried)))
        return self._now(schema, *self._before.pop())

    def redo(self, schema: Schema, present: Content) -> Content:
        self._place = None
        self._before.append((present, len(self._carried)))
        return self._now(schema, *self._after.pop())

    def _now(self, schema: Schema, content: Content, carried: int) -> Content:
        for before, after in self._carried[carried:]:
            # Where both are at one place, what somebody else wrote since stays.
            content = merged(schema, before, content, after)
        return content


class TypedFaults(QObject):
    """What is typed of one content and cannot be taken into it.

    `faulted` tells that it is something else. `given_up` asks the views to forget it.
    """

    faulted = Signal()
    given_up = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._faults: dict[object, str] = {}

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong, a text for each place."""
        return tuple(self._faults.values())

    def give_up(self) -> None:
        """Have every place show what the content holds, instead of what can't be taken into it."""
        self.given_up.emit()

    def tell_fault(self, place: object, fault: str) -> None:
        """Say what of a place cannot be taken as it is typed, nothing where all of it can."""
        if fault != self._faults.get(place, ""):
            self._faults.pop(place, None)
            if fault:
                self._faults[place] = fault
            self.faulted.emit()


class ContentDraft(TypedFaults):
    """A structured content under edit.

    `shown` tells that it is another, `edited` that a person made it so.
    """

    edited = Signal()
    shown = Signal()

    def __init__(self, schema: Schema, content: Content, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.schema = schema
        self._base = self._marked = self._content = content
        self._steps = ContentSteps()
        self._operation: Operation | None = None
        self._shared = _shared_entries(content, content)
        """Entries of a log that the draft and what is stored begin with; there may be more."""
        self._read_only = False

    @property
    def content(self) -> Content:
        return self._content

    @property
    def base(self) -> Content:
        """The stored content that the operations are counted in."""
        return self._base

    @property
    def is_read_only(self) -> bool:
        return self._read_only

    def set_read_only(self, read_only: bool) -> None:
        if read_only != self._read_only:
            self._read_only = read_only
            self.shown.emit()

    @property
    def steps(self) -> ContentSteps:
        return self._steps

    @property
    def typed_since_mark(self) -> bool:
        return self._content != self._marked

    def change(self, content: Content, place: object = None, kept: int = 0) -> None:
        """Make the content another, as a step that can be undone.

        Args:
            content: What it is from now on.
            place: Where it is another; changes at one place are one step.
            kept: How many entries of a log are the very same ones as before, from the first on. With a hundred
                thousand of them, a key press should not look for that again.

        Raises:
            RefusedError: no operation leads there; nothing is changed then.
        """
        if self._read_only or content == self._content:
            return
        shared = min(kept, self._shared)
        operation = operation_between(self.schema, *_without_entries(shared, self._base, content))
        self._steps.add(self._content, place)
        self._show(content, operation, shared)
        self.edited.emit()

    def end_step(self) -> None:
        """Have the next change be a step of its own: what somebody typed at a place is entered."""
        self._steps.end()

    def undo_step(self) -> None:
        if self._steps.can_undo and not self._read_only:
            self._step_to(self._steps.undo(self.schema, self._content))

    def redo_step(self) -> None:
        if self._steps.can_redo and not self._read_only:
            self._step_to(self._steps.redo(self.schema, self._content))

    def forget_steps(self) -> None:
        self._steps = ContentSteps()

    def takes(self, content: Content | None) -> bool:
        return type(content) is type(self._content)

    def operation(self) -> Operation | None:
        return self._operation

    def load(self, state: BlockState, mine: Content | None = None) -> None:
        if state.content is None or isinstance(state.block.schema, UnreadableSchema):
            return
        content = state.content if mine is None else mine
        if (
            content is self._content
            and state.content is self._base is content
            and state.block.schema == self.schema
        ):
            # It is what the views were made with, or what somebody else's change of another part left.
            self._operation = None
            return
        self.schema, self._base = state.block.schema, state.content
        if content != self._content:
            self._steps.carry(self._content, content)
        self._show(content, operation_between(self.schema, self._base, content))

    def resume(self, state: BlockState, operation: Operation, content: Content) -> None:
        self.load(state, content)

    def join(self, state: BlockState) -> bool:
        if state.content is None:
            return True
        if clash(self.schema, self._base, state.content, self._content):
            return False
        self.load(state, merged(self.schema, self._base, state.content, self._content))
        return True

    def go_back(self, state: BlockState) -> None:
        if state.content is not None:
            self.change(state.content)

    def set_mark(self) -> None:
        self._marked = self._content

    def since_mark_on(self, content: Content) -> Content:
        return merged(self.schema, self._marked, content, self._content)

    def count_from_mark(self) -> None:
        self._base = self._marked
        self._operation = operation_between(self.schema, self._base, self._content)
        self._shared = _shared_entries(self._base, self._content)

    def _step_to(self, content: Content) -> None:
        try:
            operation = operation_between(self.schema, self._base, content)
        except RefusedError:
            # An entry that a log has by now stays in it.
            return
        self._show(content, operation)
        self.edited.emit()

    def _show(self, content: Content, operation: Operation | None, shared: int = 0) -> None:
        self._content, self._operation = content, operation
        self._shared = shared or _shared_entries(self._base, content)
        self.shown.emit()


def _shared_entries(base: Content, content: Content) -> int:
    if isinstance(base, LogContent) and isinstance(content, LogContent):
        return len(base.entries) if base is content else joint(base.entries, content.entries)
    return 0


def _without_entries(count: int, *contents: Content) -> Iterator[Content]:
    """The same contents; logs without so many of their first entries."""
    return (LogContent(each.entries[count:]) if isinstance(each, LogContent) else each for each in contents)
