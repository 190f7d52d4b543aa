"""Work on one text block: its draft, its saving, and what others write meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from inspector.domain.content import Content, TextContent
from inspector.domain.edits.base import Edit, Receipt, Version
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.ui.doors import EditOptions
from inspector.ui.drafts import Work
from inspector.ui.editors.splicing import carried_over, difference, spliced
from inspector.ui.editors.text import TextEditor
from inspector.ui.workspace import Workspace


@dataclass(slots=True)
class _Saved:
    """What was saved, and from `receipt` on is waited for as stored text."""

    text: str
    receipt: Receipt | None = None
    passed: bool = False


class TextWork(QObject):
    """Keeps an editor, a block's draft and the stored text together.

    Every change in the editor is a draft at once, counted in its base version. `changed` tells that there is
    another text or another state of saving. `met` carries the stored block when somebody else wrote under a draft.
    `refused` carries the refusal of a save. `saved` tells that a save went through. `discarded` carries the `Work`
    that was given up.
    """

    changed = Signal()
    met = Signal(object)
    refused = Signal(object)
    saved = Signal()
    discarded = Signal(object)

    def __init__(self, workspace: Workspace, editor: TextEditor, block_id: str, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._editor = editor
        self._ref = Ref(RefKind.BLOCK, block_id)
        self._base: Version | None = None
        self._started = False
        self._original: Edit | None = None
        self._unfit: str | None = None
        """What is shown while an earlier draft is being fitted to the present text."""
        self._saving: _Saved | None = None
        self._saved: _Saved | None = None
        self._late: BlockState | None = None
        self._again: tuple[str, bool] | None = None
        self._taking_back = False
        editor.edited.connect(self._edited)

    @property
    def is_dirty(self) -> bool:
        """Whether there is something to save."""
        return self._original is not None or self._editor.operation() is not None

    @property
    def is_saving(self) -> bool:
        """Whether a save is on its way."""
        return self._saving is not None

    @property
    def is_waiting(self) -> bool:
        """Whether an earlier draft is still being fitted to the present text."""
        return not self._started

    def take(self, state: BlockState) -> None:
        """Take the stored text in, as far as unsaved work allows."""
        if not isinstance(state.content, TextContent):
            return
        if self._saving is not None:
            self._late = state
        elif not self._started or self._original is not None:
            self._begin(state, state.content.text)
        elif self._saved is not None:
            self._take_saved(state, self._saved, state.content.text)
        elif self._editor.operation() is None:
            self._load(state, state.content.text)
        elif state.version != self._base:
            self.met.emit(state)
        self.changed.emit()

    def save(self, reason: str, *, unlock: bool = False) -> None:
        """Save the draft. Nothing of it is lost when that is refused."""
        if self._saving is not None or self._saved is not None or self._unfit is not None:
            self._again = (reason, unlock)
            return
        edit = self._edit()
        if edit is None:
            return
        self._saving = _Saved(self._editor.text)
        self._editor.set_mark()
        options = EditOptions(reason, edit.base, unlock)
        self._workspace.save(edit, options, self._done, self._failed)
        self.changed.emit()

    def discard(self) -> None:
        """Go back to the stored text. Where the draft is on that text, this is a step that can be undone."""
        state, edit = self._workspace.block(self._ref.id), self._edit()
        if self._saving is not None or self._saved is not None or edit is None:
            return
        if state is None or not isinstance(state.content, TextContent):
            return
        stored, text = state.content.text, self._editor.text
        if self._original is None and state.version == self._base:
            self._take_back(text, stored)
        kept = self._workspace.drafts.get(self._ref.id)
        given_up = Work(edit, TextContent(text))
        if self._original is not None and kept is not None:
            given_up = replace(kept, restored=False)
        self._original = self._again = None
        self._load(state, stored)
        self._workspace.drop_draft(self._ref.id)
        self.discarded.emit(given_up)
        self.changed.emit()

    def bring_back(self, work: Work) -> None:
        """Take up again what was discarded, unless there is other work by now."""
        state = self._workspace.block(self._ref.id)
        if self.is_dirty or self._saving is not None or self._saved is not None or state is None:
            return
        if isinstance(state.content, TextContent):
            self._workspace.set_draft(work.edit, work.content)
            self._begin(state, state.content.text)
            self.changed.emit()

    def _take_back(self, text: str, stored: str) -> None:
        self._taking_back = True
        try:
            for splice in difference(text, stored):
                self._editor.replace_range(splice.start, splice.delete, splice.insert)
        finally:
            self._taking_back = False

    def _edit(self) -> Edit | None:
        if self._original is not None:
            return self._original
        operation = self._editor.operation()
        return (
            None if operation is None or self._saved is not None else Edit(self._ref, operation, self._base)
        )

    def _edited(self) -> None:
        if self._taking_back:
            return
        if self._unfit is not None:
            # What is typed before the earlier draft is there comes into it then.
            self.changed.emit()
            return
        self._original = None
        if self._saved is None:
            self._keep()
        self.changed.emit()

    def _keep(self) -> None:
        edit = self._edit()
        if edit is None:
            self._workspace.drop_draft(self._ref.id)
        else:
            self._workspace.set_draft(edit, TextContent(self._editor.text))

    def _begin(self, state: BlockState, text: str) -> None:
        """Show the stored text, with an earlier draft on it if there is one."""
        work = self._workspace.drafts.get(self._ref.id)
        if work is None:
            self._original = None
            self._load(state, text)
            return
        operation = work.edit.operation
        if isinstance(operation, SpliceText) and work.edit.base == state.version:
            self._original = None
            self._load(state, text, operation.splices)
            return
        # Its base is gone: only the engine can say what it gives now. Until it is typed in, the draft stays as it is.
        self._original = work.edit
        if not self._started:
            self._editor.load(text)
        if self._unfit is None:
            self._unfit = self._editor.text
            self._editor.set_mark()
        self._workspace.preview(work.edit, self._fit, self._leave_unfit)

    def _fit(self, content: Content) -> None:
        """Show what the earlier draft gives now, with what was typed while that was worked out."""
        state, unfit, typed = (
            self._workspace.block(self._ref.id),
            self._unfit,
            self._editor.splices_since_mark(),
        )
        self._unfit = None
        if unfit is None or state is None or not isinstance(state.content, TextContent):
            return
        if not isinstance(content, TextContent):
            return
        stored, text = state.content.text, spliced(content.text, carried_over(typed, unfit, content.text))
        self._load(state, stored, difference(stored, text))
        self._go_on(typed)

    def _leave_unfit(self) -> None:
        """What an earlier draft gives now cannot be said: it stays as it is, unless something was typed."""
        self._unfit = None
        self._go_on(self._editor.splices_since_mark())

    def _go_on(self, typed: Sequence[Splice]) -> None:
        if typed:
            self._original = None
            self._keep()
        self.changed.emit()
        self._save_again()

    def _save_again(self) -> None:
        again, self._again = self._again, None
        if again is not None:
            self.save(again[0], unlock=again[1])

    def _load(self, state: BlockState, text: str, splices: tuple[Splice, ...] = ()) -> None:
        self._started = True
        self._unfit = None
        self._base = state.version
        self._editor.load(text, splices)

    def _done(self, receipt: Receipt) -> None:
        saved, late = self._saving, self._late
        self._saving = self._late = self._original = None
        if saved is None:
            return
        saved.receipt = receipt
        self._saved = saved
        self._editor.load(saved.text, self._editor.splices_since_mark())
        self._workspace.drop_draft(self._ref.id)
        state = self._workspace.block(self._ref.id) if late is None else late
        if state is not None and isinstance(state.content, TextContent):
            self._take_saved(state, saved, state.content.text)
        self.saved.emit()
        self.changed.emit()

    def _take_saved(self, state: BlockState, saved: _Saved, text: str) -> None:
        """Take the stored text after a save. One that was read before the save is passed over, once."""
        receipt = saved.receipt
        if receipt is None:
            return
        if receipt.changed and state.version != receipt.version:
            if state.version == self._base:
                return
            if not saved.passed and state.written is not None and state.written.at < receipt.at:
                saved.passed = True
                return
        operation = self._editor.operation()
        since = () if operation is None else operation.splices
        self._saved = None
        self._load(state, text, carried_over(since, saved.text, text))
        if since:
            self._keep()
        self._save_again()

    def _failed(self, error: BaseException) -> bool:
        late = self._late
        self._saving = self._late = self._again = None
        self.changed.emit()
        if late is not None:
            self.take(late)
        if isinstance(error, RefusedError):
            self.refused.emit(error)
            return True
        return False
