"""The edit session of one text block: its draft, its saving, and what others write meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto

from PySide6.QtCore import QObject, Signal

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Receipt, Version
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.domain.splices import changed_stretch, rebased, spliced
from inspector.ui.editors.text import TextEditor
from inspector.ui.file_state import UnsavedEdit
from inspector.ui.workspace import Preview, Workspace


class Stage(Enum):
    """How far an editor and the stored text are apart.

    `EMPTY`: nothing of the block has been read. `FITTING`: an earlier draft is being fitted to the present text; what
    is typed meanwhile comes into it. `EDITING`: the editor's text is the stored text with the draft in it. `SAVING`:
    a save is on its way. `SAVED`: it went through, and the stored text is waited for. `TAKING_BACK`: the draft is
    being taken out of the text.
    """

    EMPTY = auto()
    FITTING = auto()
    EDITING = auto()
    SAVING = auto()
    SAVED = auto()
    TAKING_BACK = auto()


class EditSession(QObject):
    """Keeps an editor, a block's draft and the stored text together.

    Every change in the editor is a draft at once, counted in its base version. `changed` tells that there is
    another text or another stage. `met` carries the stored block when somebody else wrote under a draft.
    `refused` carries the refusal of a save. `saved` tells that a save went through. `discarded` carries the
    `UnsavedEdit` that was given up.
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
        self._stage = Stage.EMPTY
        self._base: Version | None = None
        """The version of the stored text that the editor's splices are counted in."""
        self._earlier: Edit | None = None
        """The draft as it was kept, while it is not typed in: its base is not the stored version."""
        self._marked = ""
        """The editor's text when the fitting or the save began; what is typed since is counted in it."""
        self._receipt: Receipt | None = None
        self._passed_over = False
        """Whether a text was passed over after the save, as it was read before."""
        self._late: BlockState | None = None
        """What was read while a save was on its way."""
        self._again: tuple[str, bool] | None = None
        """A save that was asked for while it could not begin: its reason, and whether it unlocks."""
        editor.edited.connect(self._edited)

    @property
    def is_dirty(self) -> bool:
        return self._earlier is not None or self._editor.operation() is not None

    @property
    def is_saving(self) -> bool:
        return self._stage is Stage.SAVING

    @property
    def is_waiting(self) -> bool:
        """Whether the text is not there yet, as an earlier draft is being fitted to it."""
        return self._base is None

    def take(self, state: BlockState) -> None:
        """Take the stored text in, as far as unsaved work allows."""
        if not isinstance(state.content, TextContent):
            return
        if self._stage is Stage.SAVING:
            self._late = state
        elif self._stage is Stage.EMPTY or self._earlier is not None:
            self._begin(state, state.content.text)
        elif self._stage is Stage.SAVED:
            self._take_saved(state, state.content.text)
        elif self._editor.operation() is None:
            self._load(state, state.content.text)
        elif state.version != self._base:
            self.met.emit(state)
        self.changed.emit()

    def save(self, reason: str, *, unlock: bool = False) -> None:
        """Save the draft. Nothing of it is lost when that is refused."""
        if self._stage in (Stage.FITTING, Stage.SAVING, Stage.SAVED):
            self._again = (reason, unlock)
            return
        edit = self._edit()
        if edit is None:
            return
        self._stage = Stage.SAVING
        self._mark()
        self._workspace.save(edit, self._done, self._failed, reason=reason, unlock=unlock)
        self.changed.emit()

    def discard(self) -> None:
        """Go back to the stored text. Where the draft is on that text, this is a step that can be undone."""
        state, edit = self._workspace.file.blocks.get(self._ref.id), self._edit()
        if self._stage in (Stage.SAVING, Stage.SAVED) or edit is None:
            return
        if state is None or not isinstance(state.content, TextContent):
            return
        stored, text = state.content.text, self._editor.text
        if self._earlier is None and state.version == self._base:
            self._take_back(text, stored)
        kept = self._workspace.file.drafts.get(self._ref.id)
        given_up = UnsavedEdit(edit, TextContent(text))
        if self._earlier is not None and kept is not None:
            given_up = replace(kept, restored=False)
        self._earlier = self._again = None
        self._load(state, stored)
        self._workspace.drop_draft(self._ref.id)
        self.discarded.emit(given_up)
        self.changed.emit()

    def bring_back(self, draft: UnsavedEdit) -> None:
        """Take up again what was discarded, unless there is other work by now."""
        state = self._workspace.file.blocks.get(self._ref.id)
        if self.is_dirty or self._stage in (Stage.SAVING, Stage.SAVED) or state is None:
            return
        if isinstance(state.content, TextContent):
            self._workspace.set_draft(draft.edit, draft.content)
            self._begin(state, state.content.text)
            self.changed.emit()

    def _take_back(self, text: str, stored: str) -> None:
        self._stage = Stage.TAKING_BACK
        for splice in changed_stretch(text, stored):
            self._editor.replace_range(splice.start, splice.delete, splice.insert)

    def _mark(self) -> None:
        self._marked = self._editor.text
        self._editor.set_mark()

    def _edit(self) -> Edit | None:
        if self._earlier is not None:
            return self._earlier
        operation = self._editor.operation()
        if operation is None or self._stage is Stage.SAVED:
            return None
        return Edit(self._ref, operation, self._base)

    def _edited(self) -> None:
        if self._stage is Stage.TAKING_BACK:
            return
        # What is typed before an earlier draft is there comes into it then.
        if self._stage is not Stage.FITTING:
            self._earlier = None
            if self._stage is not Stage.SAVED:
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
        draft = self._workspace.file.drafts.get(self._ref.id)
        self._earlier = None
        if draft is None:
            self._load(state, text)
            return
        operation = draft.edit.operation
        if isinstance(operation, SpliceText) and draft.edit.base == state.version:
            self._load(state, text, operation.splices)
            return
        # Its base is gone: only the engine can say what it gives now. Until it is typed in, the draft stays as it is.
        self._earlier = draft.edit
        if self._base is None:
            self._editor.load(text)
        if self._stage is not Stage.FITTING or self._base is None:
            self._stage = Stage.FITTING
            self._mark()
        self._workspace.preview(draft.edit, self._fit, self._leave_unfit)

    def _fit(self, preview: Preview) -> None:
        """Show what the earlier draft gives now, with what was typed while that was worked out."""
        if self._stage is not Stage.FITTING:
            return
        self._stop_waiting()
        (state, content), typed = preview, self._editor.splices_since_mark()
        if not isinstance(state.content, TextContent) or not isinstance(content, TextContent):
            return
        stored, fitted = state.content.text, content.text
        text = spliced(fitted, rebased(typed, changed_stretch(self._marked, fitted)))
        self._load(state, stored, changed_stretch(stored, text))
        self._go_on(typed)

    def _leave_unfit(self) -> None:
        """What an earlier draft gives now cannot be said: it stays as it is, unless something was typed."""
        if self._stage is not Stage.FITTING:
            return
        self._stop_waiting()
        self._go_on(self._editor.splices_since_mark())

    def _go_on(self, typed: Sequence[Splice]) -> None:
        if typed:
            self._earlier = None
            self._keep()
        self.changed.emit()
        self._save_again()

    def _save_again(self) -> None:
        again, self._again = self._again, None
        if again is not None:
            self.save(again[0], unlock=again[1])

    def _load(self, state: BlockState, text: str, splices: tuple[Splice, ...] = ()) -> None:
        self._stage, self._base = Stage.EDITING, state.version
        self._editor.load(text, splices)

    def _stop_waiting(self) -> None:
        self._stage = Stage.EMPTY if self._base is None else Stage.EDITING

    def _done(self, receipt: Receipt) -> None:
        if self._stage is not Stage.SAVING:
            return
        late, self._late, self._earlier = self._late, None, None
        self._stage, self._receipt, self._passed_over = Stage.SAVED, receipt, False
        self._editor.load(self._marked, self._editor.splices_since_mark())
        self._workspace.drop_draft(self._ref.id)
        state = late or self._workspace.file.blocks.get(self._ref.id)
        if state is not None and isinstance(state.content, TextContent):
            self._take_saved(state, state.content.text)
        self.saved.emit()
        self.changed.emit()

    def _take_saved(self, state: BlockState, text: str) -> None:
        """Take the stored text after a save. One that was read before the save is passed over, once."""
        receipt = self._receipt
        if receipt is None:
            return
        if receipt.changed and state.version != receipt.version:
            if state.version == self._base:
                return
            if not self._passed_over and state.written is not None and state.written.at < receipt.at:
                self._passed_over = True
                return
        operation = self._editor.operation()
        since = () if operation is None else operation.splices
        self._load(state, text, rebased(since, changed_stretch(self._marked, text)))
        if since:
            self._keep()
        self._save_again()

    def _failed(self, error: BaseException) -> bool:
        late, self._late, self._again = self._late, None, None
        self._stop_waiting()
        self.changed.emit()
        if late is not None:
            self.take(late)
        if isinstance(error, RefusedError):
            self.refused.emit(error)
            return True
        return False
