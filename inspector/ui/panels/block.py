"""The block panel: its content to edit, as JSON, as the model reads it, and its versions."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.content import Content
from inspector.domain.errors import Severity
from inspector.domain.ref import Ref
from inspector.domain.snapshot import BlockState
from inspector.ui.actions import Action
from inspector.ui.block_pages import BlockPages
from inspector.ui.block_settings.page import BlockSettingsPage
from inspector.ui.editors.composite import CompositeEditor
from inspector.ui.editors.draft_editor import DraftEditor
from inspector.ui.editors.raw import RawPage
from inspector.ui.editors.showing import show_character, show_part
from inspector.ui.editors.text import TextEditor
from inspector.ui.editors.text_page import TextPage
from inspector.ui.file_state import What
from inspector.ui.history.page import HistoryPage
from inspector.ui.notices.block import BlockNotices
from inspector.ui.notices.block_actions import TextActions, view_actions
from inspector.ui.notices.block_editors import BlockEditors, content_in
from inspector.ui.notices.block_head import BlockHead, BlockTabView, kind_text, other_owner
from inspector.ui.notices.rendered_block import RenderedPage
from inspector.ui.notices.review import BlockReview
from inspector.ui.notices.sent_part import SentPart
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.places import found_in, parts_with, place_in
from inspector.ui.safe_text import safe_tooltip
from inspector.ui.selection import PointedPlace
from inspector.ui.sharing.attachments import BlockSharing
from inspector.ui.sharing.effect_bar import EffectBar
from inspector.ui.sharing.page import SharingPage
from inspector.ui.widgets.banner import Banners
from inspector.ui.widgets.controls import EmptyState, arrange
from inspector.ui.widgets.front_stack import FrontStack
from inspector.ui.wording import tr, tr_code


class BlockPanel(Panel):
    """A centre tab on one block, with the editor of its schema."""

    def __init__(self, services: PanelServices, ref: Ref | None = None) -> None:
        super().__init__(services)
        self._id = ref.id if ref is not None else ""
        appearance, icons = services.appearance, services.icons
        self.page = TextPage(appearance, icons, services.bridge)
        self.page.editor.marks_changes = True
        self.sent = SentPart(services, self.page, self._id)
        self._stack, self._editing = FrontStack(), FrontStack()
        self.editors = BlockEditors(services, self.page, self._editing, self._id)
        self.work = self.editors.work
        self.review = BlockReview(services, self.work, self)
        who_sees = BlockSharing(services, self._id, self)
        self._pages = BlockPages(self, self._id, self._stack, self.editors, who_sees, self.review)
        self.effects = EffectBar(services, self._id, who_sees)
        self.head = BlockHead(services, self._id, self.editors.discard, self._save)
        self.numbers, self.views, self.state_note = self.head.numbers, self.head.views, self.head.state_note
        self.reason_field = self.head.reason_field
        self.discard_button, self.save_button = self.head.discard_button, self.head.save_button
        self.banners = Banners(appearance, icons)
        self._notices = BlockNotices(
            self.banners, services.workspace, self.work, self._id, self._save_unlocked, self
        )
        self._empty = EmptyState(tr("Reading the block …"))
        self._texts = TextActions(
            self.head,
            self.page,
            self._editing,
            lambda: self._page_in_front,
            lambda: self._typed_in,
            self._not_editable,
        )
        self._action_states: tuple[object, ...] = ()
        self.act(
            *self._actions(),
            *self._pages.actions_of_tab(),
            *self.effects.actions_of_tab(),
            *self.review.actions_of_tab(),
        )
        self._lay_out()
        self._connect()
        self._taken: BlockState | None = None
        self._is_taking = False

    def complete(self) -> None:
        """Show the block, in the editor of its kind."""
        self._take()

    def follow(self, what: What) -> None:
        """Take the block as it is now; nothing is read or laid out again that is the same."""
        if what & What.BLOCKS and (self._taken is None or self._state is not self._taken):
            self._take()
        elif what & What.DRAFTS:
            self._follow_unread()
            self._tell()
        elif what & (What.FILE | What.AGENT | What.AGENTS | What.CONTENTS):
            self._tell()
        elif what & What.REQUEST:
            self._tell_tokens(self._content)
        self._pages.follow(what)
        self.effects.follow(what)
        if what & What.REQUEST:
            self.editors.follow_model()
            if isinstance(self._stack.currentWidget(), RenderedPage):
                self._render(self._state)

    def first_focus(self) -> QWidget:
        shown = self._shown
        return shown if shown not in (None, self._empty) else self.page.editor

    def show_place(self, text: str, offset: int) -> None:
        place = self.services.selection.selected.place
        if place is not None and place.version is not None:
            self.views.choose(BlockTabView.HISTORY)
            self.history.go_to(place.version)
            return
        if place is not None and place.length:
            self._show_found(place)
            return
        self.views.choose(BlockTabView.EDIT)
        parts = () if place is None else place.parts
        show_part(self.editors.view(raw=False), parts, lambda content: place_in(content, text, offset))

    def _show_found(self, place: PointedPlace) -> None:
        """Select what a search found, in the view that is in front if it is one of the text, else in the editor."""
        if self.views.current in (BlockTabView.RENDERED, BlockTabView.RAW):
            page = self._page_in_front
            if page is not None and found_in(page.editor.text, place) >= 0:
                show_character(page.editor, lambda text: found_in(text, place), place.length)
                return
        self.views.choose(BlockTabView.EDIT)
        parts = parts_with(self._content, place)
        show_part(
            self.editors.view(raw=False), parts, lambda text: max(0, found_in(text, place)), place.length
        )

    def show_sharing(self) -> None:
        """Show who sees the block."""
        self.views.choose(BlockTabView.SHARING)
        self.sharing.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def views_to_draw(self) -> Iterator[str]:
        """What the model reads, JSON, the versions and who sees the block."""
        views = (
            ("rendered", BlockTabView.RENDERED),
            ("raw", BlockTabView.RAW),
            ("history", BlockTabView.HISTORY),
            ("sharing", BlockTabView.SHARING),
            ("settings", BlockTabView.SETTINGS),
        )
        for name, view in views:
            self.views.choose(view)
            yield name
        self.views.choose(BlockTabView.EDIT)

    @property
    def rendered(self) -> RenderedPage:
        return self._pages.rendered

    @property
    def history(self) -> HistoryPage:
        return self._pages.history

    @property
    def sharing(self) -> SharingPage:
        return self._pages.sharing

    @property
    def settings(self) -> BlockSettingsPage | None:
        return self._pages.settings

    @property
    def figures(self) -> str:
        return self.numbers.text

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep what is typed and can't be taken yet: the tab closes."""
        self.editors.settle()
        super().closeEvent(event)

    def came(self) -> None:
        self.services.workspace.saw(self._id)

    def went(self) -> None:
        self.review.settle()

    def _actions(self) -> tuple[Action, ...]:
        return (
            *self._texts.undo_actions(lambda: self.work.is_dirty),
            Action(
                "edit.save",
                tr("Save block"),
                self._save,
                QKeySequence.StandardKey.Save,
                "save",
                self._not_savable,
            ),
            *view_actions(self._go_to_view),
            Action(
                "edit.discard",
                tr("Discard draft"),
                self._discard,
                None,
                "delete",
                self._not_discardable,
            ),
            *self._texts.search_actions(),
        )

    def _lay_out(self) -> None:
        self._editing.addWidget(self.page)
        for page in (self._editing, self._empty):
            self._stack.addWidget(page)
        arrange(QVBoxLayout(self), self.head, self.effects, self._stack, self.banners)

    def _connect(self) -> None:
        self.work.changed.connect(self._tell)
        self.work.changed.connect(self.effects.tell)
        self.effects.opened.connect(self.show_sharing)
        self.editors.faulted.connect(self._tell)
        self.editors.discarded.connect(self._notices.offer_back)
        self._pages.changed.connect(self._tell_settings)
        self.review.changed.connect(self._tell_review)
        self.work.saved.connect(self.reason_field.clear)
        for each in (self.work.saved, self.work.discarded):
            each.connect(self._return_to_editor)
        self.views.chosen.connect(self._tell)

    @property
    def _state(self) -> BlockState | None:
        return self.services.workspace.file.blocks.get(self._id)

    @property
    def _has_editor(self) -> bool:
        state = self._state
        return state is not None and self.editors.draft.takes(state.content) and _is_readable(state)

    @property
    def _content(self) -> Content | None:
        return content_in(self.editors, self._state)

    @property
    def _shown(self) -> QWidget | None:
        shown = self._stack.currentWidget()
        return self._editing.currentWidget() if shown is self._editing else shown

    @property
    def _typed_in(self) -> DraftEditor | TextEditor:
        return self.editors.typed_in(raw=self.views.current == BlockTabView.RAW)

    def _not_editable(self) -> str:
        state, workspace = self._state, self.services.workspace
        if state is None or not self._has_editor:
            return tr("the block can't be read")
        if not state.block.is_active:
            return tr("the block is deleted")
        if self.work.is_waiting:
            is_unfit = workspace.file.is_draft_unfit(self._id)
            return tr("the draft doesn't fit the block") if is_unfit else tr("the draft is still loading")
        return tr("the file is read-only") if workspace.file.read_only is not None else ""

    @property
    def _barred(self) -> str:
        state = self._state
        is_barred = state is not None and self.services.workspace.file.is_for_partner(state.block)
        return tr("only the file's partner can edit the block") if is_barred else ""

    def _not_savable(self) -> str:
        if self._settings_in_front is not None:
            return self._settings_in_front.not_savable
        return (
            self._not_editable()
            or self._barred
            or self.editors.faults
            or self.review.why_not_saved()
            or self._closed_answer
            or ("" if self.work.is_dirty else tr("no unsaved changes"))
        )

    @property
    def _closed_answer(self) -> str:
        closed = self.services.workspace.answers.closed(self._id)
        return tr("the request was answered: keep or discard the draft first") if closed else ""

    def _not_discardable(self) -> str:
        """A draft on a block that was deleted, or that cannot be shown in it, can still be given up."""
        if self._settings_in_front is not None:
            return self._settings_in_front.not_discardable
        state = self._state
        deleted = state is not None and not state.block.is_active
        is_hidden = self._has_editor and (deleted or self.work.is_waiting)
        if (not is_hidden and self._not_editable()) or self.services.workspace.file.read_only is not None:
            return self._not_editable()
        return "" if self.work.is_dirty or self.editors.faults else tr("no unsaved changes")

    def _take(self) -> None:
        state = self._taken = self._state
        self._is_taking = True
        try:
            self._take_in(state)
        finally:
            self._is_taking = False
        self._tell()

    def _take_in(self, state: BlockState | None) -> None:
        if state is not None and _is_readable(state):
            self.editors.take(state)
            self._follow_unread()
        if state is not None and self.isVisible():
            self.services.workspace.saw(self._id)

    def _follow_unread(self) -> None:
        if self.editors.follow_unread():
            # The JSON that its last tab was closed over, or that was brought back.
            self.views.choose(BlockTabView.RAW)

    def _tell(self, *_: object) -> None:
        """Say and show everything as it is now, once where several things change at a time."""
        if self._is_taking:
            return
        state = self._state
        if state is None:
            self.set_heading(self._id)
            self._tell_missing()
            return
        dirty = self._has_editor and self.work.is_dirty
        file, label = self.services.workspace.file, state.block.label
        owner = other_owner(file, state.block)
        marked = dirty or (self.settings is not None and self.settings.is_dirty)
        self.set_heading(
            tr("{label} of {owner}", label=label, owner=owner) if owner else label, marked=marked
        )
        self.head.label.setText(state.block.label)
        self.head.kind.setText(kind_text(file, state.block))
        why_not = self._not_editable() or self._barred
        self.editors.set_read_only(bool(why_not))
        self.reason_field.setReadOnly(bool(why_not))
        self._tell_buttons(dirty, why_not)
        self.views.buttons[BlockTabView.EDIT].setVisible(self._has_editor)
        self.views.buttons[BlockTabView.RAW].setVisible(self._has_editor)
        self._notices.tell(state, drafted=dirty, reviewing=self.review.is_open)
        self.numbers.tell_characters(state, self._decided)
        self._tell_tokens(self._content if _is_readable(state) else None)
        self._show_view()
        self._tell_actions()

    def _tell_missing(self) -> None:
        """Say that the block is being read, or once blocks are there without it, that the agent doesn't see it."""
        file = self.services.workspace.file
        if file.agent is not None and file.blocks:
            self._empty.tell(tr("{agent} doesn't see this block.", agent=file.agent.name))
        else:
            self._empty.tell(tr("Reading the block …"))
        self._stack.setCurrentWidget(self._empty)
        self._tell_buttons(dirty=False, why_not="")

    def _tell_buttons(self, dirty: bool, why_not: str) -> None:
        state = self._state
        writable = self._has_editor and state is not None and state.block.is_active
        if self._settings_in_front is not None:
            # It has buttons of its own.
            writable = dirty = False
        self.save_button.setVisible(writable)
        self.save_button.setEnabled(dirty and not self._not_savable() and not self.work.is_saving)
        safe_tooltip(self.save_button, self.editors.faults or self._barred)
        self.discard_button.setVisible(writable or dirty)
        self.discard_button.setEnabled(not self._not_discardable() and not self.work.is_saving)
        self.reason_field.setVisible(writable)
        self.reason_field.setEnabled(not why_not)
        note = (
            tr("saving …")
            if self.work.is_saving
            else self.editors.faults or self.review.why_not_saved() or (tr("not saved") if dirty else "")
        )
        self.state_note.setText(note)
        self.state_note.setVisible(bool(note))

    def _tell_actions(self) -> None:
        """Actions look again at what can be done, when that is another thing now."""
        steps = self._typed_in.steps
        states = (
            self._not_savable(),
            self.review.is_open,
            self.work.is_stale,
            steps.can_undo,
            steps.can_redo,
            self._texts.no_text(),
        )
        if states != self._action_states and self.isVisible():
            self._action_states = states
            self.services.actions.refresh()

    def _show_view(self, *_: object) -> None:
        state = self._state
        if state is not None and self.views.current == BlockTabView.SHARING:
            self._stack.setCurrentWidget(self.sharing)
            return
        if state is None or not _is_readable(state):
            self._show_unreadable(state)
            return
        self.views.setEnabled(not self.review.is_open)
        if self.review.is_open:
            self._stack.setCurrentWidget(self.review.page)
        elif self.views.current == BlockTabView.RENDERED:
            self._render(state)
            self._stack.setCurrentWidget(self.rendered)
        elif self.views.current == BlockTabView.HISTORY:
            self._stack.setCurrentWidget(self.history)
            self.history.take(state)
        elif self.views.current == BlockTabView.SETTINGS:
            self._stack.setCurrentWidget(self._pages.made_settings())
            self._pages.made_settings().take(state)
        else:
            self._editing.setCurrentWidget(self.editors.view(raw=self.views.current == BlockTabView.RAW))
            self._stack.setCurrentWidget(self._editing)

    def _render(self, state: BlockState | None) -> None:
        if state is not None:
            self.rendered.take(state, self._content)

    def _tell_review(self) -> None:
        self.effects.review(self.review.draft, is_open=self.review.is_open)
        self._tell()

    @property
    def _decided(self) -> Content | None:
        """What a save would store: while a review is open, what is merged in it."""
        return self.review.page.content if self.review.is_open else self._content

    def _tell_tokens(self, content: Content | None) -> None:
        decided = self._decided
        if self.review.is_open and decided is not None:
            self.numbers.tell_reviewed(decided)
            return
        self.sent.tell(self._state)
        sections = self.editors.structured.page if self.editors.structured is not None else None
        if isinstance(sections, CompositeEditor):
            self.sent.tell_sections(sections, content)
        self.numbers.tell_tokens(content, in_part=self.sent.is_partial)

    def _show_unreadable(self, state: BlockState | None) -> None:
        self._stack.setCurrentWidget(self._empty)
        if state is not None and state.problem is not None:
            meaning = tr("It is kept unchanged. All other blocks work.")
            self._empty.tell(tr_code(state.problem.code, state.problem.parameters), meaning)
        elif state is not None:
            self._empty.tell(tr("Can't read this block."), tr("It is kept unchanged. All other blocks work."))

    def _return_to_editor(self, *_: object) -> None:
        """Give the keyboard back to the content, if it is in the head or a banner of this tab."""
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused) and not self._stack.isAncestorOf(focused):
            self.first_focus().setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def _settings_in_front(self) -> BlockSettingsPage | None:
        return self.settings if self.views.current == BlockTabView.SETTINGS else None

    def show_settings(self) -> None:
        """Bring the settings to the front, with the keyboard in the form."""
        self._go_to_view(BlockTabView.SETTINGS)

    def _go_to_view(self, view: int) -> None:
        self.views.choose(view)
        self.first_focus().setFocus(Qt.FocusReason.OtherFocusReason)

    def _tell_settings(self) -> None:
        state = self._state
        if state is not None and self.settings is not None:
            marked = self.settings.is_dirty or (self._has_editor and self.work.is_dirty)
            self.set_heading(self.heading, marked=marked)
            self._tell_actions()

    def _discard(self) -> None:
        page = self._settings_in_front
        (self.editors if page is None else page).discard()

    def _save(self) -> None:
        if self._settings_in_front is not None:
            self._settings_in_front.save()
            return
        self.editors.settle()
        if not self._not_savable():
            self._notices.begin_saving()
            (self.review if self.review.is_open else self.work).save(self.reason_field.text().strip())

    def _save_unlocked(self) -> None:
        self._notices.begin_saving()
        self.work.save(self.reason_field.text().strip(), unlock=True)

    @property
    def _page_in_front(self) -> TextPage | None:
        shown = self._shown
        page = shown.page if isinstance(shown, RawPage) else shown
        return page if isinstance(page, TextPage) else None


def _is_readable(state: BlockState) -> bool:
    """A content over its limit can be read, and has to be edited to get shorter."""
    is_damaged = state.problem is not None and state.problem.severity is Severity.ERROR
    return state.content is not None and not is_damaged
