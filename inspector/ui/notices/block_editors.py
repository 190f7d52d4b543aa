"""The editors of one block's tab: which one its schema asks for, and what is shown of it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from inspector.domain.blocks import Schema, TextSchema, UnreadableSchema
from inspector.domain.codec import write_time
from inspector.domain.content import Content
from inspector.domain.edits.base import UnreadJson
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.ui.edit_session import EditSession
from inspector.ui.editors.cells import CellDelegate
from inspector.ui.editors.content_draft import ContentDraft
from inspector.ui.editors.draft_editor import DraftEditor
from inspector.ui.editors.part import EditorTools, Form, KeptJson
from inspector.ui.editors.raw import RawPage
from inspector.ui.editors.raw_json import raw_text
from inspector.ui.editors.structured import StructuredEditor
from inspector.ui.editors.text import TextEditor
from inspector.ui.editors.text_draft import BlockTextPart, TextDraft
from inspector.ui.editors.text_page import TextPage
from inspector.ui.editors.token_figures import TokenFigures
from inspector.ui.panel import PanelServices
from inspector.ui.wording import tr, tr_count


class BlockEditors(QObject):
    """The editor of a block's content: the text page or the view of a structured content, and either as JSON.

    `faulted` tells that what is typed and cannot be taken is something else now. `discarded` carries the `UnsavedEdit`
    and the `UnreadJson` that were given up, None for none.
    """

    faulted = Signal()
    discarded = Signal(object, object)

    def __init__(self, services: PanelServices, page: TextPage, stack: QStackedWidget, block_id: str) -> None:
        super().__init__(stack)
        self._services = services
        self._page = page
        self._stack = stack
        self._id = block_id
        self.draft: DraftEditor = TextDraft(page.editor)
        self.structured: StructuredEditor | None = None
        self._text = BlockTextPart(page.editor, self)
        self._text.faulted.connect(self.faulted)
        self.made_raw: RawPage | None = None
        """The view as JSON, None before it was asked for."""
        self.work = EditSession(services.workspace, self.draft, block_id, self)
        self._figures = TokenFigures(services.workspace.count, self)
        self._model = ""
        self._was_saving = False
        self.work.changed.connect(self._text.shown)
        self.work.changed.connect(self._follow_save)
        services.workspace.live.leaving.connect(self.settle)

    @property
    def raw(self) -> RawPage:
        """The view as JSON, made at its first use: few blocks are looked at so."""
        if self.made_raw is None:
            self.made_raw = RawPage(self._part, self.tools())
            self._stack.addWidget(self.made_raw)
            self.made_raw.take_up()
        return self.made_raw

    @property
    def _part(self) -> BlockTextPart | ContentDraft:
        return self._text if self.structured is None else self.structured.draft

    @property
    def faults(self) -> str:
        """How much of what is typed cannot be taken, nothing where all of it can."""
        faults = len(self._part.faults)
        if self.made_raw is not None and self.made_raw.fault.text():
            faults -= 1
            if not faults:
                return tr("the JSON has an error")
        return tr_count("{count} field has an error", "{count} fields have errors", faults) if faults else ""

    def typed_in(self, *, raw: bool) -> DraftEditor | TextEditor:
        """What undo and redo are of."""
        return self.raw.page.editor if raw else self.draft

    def view(self, *, raw: bool) -> QWidget:
        """What stands for the content in the tab."""
        if raw:
            return self.raw
        return self._page if self.structured is None else self.structured.page

    def settle(self) -> None:
        """Take what was typed last, where it waits to be read, and keep what can't be taken: the file or tab closes.

        Fields and entries that can't be taken yet are kept as JSON that can't be read.
        """
        if self.made_raw is not None:
            self.made_raw.settle()
        structured, unread = self.structured, self._services.workspace.unread
        if structured is None or not structured.draft.faults or unread.get(self._id) is not None:
            return
        if isinstance(structured.page, Form):
            typed = structured.page.typed
            structured.draft.give_up()
            base = structured.draft.content
            if typed != base:
                unread.put(UnreadJson(Ref(RefKind.BLOCK, self._id), base, raw_text(typed)))

    def discard(self) -> None:
        """Discard the draft, and what is typed that cannot be taken or read."""
        self._part.give_up()
        unread = self._services.workspace.unread.get(self._id)
        if unread is None:
            self.work.discard()
            return
        draft = self._services.workspace.file.drafts.get(self._id)
        self.work.discard(quiet=True)
        self._services.workspace.unread.drop(self._id)
        if self.made_raw is not None:
            self.made_raw.give_up()
        self.discarded.emit(None if self.work.is_dirty else draft, unread)

    def follow_unread(self) -> bool:
        """Show JSON that was brought back or discarded elsewhere; says whether some is kept that isn't shown."""
        if self.made_raw is not None:
            self.made_raw.follow_kept()
            return False
        return self._services.workspace.unread.get(self._id) is not None

    def set_read_only(self, read_only: bool) -> None:
        self._page.editor.setReadOnly(read_only)
        self._part.set_read_only(read_only)

    def take(self, state: BlockState) -> None:
        """Take the stored content into the editor of its schema."""
        schema, content = state.block.schema, state.content
        if isinstance(schema, TextSchema):
            self._leave_structured()
        elif not isinstance(schema, UnreadableSchema) and content is not None and self._is_of_another(schema):
            self._leave_structured()
            self._take_up(StructuredEditor(schema, content, self.tools(), self))
        self.work.take(state)

    def follow_model(self) -> None:
        """Count parts again where they are counted for another model."""
        request = self._services.workspace.file.request
        if request is not None and request.model != self._model:
            self._model = request.model
            self._figures.forget()

    def _follow_save(self) -> None:
        """Let cells that are being edited know that what they hold is being saved."""
        begins, self._was_saving = self.work.is_saving and not self._was_saving, self.work.is_saving
        if begins and self.structured is not None:
            for each in self.structured.page.findChildren(CellDelegate):
                each.enter()

    def _is_of_another(self, schema: Schema) -> bool:
        return self.structured is None or self.structured.kind is not type(schema)

    def _take_up(self, made: StructuredEditor) -> None:
        self._leave_raw()
        self.structured, self.draft = made, made.draft
        made.draft.faulted.connect(self.faulted)
        self._stack.addWidget(made.page)
        self.work.use(self.draft)

    def _leave_structured(self) -> None:
        left, self.structured = self.structured, None
        if left is not None:
            self._leave_raw()
            self._stack.removeWidget(left.page)
            left.page.deleteLater()
            left.deleteLater()
            self.draft = TextDraft(self._page.editor)
            self.work.use(self.draft)

    def _leave_raw(self) -> None:
        """Let the JSON go: it is of a content of another kind."""
        left, self.made_raw = self.made_raw, None
        if left is not None:
            left.let_go()
            self._stack.removeWidget(left)
            left.deleteLater()

    def tools(self) -> EditorTools:
        """What views of this block edit with."""
        services = self._services
        return EditorTools(
            services.appearance,
            services.icons,
            self._figures,
            services.workspace.new_id,
            self._stamp,
            services.bridge,
            KeptJson(services.workspace.unread, self._id),
        )

    def _stamp(self) -> tuple[str, str]:
        actor = self._services.workspace.file.actor
        return write_time(self._services.workspace.now()), actor.name if actor else ""


def content_in(editors: BlockEditors, state: BlockState | None) -> Content | None:
    """A block's content as it is edited, else as it is stored."""
    if state is None or not editors.draft.takes(state.content):
        return None if state is None else state.content
    return editors.draft.content
