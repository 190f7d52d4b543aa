"""The messages panel: every message of the agent by turn, what is sent of them, and each one to read and edit."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import EditMessage
from inspector.domain.message_outline import repairs
from inspector.domain.messages import Message
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summary_findings import SummaryFacts, covering
from inspector.ui.actions import SEPARATOR, Action
from inspector.ui.editors.record_browser import BrowserWords, RecordBrowser
from inspector.ui.file_state import What
from inspector.ui.notices.record_actions import typing_actions
from inspector.ui.notices.record_review import RecordReview
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.message_changes import (
    MessageChange,
    archive,
    delete,
    done_text,
    edits_of,
    restore,
    wish_text,
)
from inspector.ui.presentation.message_source import (
    MessageFilter,
    MessageSource,
    MessagesShown,
    is_heading,
)
from inspector.ui.presentation.messages import (
    BatchLines,
    edited,
    refused_texts,
    repair_text,
    unsaved_parts,
)
from inspector.ui.presentation.places import found_in, part_of_message, place_in_part
from inspector.ui.presentation.record_merge import merged_message
from inspector.ui.presentation.unsaved import said_by
from inspector.ui.record_session import RecordSession
from inspector.ui.safe_text import safe_tooltip
from inspector.ui.selection import PointedPlace
from inspector.ui.summaries.summarise_dialog import offer_summaries
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.widgets.record_rows import RecordRow, RecordWidths
from inspector.ui.wording import moment, tr, with_unit

_MENU = (
    "message.edit",
    SEPARATOR,
    "message.archive",
    "message.restore",
    "message.delete",
    SEPARATOR,
    "message.repair",
    "message.summarise",
    "message.covering",
)


class MessagesPanel(Panel):
    """A centre tab. It follows the selection and makes it."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        live = services.workspace.live
        self.source = MessageSource(services.bridge, live, self)
        self._edits: RecordSession[Message] = RecordSession(
            services.bridge, services.workspace, RefKind.MESSAGE, said_by, merged_message
        )
        self.browser = RecordBrowser(services.appearance, services.icons, self._row, is_heading, _words())
        self.review = RecordReview(self, self._edits, self.browser.page, self._stored, self._save)
        self._shown: tuple[BatchLines, Message] | None = None
        self._awaited: Ref | None = None
        self._pointed: tuple[str, PointedPlace] | None = None
        """A character of a message to go to once that is shown."""
        self._agent_id = ""
        self.act(*self._actions(), *self.review.actions_of_tab())
        self._repair_button = button("", self._repair)
        self._edit_button = button(tr("Edit"), self._edit)
        self._archive_button = button(tr("Archive"), self._archive)
        self._restore_button = button(tr("Restore"), self._restore)
        self._delete_button = button(tr("Delete"), self._delete)
        self._discard_button = button(tr("Discard"), self._discard)
        self._save_button = button(tr("Save"), self._save, role="primary")
        self.browser.page.add_buttons(*self._buttons())
        self.browser.empty.tell(tr("No messages"), tr("Messages of this agent appear here."))
        arrange(QVBoxLayout(self), self.browser)
        self._connect()
        self.reveal(services.selection.ref)

    def first_focus(self) -> QWidget:
        return self.browser.table

    def show_place(self, text: str, offset: int) -> None:
        """Go to the character that was pointed at, once its message is shown."""
        selected = self.services.selection.selected
        if selected.ref is not None and selected.place is not None:
            self._pointed = selected.ref.id, selected.place
            self._show_pointed()

    def views_to_draw(self) -> Iterator[str]:
        """The last row, to read."""
        self.browser.select_last()
        yield "reading"

    def follow(self, what: What) -> None:
        """List again when another agent, Request or file is shown."""
        if what & (What.FILE | What.AGENT):
            # What is shown is of whom was shown before, until the list is read again.
            self._shown = None
        if what & What.FILE:
            self._agent_id = ""
        if what & (What.FILE | What.AGENT | What.REQUEST):
            self.source.refresh()
        if what & (What.FILE | What.PROBLEMS):
            self._tell()

    def came(self) -> None:
        self.source.resume()

    def went(self) -> None:
        self.source.pause()
        self.review.settle()

    def _buttons(self) -> tuple[QWidget, ...]:
        reading = (self._repair_button, self._edit_button, self._archive_button, self._restore_button)
        return (*reading, self._delete_button, self._discard_button, self._save_button)

    def _actions(self) -> tuple[Action, ...]:
        keys, table, page = QKeySequence.StandardKey, self.browser.table, self.browser.page
        body, editing = page.body, self._not_edited
        chosen, shown = self._not_chosen, self._not_shown
        return (
            Action("message.edit", tr("Edit message"), self._edit, "Ctrl+E", "rename", self._not_editable),
            Action("message.archive", tr("Archive message"), self._archive, None, "archive", chosen),
            Action(
                "message.restore", tr("Restore message"), self._restore, None, "restore", self._not_restorable
            ),
            Action(
                "message.delete", tr("Delete message"), self._delete, "Del", "delete", chosen, scope=table
            ),
            Action("message.repair", tr("Repair turn"), self._repair, None, "tool", self._not_broken),
            Action(
                "message.summarise",
                tr("Summarise the messages before this turn …"),
                self._summarise,
                None,
                "summary",
                lambda: self.not_writable() or shown(),
            ),
            Action(
                "message.covering",
                tr("Go to the summary of this message"),
                self._covering,
                None,
                "open",
                shown,
            ),
            Action("edit.save", tr("Save message"), self._save, keys.Save, "save", self._not_savable),
            Action("edit.discard", tr("Discard edit"), self._discard, None, "delete", editing),
            Action("edit.find", tr("Filter messages"), self.browser.find_words, "Ctrl+F", "search"),
            *typing_actions(page, body, editing),
        )

    def _connect(self) -> None:
        browser = self.browser
        browser.filtered.connect(self._filter)
        browser.moved.connect(self._show)
        browser.page.edited.connect(self._note_edit)
        browser.table.entered.connect(browser.enter_page)
        self.offer_menu(browser.table, _MENU)
        self.source.changed.connect(self._take_list)
        self.source.read.connect(self._take_read)
        self._edits.restored.connect(self._take_read)
        self._edits.ended.connect(self._end_edit)
        self.review.changed.connect(self._tell)
        self.review.made.connect(lambda page: self.act_from_now(*self.review.actions_of_page(page)))
        self.follow_selection()
        self._edits.restore()
        self.source.refresh()

    def _row(self, key: int) -> RecordRow:
        now = self.services.workspace.now()
        return self.source.row(key, now, lambda message_id: self._edits.get(message_id) is not None)

    def _filter(self) -> None:
        browser = self.browser
        self.source.show(MessageFilter(MessagesShown(browser.state), browser.words_field.text()))

    def _take_list(self) -> None:
        listed = self.source.list
        if listed.agent_id != self._agent_id:
            # Another agent's messages have the same positions.
            self._agent_id = listed.agent_id
            self.browser.list_others()
        was_empty = not self.browser.model.keys
        self.browser.set_keys(listed.keys)
        if was_empty:
            self.browser.table.scrollToBottom()
        self.browser.count_note.setText(listed.note)
        is_filtered = self.source.filter != MessageFilter()
        self.browser.empty.tell(
            tr("Nothing matches") if is_filtered else tr("No messages"),
            "" if is_filtered else tr("The messages of this agent appear here."),
        )
        self._go_to_awaited()
        self._show()

    def _take_read(self) -> None:
        self.browser.model.tell_changed()
        self._show()

    def _show(self) -> None:
        """Show the current message, or the one that was edited as it was when that began."""
        key = self.browser.key
        lines = self.source.lines(key) if key is not None else None
        message = lines.message_at(key >> 1) if lines is not None else None
        page = self.browser.page
        if lines is None or message is None:
            if key is None:
                self._shown = None
                page.show_parts("", "", ())
            self._tell()
            return
        is_other = page.shown_key != message.id
        self._shown = (lines, message)
        edit = self._edits.get(message.id)
        base, texts = self._edits.base(message.id, message), None
        if edit is not None and isinstance(edit.operation, EditMessage):
            self._edits.begin(message.id, message)
            content = edit.operation.content
            if len(content) != len(base.content):
                # The message has other parts since; what was typed is kept whole.
                base = replace(base, content=content)
            texts = lines.texts(base, content)
        row = lines.row(message, self.source.list.sent, self.services.workspace.now(), unsaved=False)
        figure = with_unit(row.figure)
        when = moment(message.created_at, self.services.workspace.now())
        note = " · ".join(each for each in (when, figure, row.note) if each)
        page.show_parts(row.lead, note, lines.pages(base), texts, key=message.id)
        if is_other or edit is not None:
            page.set_editing(edit is not None)
        self._tell()
        if self.browser.table.hasFocus():
            self.services.selection.select(Ref(RefKind.MESSAGE, message.id))
        self._show_pointed()

    def _show_pointed(self) -> None:
        if self._pointed is None or self._shown is None or self._pointed[0] != self._shown[1].id:
            return
        place, self._pointed = self._pointed[1], None
        page = self.browser.page
        if place.length:
            parts = (number for number, text in enumerate(page.texts) if found_in(text, place) >= 0)
            page.show_place(next(parts, 0), lambda text: found_in(text, place), place.length)
        else:
            page.show_place(part_of_message(place), lambda text: place_in_part(place, text))

    def reveal(self, ref: Ref | None, *, opened: bool = False) -> None:
        """Go to the message or turn that is selected; to a hidden one only where it was asked for."""
        if ref is None or ref.kind not in (RefKind.MESSAGE, RefKind.BATCH) or self._is_shown(ref):
            return
        self._awaited = ref.whole
        if opened:
            self.browser.set_filter(MessagesShown.ALL)
        self._go_to_awaited()

    def _is_shown(self, ref: Ref) -> bool:
        return self._shown is not None and ref.id in (self._shown[1].id, self._shown[1].batch_id)

    def _go_to_awaited(self) -> None:
        session, ref, listed = self.services.workspace.live.session, self._awaited, self.source.list
        # Another agent's messages have the same positions.
        if ref is None or session is None or listed.agent_id != self.services.workspace.file.agent_id:
            return
        if ref.kind is RefKind.BATCH:
            place = listed.place_of.get(ref.id)
            self._select_first(() if place is None else listed.outline.batches[place].positions)
            return
        self.services.bridge.supersede(
            ("message place", self),
            session.engine.conversation.places([ref.id]),
            name=tr("Reading the messages"),
            on_done=lambda places: self._select_first([*places.values()]),
        )

    def _select_first(self, positions: Sequence[int]) -> None:
        for position in positions:
            if self.browser.select(2 * position):
                self._awaited = None
                return

    def _tell(self) -> None:
        """Say and enable what is so now."""
        page, message = self.browser.page, self._shown[1] if self._shown else None
        editing, writable = page.is_editing, not self.not_writable()
        is_deleted = message is not None and message.is_deleted
        away = is_deleted or (message is not None and message.is_archived)
        fixes = repairs(self._shown[0].batch) if self._shown and not self._shown[0].batch.is_paired else ()
        shown = {
            self._repair_button: bool(fixes) and not editing,
            self._edit_button: not editing,
            self._archive_button: not editing and not away,
            self._restore_button: away and (not editing or is_deleted),
            self._delete_button: not editing and message is not None and not message.is_deleted,
            self._discard_button: editing,
            self._save_button: editing,
        }
        for each, is_shown in shown.items():
            each.setVisible(is_shown)
            each.setEnabled(writable)
        self._edit_button.setEnabled(not self._not_editable())
        is_unsaved = message is not None and self._edits.get(message.id) is not None
        refusal = self._refusal()
        self._save_button.setEnabled(
            writable and is_unsaved and not refusal and not self.review.why_not_saved()
        )
        safe_tooltip(self._save_button, refusal)
        self.review.tell(message if editing else None, refusal)
        self._repair_button.setText(repair_text(fixes))
        self._repair_button.setAccessibleName(repair_text(fixes))
        self.set_heading(tr("Messages"), marked=bool(self._edits.edits))
        if self.isVisible():
            self.services.actions.refresh()

    def _not_chosen(self) -> str:
        return self.not_writable() or ("" if self.browser.chosen else self._not_shown())

    def _not_restorable(self) -> str:
        shown = self._shown[1] if self._shown and len(self.browser.chosen) == 1 else None
        is_live = shown is not None and not (shown.is_archived or shown.is_deleted)
        return self._not_chosen() or (tr("it isn't archived or deleted") if is_live else "")

    def _not_shown(self) -> str:
        return "" if self._shown else tr("no message is selected")

    def _not_editable(self) -> str:
        if self._shown is None or self.not_writable():
            return self._not_shown() or self.not_writable()
        if self._shown[1].is_deleted:
            return tr("the message is deleted")
        pages = self._shown[0].pages(self._shown[1])
        return "" if any(not each.why_not for each in pages) else tr("it has no text to edit")

    def _not_broken(self) -> str:
        if self._shown is None or self.not_writable():
            return self._not_shown() or self.not_writable()
        return tr("every tool call has its result") if self._shown[0].batch.is_paired else ""

    def _not_savable(self) -> str:
        return self._not_edited() or self._refusal() or self.review.why_not_saved()

    def _refusal(self) -> str:
        """Why the edit of the message that is shown can't be saved as it is."""
        edit = self._edits.get(self._shown[1].id) if self._shown else None
        if self.review.is_open or edit is None or self._shown is None:
            return ""
        if self._shown[1].is_deleted:
            return tr("This message is deleted. Restore it to save your edit, or discard the edit.")
        if not isinstance(edit.operation, EditMessage):
            return ""
        base = self._edits.base(edit.target.id, self._shown[1])
        return refused_texts(base, edited(base, edit.operation.content))

    def _not_edited(self) -> str:
        return "" if self.browser.page.is_editing else tr("no message is being edited")

    def _archive(self) -> None:
        self._change(archive)

    def _restore(self) -> None:
        self._change(restore)

    def _delete(self) -> None:
        self._change(delete)

    def _change(self, change: MessageChange) -> None:
        """Change all selected messages as one, each call together with its result."""
        workspace, chosen = self.services.workspace, self.source.batch_ids(self.browser.chosen)
        session = workspace.live.session
        if session is None or not chosen:
            return

        def apply(edits: Sequence[Edit]) -> None:
            if edits:
                count = len(edits)
                workspace.apply(edits, wish_text(change, count), text=done_text(change, count))
            else:
                self.services.bridge.noticed.emit(tr("Nothing to change in the selected messages."))

        work = edits_of(session, self.source.list.agent_id, chosen, change)
        self.services.bridge.spawn(work, name=tr("Saving"), on_done=apply)

    def _repair(self) -> None:
        edits = repairs(self._shown[0].batch) if self._shown else ()
        if edits:
            self.services.workspace.apply(edits, repair_text(edits))

    def _summarise(self) -> None:
        """Show which summaries would take the place of what stands before the current turn."""
        if self._shown is not None:
            keep = self.source.messages_from(self._shown[1].batch_id)
            offer_summaries(self.window(), self.services, keep)

    def _covering(self) -> None:
        """Show the summary that stands for the current message."""
        session, agent = self.services.workspace.live.session, self.services.workspace.file.agent
        if self._shown is None or session is None or agent is None:
            return
        position = self._shown[1].position

        def show(found: tuple[SummaryFacts, object]) -> None:
            summaries = covering(found[0], position)
            if summaries:
                self.services.selection.open(Ref(RefKind.SUMMARY, summaries[-1].id))
            else:
                self.services.bridge.noticed.emit(tr("No summary covers this message."))

        work = session.engine.summary_checks.facts(agent.id)
        self.services.bridge.spawn(work, name=tr("Reading the summaries"), on_done=show)

    def _edit(self) -> None:
        if self._shown is None or self._not_editable():
            return
        page = self.browser.page
        self._edits.begin(self._shown[1].id, self._shown[1])
        page.set_editing(True)
        page.go_to_editable()
        self.browser.enter_page()
        self._tell()

    def _note_edit(self) -> None:
        if self._shown is None:
            return
        message = self._shown[1]
        self._edits.begin(message.id, message)
        edit, base = self._edits.get(message.id), self._edits.base(message.id, message)
        if edit is not None and isinstance(edit.operation, EditMessage):
            base = replace(base, content=edit.operation.content)
        parts = unsaved_parts(base, self.browser.page.texts)
        self._edits.put(Edit(Ref(RefKind.MESSAGE, message.id), EditMessage(parts)))
        self._tell()

    def _discard(self) -> None:
        if self._shown is not None:
            self._edits.drop(self._shown[1].id)

    def _end_edit(self, message_id: str) -> None:
        if self._shown is not None and self._shown[1].id == message_id:
            self.browser.page.set_editing(False)
            self.browser.table.setFocus()
        # One that is deleted was listed for its edit.
        self.source.refresh()
        self._take_read()

    def _save(self) -> None:
        if self.review.is_open:
            self.review.save("")
            return
        edit = self._edits.get(self._shown[1].id) if self._shown else None
        if edit is None or self._shown is None:
            self._discard()
            return
        base = self._edits.base(edit.target.id, self._shown[1])
        parts = edited(base, edit.operation.content) if isinstance(edit.operation, EditMessage) else ()
        refusal = refused_texts(base, parts)
        if refusal:
            self.browser.page.tell(refusal)
            return
        reading = self._stored(edit.target.id)
        if reading is not None:
            self._edits.save(Edit(edit.target, EditMessage(parts)), reading)

    def _stored(self, message_id: str) -> Coroutine[Any, Any, Message | None] | None:
        session = self.services.workspace.live.session
        return None if session is None else session.engine.conversation.message(message_id)


def _words() -> BrowserWords:
    return BrowserWords(
        tr("Messages"),
        tr("Filter messages"),
        (
            (MessagesShown.ALL, tr("All messages")),
            (MessagesShown.SENT, tr("In the Request")),
            (MessagesShown.OUTSIDE, tr("Not in the Request")),
            (MessagesShown.ARCHIVED, tr("Archived")),
            (MessagesShown.DELETED, tr("Deleted")),
        ),
        tr("Message"),
        tr("Select a message to read it"),
        RecordWidths(),
    )
