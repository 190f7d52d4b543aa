"""The block panel: its content to edit, and as the model reads it."""

from __future__ import annotations

from PySide6.QtGui import QHideEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.blocks import TextSchema
from inspector.domain.content import Content, TextContent
from inspector.domain.counts import Count
from inspector.domain.errors import DocumentError
from inspector.domain.ref import Ref
from inspector.domain.snapshot import BlockState
from inspector.runtime.rendering import counted_characters, rendered_text
from inspector.ui.actions import Action, FrontActions
from inspector.ui.edit_session import EditSession
from inspector.ui.editors.text_page import TextPage
from inspector.ui.file_state import What
from inspector.ui.notices.block import BlockNotices
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.card import kind_of, schema_name
from inspector.ui.safe_text import ElidedLabel, PlainLabel, count_hidden
from inspector.ui.widgets.banner import Banners
from inspector.ui.widgets.controls import EmptyState, Segments, arrange, button, field
from inspector.ui.wording import number, signed, tokens, tr, tr_code, tr_count

_EDIT, _RENDERED = 0, 1
_MOST_LOOKED_THROUGH = 500_000
"""Characters up to which hidden ones are counted at every key."""
_REASON_STEPS = 50


class BlockPanel(Panel):
    """A centre tab on one block. Text is edited here; other schemas are shown as the model gets them."""

    def __init__(self, services: PanelServices, ref: Ref | None = None) -> None:
        super().__init__(services)
        self._id = ref.id if ref is not None else ""
        appearance, icons = services.appearance, services.icons
        self.page = TextPage(appearance, icons)
        self.rendered = TextPage(appearance, icons, replaces=False)
        self.rendered.editor.setReadOnly(True)
        self.rendered.editor.setAccessibleName(tr("The rendered block, without the frame the Request adds"))
        self.work = EditSession(services.workspace, self.page.editor, self._id, self)
        self._label = ElidedLabel("", strong=True)
        self._kind = ElidedLabel("", tone="muted")
        self._characters, self._tokens, self._change = (
            ElidedLabel("", tone="muted", size="small") for _ in range(3)
        )
        self.state_note = PlainLabel("", tone="warning", size="small")
        self.views = Segments(
            tr("View of the block"),
            (tr("Edit"), tr("Edit the text")),
            (
                tr("Rendered"),
                tr("The rendered text. The Request adds a frame around it"),
            ),
        )
        self.reason_field = field(tr("Reason (optional)"))
        self.discard_button = button(tr("Discard"), self.work.discard)
        self.save_button = button(_save_text(), self._save, role="primary")
        self.banners = Banners(appearance, icons)
        self._notices = BlockNotices(
            self.banners, services.workspace, self.work, self._id, self._save_unlocked, self
        )
        self._empty = EmptyState(tr("Reading the block …"))
        self._no_editor = PlainLabel("", tone="muted", size="small", wrap=True)
        self._stack = QStackedWidget()
        self._action_states: tuple[object, ...] = ()
        self._front = FrontActions(services.actions, icons, *self._actions())
        self._lay_out()
        self._connect()
        self._taken: BlockState | None = None
        self._take()

    def follow(self, what: What) -> None:
        """Take the block as it is now; nothing is read or laid out again that is the same."""
        if what & What.BLOCKS and self._state is not self._taken:
            self._take()
        elif what & (What.DRAFTS | What.FILE | What.AGENT | What.CONTENTS):
            self._tell()
        elif what & What.REQUEST:
            self._tell_tokens()

    def first_focus(self) -> QWidget:
        return self.rendered.editor if self.views.current == _RENDERED else self.page.editor

    @property
    def figures(self) -> str:
        labels = (self._characters, self._tokens, self._change)
        return " · ".join(each.original for each in labels if each.original)

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks at it; its actions are there while it is in sight."""
        super().showEvent(event)
        if not event.spontaneous():
            self._front.come()
            self.services.workspace.saw(self._id)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold_head()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self._front.go()

    def _actions(self) -> tuple[Action, ...]:
        keys = QKeySequence.StandardKey
        editor = self.page.editor

        def no_undo() -> str:
            return self._not_editable() or ("" if editor.steps.can_undo else tr("no edit to undo"))

        def no_redo() -> str:
            return self._not_editable() or ("" if editor.steps.can_redo else tr("no edit to redo"))

        return (
            Action("edit.undo", tr("Undo"), editor.undo_step, keys.Undo, "undo", no_undo),
            Action("edit.redo", tr("Redo"), editor.redo_step, keys.Redo, "redo", no_redo),
            Action("edit.save", tr("Save block"), self._save, keys.Save, "save", self._not_savable),
            Action(
                "edit.discard", tr("Discard draft"), self.work.discard, None, "delete", self._not_discardable
            ),
            Action("edit.find", tr("Find in the block"), self._find, "Ctrl+F", "search"),
            Action(
                "edit.replace", tr("Replace in the block"), self._replace, "Ctrl+H", "", self._not_editable
            ),
        )

    def _lay_out(self) -> None:
        head = QFrame()
        head.setProperty("role", "dock_title")
        head.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._names, self._figures_row, self._tools = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        arrange(self._names, self._label, self._kind, self.state_note, self.discard_button, self.save_button)
        self._names.setStretch(1, 1)
        self._figures = QWidget()
        self._figures.setLayout(self._figures_row)
        arrange(self._figures_row, self.views, self._characters, self._tokens, self._change, None)
        arrange(self._tools, self._figures, self.reason_field)
        self._tools.setStretch(1, 1)
        self._head = QVBoxLayout(head)
        arrange(self._head, self._names, self._tools, self._no_editor)
        for page in (self.page, self.rendered, self._empty):
            self._stack.addWidget(page)
        arrange(QVBoxLayout(self), head, self.banners, self._stack)
        self._measure()

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._head.setContentsMargins(space(3), space(2), space(3), space(2))
        self._head.setSpacing(space(2))
        self._names.setSpacing(space(2))
        self._figures_row.setSpacing(space(3))
        self._tools.setSpacing(space(2))
        self._fold_head()
        self._label.setMaximumWidth(space(75))

    def _fold_head(self) -> None:
        """Where there is no room beside the figures, the reason stands below them."""
        room = self.width() - self._figures.sizeHint().width()
        below = room < self.services.appearance.space(_REASON_STEPS)
        directions = QBoxLayout.Direction
        self._tools.setDirection(directions.TopToBottom if below else directions.LeftToRight)

    def _connect(self) -> None:
        self.work.changed.connect(self._tell)
        self.work.saved.connect(self.reason_field.clear)
        self.views.chosen.connect(self._show_view)
        self.reason_field.returnPressed.connect(self._save)
        self.services.appearance.changed.connect(self._measure)

    @property
    def _state(self) -> BlockState | None:
        return self.services.workspace.file.blocks.get(self._id)

    @property
    def _is_text(self) -> bool:
        state = self._state
        return state is not None and isinstance(state.block.schema, TextSchema) and _is_readable(state)

    @property
    def _content(self) -> Content | None:
        if self._is_text:
            return TextContent(self.page.editor.text)
        state = self._state
        return None if state is None else state.content

    def _not_editable(self) -> str:
        state, workspace = self._state, self.services.workspace
        if state is None or not self._is_text:
            return tr("this kind of block has no editor yet")
        if not state.block.is_active:
            return tr("the block is deleted")
        if self.work.is_waiting:
            return tr("the draft is still loading")
        return tr("the file is read-only") if workspace.file.read_only is not None else ""

    def _not_savable(self) -> str:
        return self._not_editable() or ("" if self.work.is_dirty else tr("no unsaved changes"))

    def _not_discardable(self) -> str:
        """A draft on a block that was deleted, or that cannot be shown in it, can still be given up."""
        state = self._state
        deleted = state is not None and not state.block.is_active
        is_hidden = self._is_text and (deleted or self.work.is_waiting)
        if not is_hidden or self.services.workspace.file.read_only is not None:
            return self._not_savable()
        return "" if self.work.is_dirty else tr("no unsaved changes")

    def _take(self) -> None:
        state = self._taken = self._state
        if state is not None and self._is_text:
            self.work.take(state)
        if state is not None and self.isVisible():
            self.services.workspace.saw(self._id)
        self._tell()

    def _tell(self, *_: object) -> None:
        """Say and show everything as it is now."""
        state = self._state
        if state is None:
            self.set_heading(self._id)
            self._stack.setCurrentWidget(self._empty)
            return
        dirty = self._is_text and self.work.is_dirty
        owner, label = self._other_owner(state), state.block.label
        self.set_heading(tr("{label} of {owner}", label=label, owner=owner) if owner else label, marked=dirty)
        self._label.setText(state.block.label)
        self._kind.setText(self._kind_of(state))
        why_not = self._not_editable()
        self.page.editor.setReadOnly(bool(why_not))
        self._tell_buttons(dirty, why_not)
        self._tell_editors(state)
        self._notices.tell(state, drafted=dirty)
        self._tell_characters()
        self._tell_tokens()
        self._show_view()
        self._tell_actions()

    def _kind_of(self, state: BlockState) -> str:
        owner = self._other_owner(state)
        words = kind_of(state.block, self.services.workspace.file.shared(self._id))
        return " · ".join((tr("of {owner}", owner=owner), *words) if owner else words)

    def _other_owner(self, state: BlockState) -> str:
        """The name of the agent that it belongs to, where the one that is shown has nothing to do with it."""
        workspace, owner = self.services.workspace, state.block.owner
        shown = workspace.file.agent
        if shown is None or owner == shown.id or workspace.file.shared(self._id) is not None:
            return ""
        return next((each.name for each in workspace.file.agents if each.id == owner), "")

    def _tell_buttons(self, dirty: bool, why_not: str) -> None:
        state = self._state
        writable = self._is_text and state is not None and state.block.is_active
        self.save_button.setVisible(writable)
        self.save_button.setEnabled(dirty and not why_not and not self.work.is_saving)
        self.discard_button.setVisible(writable or dirty)
        self.discard_button.setEnabled(not self._not_discardable() and not self.work.is_saving)
        self.reason_field.setVisible(writable)
        self.reason_field.setEnabled(not why_not)
        note = tr("saving …") if self.work.is_saving else tr("not saved") if dirty else ""
        self.state_note.setText(note)
        self.state_note.setVisible(bool(note))

    def _tell_actions(self) -> None:
        """Actions look again at what can be done, when that is another thing now."""
        states = (self._not_savable(), self.page.editor.steps.can_undo, self.page.editor.steps.can_redo)
        if states != self._action_states and self.isVisible():
            self._action_states = states
            self.services.actions.refresh()

    def _tell_editors(self, state: BlockState) -> None:
        self.views.buttons[_EDIT].setVisible(self._is_text)
        other = not self._is_text and _is_readable(state)
        text = tr("This {kind} block can't be edited here yet.", kind=schema_name(state.block.schema))
        self._no_editor.setText(text)
        self._no_editor.setVisible(other)

    def _tell_tokens(self, *_: object) -> None:
        now, saved = self._tokens_of(saved=False), self._tokens_of(saved=True)
        drafted = self._id in self.services.workspace.file.drafts
        readable = self._state is not None and self._content is not None
        text = tr("not in the Request") if now is None else tokens(now)
        is_known = readable and self.services.workspace.file.request is not None
        self._tokens.setText(text if is_known else "")
        change = 0 if now is None or saved is None or not drafted else now.tokens - saved.tokens
        self._change.setText(signed(change))
        self._change.set_tone("warning" if change > 0 else "ok")

    def _tell_characters(self) -> None:
        state, content = self._state, self._content
        if state is None or content is None:
            self._characters.setText("")
            return
        count, limit = counted_characters(state, content), state.block.char_limit
        text = tr("{count} of {limit} characters", count=number(count), limit=number(limit))
        if not limit:
            text = tr_count("{count} character", "{count} characters", count)
        if isinstance(content, TextContent) and len(content.text) <= _MOST_LOOKED_THROUGH:
            hidden = count_hidden(content.text)
            if hidden:
                text = tr("{told}, {count} of them hidden", told=text, count=number(hidden))
        self._characters.setText(text)
        full = bool(limit) and count > limit
        near = bool(limit) and count >= self.services.marks.warning * limit
        self._characters.set_tone("error" if full else "warning" if near else "muted")

    def _tokens_of(self, *, saved: bool) -> Count | None:
        workspace = self.services.workspace
        request = workspace.file.saved_request if saved else workspace.file.request
        wanted = f"block:{self._id}"
        for section in request.sections if request else ():
            for piece in section.pieces:
                if piece.id == wanted:
                    return Count(piece.tokens, piece.method)
        return None

    def _show_view(self, *_: object) -> None:
        state = self._state
        if state is None or not _is_readable(state):
            self._show_unreadable(state)
            return
        if not self._is_text and self.views.current == _EDIT:
            self.views.choose(_RENDERED)
            return
        if self.views.current == _RENDERED:
            self._render(state)
            self._stack.setCurrentWidget(self.rendered)
        else:
            self._stack.setCurrentWidget(self.page)

    def _render(self, state: BlockState) -> None:
        try:
            self.rendered.editor.load(rendered_text(state, self._content))
        except DocumentError as error:
            self._empty.tell(tr_code(error.code, error.parameters))
            self._stack.setCurrentWidget(self._empty)

    def _show_unreadable(self, state: BlockState | None) -> None:
        self._stack.setCurrentWidget(self._empty)
        if state is not None and state.problem is not None:
            meaning = tr("It is kept unchanged. All other blocks work.")
            self._empty.tell(tr_code(state.problem.code, state.problem.parameters), meaning)
        elif state is not None:
            self._empty.tell(tr("Can't read this block."), tr("It is kept unchanged. All other blocks work."))

    def _save(self) -> None:
        if not self._not_savable():
            self._notices.begin_saving()
            self.work.save(self.reason_field.text().strip())

    def _save_unlocked(self) -> None:
        self._notices.begin_saving()
        self.work.save(self.reason_field.text().strip(), unlock=True)

    @property
    def _page_in_front(self) -> TextPage:
        return self.rendered if self._stack.currentWidget() is self.rendered else self.page

    def _find(self) -> None:
        self._page_in_front.ask()

    def _replace(self) -> None:
        self.views.choose(_EDIT)
        self.page.ask(replacing=True)


def _is_readable(state: BlockState) -> bool:
    return state.content is not None and state.problem is None


def _save_text() -> str:
    keys = QKeySequence(QKeySequence.StandardKey.Save).toString(QKeySequence.SequenceFormat.NativeText)
    return tr("Save  {keys}", keys=keys)
