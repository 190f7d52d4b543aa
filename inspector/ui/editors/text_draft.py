"""The text editor as an editor of a block's draft: every change is a splice of the stored text."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, SignalInstance

from inspector.domain.blocks import TextSchema
from inspector.domain.content import Content, TextContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.text import SpliceText
from inspector.domain.snapshot import BlockState
from inspector.domain.splices import between, changed_stretch, rebased, spliced
from inspector.ui.editors.content_draft import TypedFaults
from inspector.ui.editors.shadow import Steps
from inspector.ui.editors.text import TextEditor


class TextDraft:
    """The draft of a text block in its editor."""

    def __init__(self, editor: TextEditor) -> None:
        self._editor = editor
        self._marked = ""

    @property
    def edited(self) -> SignalInstance:
        return self._editor.edited

    @property
    def content(self) -> TextContent:
        return TextContent(self._editor.text)

    @property
    def steps(self) -> Steps:
        return self._editor.steps

    @property
    def typed_since_mark(self) -> bool:
        return bool(self._editor.splices_since_mark())

    def undo_step(self) -> None:
        self._editor.undo_step()

    def redo_step(self) -> None:
        self._editor.redo_step()

    def forget_steps(self) -> None:
        self._editor.forget_steps()

    def takes(self, content: Content | None) -> bool:
        return isinstance(content, TextContent)

    def operation(self) -> SpliceText | None:
        return self._editor.operation()

    def load(self, state: BlockState, mine: Content | None = None) -> None:
        stored = _text(state.content)
        splices = () if mine is None else between(stored, _text(mine))
        self._editor.load(stored, splices, carries=True)

    def resume(self, state: BlockState, operation: Operation, content: Content) -> None:
        if isinstance(operation, SpliceText):
            self._editor.load(_text(state.content), operation.splices)
        else:
            self.load(state, content)

    def join(self, state: BlockState) -> bool:
        """Saving merges texts: the store knows every character that others wrote."""
        return False

    def go_back(self, state: BlockState) -> None:
        for splice in changed_stretch(self._editor.text, _text(state.content)):
            self._editor.replace_range(splice.start, splice.delete, splice.insert)

    def set_mark(self) -> None:
        self._marked = self._editor.text
        self._editor.set_mark()

    def since_mark_on(self, content: Content) -> TextContent:
        text = _text(content)
        typed = rebased(self._editor.splices_since_mark(), changed_stretch(self._marked, text))
        return TextContent(spliced(text, typed))

    def count_from_mark(self) -> None:
        self._editor.count_from_mark(self._marked)


class BlockTextPart(TypedFaults):
    """The text of an editor as another view of it edits it. `shown` tells that it is another or is read only now."""

    shown = Signal()
    schema = TextSchema()

    def __init__(self, editor: TextEditor, parent: QObject) -> None:
        super().__init__(parent)
        self._editor = editor
        self.is_read_only = False

    @property
    def content(self) -> TextContent:
        return TextContent(self._editor.text)

    @property
    def base(self) -> TextContent:
        return TextContent(self._editor.base_text)

    def change(self, content: Content, place: object = None, kept: int = 0) -> None:
        """Have the editor hold another text; what is typed on at a place is one step to undo."""
        for splice in () if self.is_read_only else changed_stretch(self._editor.text, _text(content)):
            self._editor.replace_range(splice.start, splice.delete, splice.insert, goes_on=place is not None)

    def end_step(self) -> None:
        self._editor.steps.pause()

    def set_read_only(self, read_only: bool) -> None:
        if read_only != self.is_read_only:
            self.is_read_only = read_only
            self.shown.emit()


def _text(content: Content | None) -> str:
    return content.text if isinstance(content, TextContent) else ""
