"""The edit session of one block: its draft, its saving, and what others write meanwhile."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from inspector.domain.blocks import Schema, UnreadableSchema
from inspector.domain.content import Content
from inspector.domain.edits.base import Edit, Operation, Receipt, Version
from inspector.domain.edits.block_rows import SetCharLimit
from inspector.domain.errors import RefusedError
from inspector.domain.history import ThreeWay
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.ui.draft_comparison import Comparison, DraftConflictError, Preview
from inspector.ui.editors.draft_editor import DraftEditor
from inspector.ui.file_state import UnsavedEdit
from inspector.ui.workspace import Workspace


class Stage(Enum):
    """How far an editor and the stored content are apart.

    `EMPTY`: nothing of the block has been read. `FITTING`: an earlier draft is being fitted to the present content;
    what is typed meanwhile comes into it. `EDITING`: the editor has the stored content with the draft in it.
    `SAVING`: a save is on its way. `SAVED`: it went through, and the stored content is waited for. `TAKING_BACK`: the
    draft is being taken out of the content.
    """

    EMPTY = auto()
    FITTING = auto()
    EDITING = auto()
    SAVING = auto()
    SAVED = auto()
    TAKING_BACK = auto()


class EditSession(QObject):
    """Keeps an editor, a block's draft and the stored content together.

    Every change in the editor is a draft at once, counted in its base version. `changed` tells that there is
    another content or another stage. `met` carries the stored block when somebody else wrote under a draft.
    `compared` carries the `Comparison` to review: it was asked for, or both sides wrote at the same place and a save
    waits for a decision.
    `refused` carries the refusal of a save. `saved` tells that a save went through. `discarded` carries the
    `UnsavedEdit` that was given up.
    """

    changed = Signal()
    met = Signal(object)
    refused = Signal(object)
    compared = Signal(object)
    saved = Signal()
    discarded = Signal(object)

    def __init__(self, workspace: Workspace, editor: DraftEditor, block_id: str, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._editor = editor
        self.ref = Ref(RefKind.BLOCK, block_id)
        self._stage = Stage.EMPTY
        self._base: Version | None = None
        """The version of the stored content that the editor's operation is counted in."""
        self._schema: Schema | UnreadableSchema | None = None
        """What the editor took the content for when it was loaded."""
        self._earlier: Edit | None = None
        """The draft as it was kept, while it is not typed in: its base is not the stored version."""
        self._receipt: Receipt | None = None
        self._passed_over = False
        """Whether a content was passed over after the save, as it was read before."""
        self._late: BlockState | None = None
        """What was read while a save was on its way."""
        self._again: tuple[str, bool] | None = None
        """A save that was asked for while it could not begin: its reason, and whether it unlocks."""
        self._tried = ("", False)
        """The reason of the last save, and whether it unlocked."""
        self.is_in_conflict = False
        """Whether it is known that somebody else wrote where the draft does."""
        self.misfit: RefusedError | None = None
        """Why the schema that the block has by now refuses the draft, None where it doesn't."""
        editor.edited.connect(self._edited)
        workspace.open_edits.add(block_id, self)

    def use(self, editor: DraftEditor) -> None:
        """Go on with an editor of another kind of content; what was in the last one stays a draft."""
        self._editor.edited.disconnect(self._edited)
        self._editor = editor
        self._stage, self._base, self._earlier = Stage.EMPTY, None, None
        editor.edited.connect(self._edited)

    @property
    def is_dirty(self) -> bool:
        return self._earlier is not None or self._editor.operation() is not None

    @property
    def is_saving(self) -> bool:
        return self._stage is Stage.SAVING

    @property
    def is_waiting(self) -> bool:
        """Whether the content is not there yet, as an earlier draft is being fitted to it."""
        return self._base is None

    def take(self, state: BlockState) -> None:
        """Take the stored content in, as far as unsaved work allows."""
        if not self._editor.takes(state.content):
            return
        if self._stage is Stage.SAVING:
            self._late = state
        elif self._stage is Stage.EMPTY or self._earlier is not None:
            self._begin(state)
        elif self._stage is Stage.SAVED:
            self._take_saved(state)
        elif self._editor.operation() is None:
            self._load(state)
        elif state.version != self._base:
            self._meet(state)
            self._meet_schema(state)
        elif state.block.schema != self._schema:
            if self._editor.join(state):
                self._keep()
            self._meet_schema(state)
        self.changed.emit()

    def raise_limit(self, char_limit: int) -> None:
        """Save as was tried last, with a higher limit of characters: both are one changeset."""
        reason, unlock = self._tried
        self.save(reason, unlock=unlock, before=SetCharLimit(char_limit))

    def save(self, reason: str, *, unlock: bool = False, before: Operation | None = None) -> None:
        """Save the draft, with `before` done to the block first. Nothing of it is lost when that is refused."""
        if self._stage in (Stage.FITTING, Stage.SAVING, Stage.SAVED):
            self._again = (reason, unlock)
            return
        edit = self._edit()
        if edit is not None:
            self._store(edit, reason, unlock=unlock, before=before)

    @property
    def is_stale(self) -> bool:
        """Whether somebody else has written since the version that the draft is made for."""
        state, edit = self._workspace.file.blocks.get(self.ref.id), self._edit()
        return state is not None and edit is not None and edit.base not in (None, state.version)

    def review(self) -> None:
        """Compare the draft with what others wrote since it was begun."""
        edit = self._edit()
        if edit is not None and self._stage is Stage.EDITING:
            self._workspace.compare(edit, self.compared.emit, purpose="review")

    def take_resolved(self, sides: ThreeWay, content: Content) -> None:
        """Make what was decided the draft, on the stored version that was decided about."""
        state = self._workspace.file.blocks.get(self.ref.id)
        if self._stage is not Stage.EDITING or state is None or not self._editor.takes(content):
            return
        self._earlier = None
        self._load(replace(state, content=sides.theirs, version=sides.theirs_version), content)
        self._keep()
        self.changed.emit()

    def hand_over(self) -> Edit | None:
        """The edit for somebody who saves several at once; until that has ended, nothing else saves it."""
        edit = self._edit()
        if self._stage is not Stage.EDITING or edit is None:
            return None
        self._stage = Stage.SAVING
        self._editor.set_mark()
        self.changed.emit()
        return edit

    def take_receipt(self, receipt: Receipt) -> None:
        """Take in that what was handed over is saved."""
        self._done(receipt)

    def take_error(self, error: BaseException) -> bool:
        """What was handed over is not saved, and nothing of it is lost."""
        late, self._late, self._again = self._late, None, None
        self._stop_waiting()
        self.changed.emit()
        if late is not None:
            self.take(late)
        return isinstance(error, RefusedError)

    def discard(self, *, quiet: bool = False) -> None:
        """Go back to the stored content. Where the draft is on that content, this is a step that can be undone.

        `quiet` leaves it to somebody else to say so.
        """
        state, edit = self._workspace.file.blocks.get(self.ref.id), self._edit()
        if self._stage in (Stage.SAVING, Stage.SAVED) or edit is None:
            return
        if state is None or not self._editor.takes(state.content):
            return
        given_up = UnsavedEdit(edit, self._editor.content)
        if self._earlier is None and state.version == self._base:
            self._stage = Stage.TAKING_BACK
            self._editor.go_back(state)
        kept = self._workspace.file.drafts.get(self.ref.id)
        if self._earlier is not None and kept is not None:
            given_up = replace(kept, restored=False)
        self._earlier = self._again = None
        self._load(state)
        self._workspace.drop_draft(self.ref.id)
        if not quiet:
            self.discarded.emit(given_up)
        self.changed.emit()

    def bring_back(self, draft: UnsavedEdit) -> None:
        """Take up again what was discarded, unless there is other work by now."""
        state = self._workspace.file.blocks.get(self.ref.id)
        if self.is_dirty or self._stage in (Stage.SAVING, Stage.SAVED) or state is None:
            return
        if self._editor.takes(state.content):
            self._workspace.set_draft(draft.edit, draft.content)
            self._workspace.answers.take_up(self.ref.id)
            # Going back was a step, and what others wrote since may stand at its place.
            self._editor.forget_steps()
            self._begin(state)
            self.changed.emit()

    def _meet(self, state: BlockState) -> None:
        """Somebody else wrote under the draft."""
        if self._earlier is None and self._editor.join(state):
            self._base = state.version
            self._keep()
        self.is_in_conflict = False
        edit = self._edit()
        if edit is not None and self.is_stale:
            self._workspace.compare(edit, self._note_conflict, purpose="notice")
        self.met.emit(state)

    def _meet_schema(self, state: BlockState) -> None:
        if state.block.schema != self._schema:
            self._schema = state.block.schema
            self._check_fit()

    def _check_fit(self) -> None:
        """Find out before a save is asked for whether the schema refuses the draft."""

        def note(misfit: RefusedError | None) -> None:
            if isValid(self) and misfit != self.misfit and self._stage is Stage.EDITING:
                self.misfit = misfit
                self.changed.emit()

        def failed(error: BaseException) -> bool:
            note(error if isinstance(error, RefusedError) else None)
            return True

        edit = self._edit()
        if edit is not None:
            self._workspace.preview(edit, lambda _: note(None), failed)

    def _edit(self) -> Edit | None:
        if self._earlier is not None:
            return self._earlier
        operation = self._editor.operation()
        if operation is None or self._stage is Stage.SAVED:
            return None
        return Edit(self.ref, operation, self._base)

    def _edited(self) -> None:
        if self._stage is Stage.TAKING_BACK:
            return
        # What is typed before an earlier draft is there comes into it then.
        if self._stage is not Stage.FITTING:
            self._earlier = None
            if self._stage is not Stage.SAVED:
                self._keep()
            if self.misfit is not None:
                self._check_fit()
        if self._stage is Stage.EDITING and self._editor.operation() is None:
            # In a later turn: the editor is still at the step that led here.
            QTimer.singleShot(0, self, self._catch_up)
        self.changed.emit()

    def _catch_up(self) -> None:
        """Show what others stored while there was a draft, as there is none any more."""
        state = self._workspace.file.blocks.get(self.ref.id)
        is_clean = self._stage is Stage.EDITING and self._editor.operation() is None
        if is_clean and state is not None and state.version != self._base:
            self.take(state)

    def _keep(self) -> None:
        edit = self._edit()
        if edit is None:
            self._workspace.drop_draft(self.ref.id)
        else:
            self._workspace.set_draft(edit, self._editor.content)

    def _begin(self, state: BlockState) -> None:
        """Show the stored content, with an earlier draft on it if there is one."""
        draft = self._workspace.file.drafts.get(self.ref.id)
        self._earlier = None
        if draft is None:
            self._load(state)
            return
        if draft.edit.base == state.version and self._editor.takes(draft.content):
            self._stage, self._base, self._schema = Stage.EDITING, state.version, state.block.schema
            self._editor.resume(state, draft.edit.operation, draft.content)
            return
        # Its base is gone: only the engine can say what it gives now. Until it is typed in, the draft stays as it is.
        self._earlier = draft.edit
        if self._base is None:
            self._editor.load(state)
        if self._stage is not Stage.FITTING or self._base is None:
            self._stage = Stage.FITTING
            self._editor.set_mark()
        self._workspace.compare(draft.edit, self._fit_compared, self._fit_merged)

    def _fit(self, preview: Preview) -> None:
        """Show what the earlier draft gives now, with what was typed while that was worked out."""
        if self._stage is not Stage.FITTING:
            return
        self._stop_waiting()
        (state, content), typed = preview, self._editor.typed_since_mark
        if not self._editor.takes(state.content) or not self._editor.takes(content):
            return
        self._load(state, self._editor.since_mark_on(content))
        self._go_on(typed)

    def _fit_compared(self, found: Comparison) -> None:
        """Show an earlier draft on the version that it was made for, where saving it asks for a decision."""
        if self._stage is not Stage.FITTING:
            return
        base, mine = found.sides.base, found.sides.mine
        if not found.is_conflict or not (self._editor.takes(base) and self._editor.takes(mine)):
            self._fit_merged()
            return
        self._stop_waiting()
        typed = self._editor.typed_since_mark
        stored = replace(found.state, content=base, version=found.edit.base or found.state.version)
        self._load(stored, self._editor.since_mark_on(mine))
        self._earlier = None
        self.is_in_conflict = True
        self.met.emit(found.state)
        self._go_on(typed)

    def _fit_merged(self) -> None:
        if self._stage is Stage.FITTING and self._earlier is not None:
            self._workspace.preview(self._earlier, self._fit, self._leave_unfit)

    def _note_conflict(self, found: Comparison) -> None:
        """Say so before a save is asked for."""
        if found.is_conflict and self.is_stale:
            self.is_in_conflict = True
            self.met.emit(found.state)

    def _store(self, edit: Edit, reason: str, *, unlock: bool, before: Operation | None) -> None:
        self._stage, self._tried = Stage.SAVING, (reason, unlock)
        self._editor.set_mark()
        self._workspace.save(edit, self._done, self._failed, reason=reason, unlock=unlock, before=before)
        self.changed.emit()

    def _leave_unfit(self, _: BaseException) -> bool:
        """What an earlier draft gives now cannot be said: it stays as it is, unless something was typed."""
        if self._stage is Stage.FITTING:
            self._stop_waiting()
            self._go_on(self._editor.typed_since_mark)
        return False

    def _go_on(self, typed: bool) -> None:
        if typed:
            self._earlier = None
            self._keep()
        self.changed.emit()
        self._save_again()

    def _save_again(self) -> None:
        again, self._again = self._again, None
        if again is not None:
            self.save(again[0], unlock=again[1])

    def _load(self, state: BlockState, mine: Content | None = None) -> None:
        self._stage, self._base, self._schema = Stage.EDITING, state.version, state.block.schema
        self.misfit = None
        self._editor.load(state, mine)

    def _stop_waiting(self) -> None:
        self._stage = Stage.EMPTY if self._base is None else Stage.EDITING

    def _done(self, receipt: Receipt) -> None:
        if self._stage is not Stage.SAVING:
            return
        late, self._late, self._earlier = self._late, None, None
        self._stage, self._receipt, self._passed_over = Stage.SAVED, receipt, False
        self._editor.count_from_mark()
        self._workspace.drop_draft(self.ref.id)
        state = late or self._workspace.file.blocks.get(self.ref.id)
        if state is not None and self._editor.takes(state.content):
            self._take_saved(state)
        self.saved.emit()
        self.changed.emit()

    def _take_saved(self, state: BlockState) -> None:
        """Take the stored content after a save. One that was read before the save is passed over, once."""
        receipt = self._receipt
        if receipt is None:
            return
        if receipt.changed and state.version != receipt.version:
            if state.version == self._base:
                return
            if not self._passed_over and state.written is not None and state.written.at < receipt.at:
                self._passed_over = True
                return
        since = self._editor.operation() is not None
        self._load(state, self._editor.since_mark_on(state.content) if state.content is not None else None)
        if since:
            self._keep()
        self._save_again()

    def _failed(self, error: BaseException) -> bool:
        is_refused = self.take_error(error)
        if isinstance(error, DraftConflictError):
            self.compared.emit(error.comparison)
            return True
        if is_refused:
            self.refused.emit(error)
        return is_refused
