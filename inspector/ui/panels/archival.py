"""The archival panel: the archival entries of the agent to list, search, add, edit and delete."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.domain.blocks import ArchivalEntry
from inspector.domain.changes import Change
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.block_rows import DeleteRow, InsertArchival, RestoreRow, UpdateArchival
from inspector.domain.ref import Ref, RefKind
from inspector.ui.actions import SEPARATOR, Action
from inspector.ui.editors.page_part import PagePart
from inspector.ui.editors.record_browser import BrowserWords, RecordBrowser
from inspector.ui.file_state import What
from inspector.ui.notices.record_actions import typing_actions
from inspector.ui.notices.record_review import RecordReview
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.archival import (
    EntryList,
    drafted,
    entry_row,
    new_entries,
    read_entries,
    tags_of,
)
from inspector.ui.presentation.places import found_in, place_in
from inspector.ui.presentation.record_merge import merged_entry
from inspector.ui.presentation.unsaved import said_by
from inspector.ui.record_session import RecordSession
from inspector.ui.safe_text import PlainLabel, safe_tooltip
from inspector.ui.selection import PointedPlace
from inspector.ui.widgets.controls import button, field
from inspector.ui.widgets.record_rows import RecordRow, RecordWidths
from inspector.ui.wording import moment, tr, tr_count

_MENU = ("archival.new", SEPARATOR, "archival.edit", "archival.delete", "archival.restore")
_SOON_MILLISECONDS = 60


class ArchivalPanel(Panel):
    """A centre tab. It follows the selection and makes it."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._list = EntryList()
        self._entries: dict[str, ArchivalEntry] = {}
        self._awaited: tuple[str, bool] | None = None
        self._edits: RecordSession[ArchivalEntry] = RecordSession(
            services.bridge, services.workspace, RefKind.ARCHIVAL, said_by, merged_entry
        )
        self.browser = RecordBrowser(
            services.appearance, services.icons, self._row, lambda _: False, _words()
        )
        self.review = RecordReview(self, self._edits, self.browser.page, self._stored, self._save)
        self.tags_field = field(tr("Tags, separated by commas"))
        self.new_button = button(tr("New entry"), self._add)
        self._edit_button = button(tr("Edit"), self._edit)
        self._restore_button = button(tr("Restore"), self._restore)
        self._delete_button = button(tr("Delete"), self._delete)
        self._discard_button = button(tr("Discard"), self._discard)
        self._save_button = button(tr("Save"), self._save, role="primary")
        self._pointed: tuple[str, PointedPlace] | None = None
        """A character of an entry to go to once that is shown."""
        self.act(*self._actions(), *self.review.actions_of_tab())
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._read)
        self._lay_out()
        self._connect()
        self.reveal(services.selection.ref, opened=True)

    def first_focus(self) -> QWidget:
        return self.browser.table

    def views_to_draw(self) -> Iterator[str]:
        """The last row, to read."""
        self.browser.select_last()
        yield "reading"

    def follow(self, what: What) -> None:
        """List again when another agent or file is shown."""
        if what & (What.FILE | What.AGENT):
            self._soon.start()

    def went(self) -> None:
        self.review.settle()

    def _actions(self) -> tuple[Action, ...]:
        keys, table, page = QKeySequence.StandardKey, self.browser.table, self.browser.page
        body, savable = page.body, self._not_savable
        chosen, editing, writable = self._not_chosen, self._not_editing, self.not_writable
        return (
            Action("archival.new", tr("New archival entry"), self._add, "Ctrl+Shift+E", "add", writable),
            Action("archival.edit", tr("Edit archival entry"), self._edit, "Ctrl+E", "rename", chosen),
            Action(
                "archival.delete",
                tr("Delete archival entry"),
                self._delete,
                "Del",
                "delete",
                chosen,
                scope=table,
            ),
            Action("archival.restore", tr("Restore archival entry"), self._restore, None, "restore", chosen),
            Action("edit.save", tr("Save archival entry"), self._save, keys.Save, "save", savable),
            Action("edit.discard", tr("Discard edit"), self._discard, None, "delete", editing),
            Action("edit.find", tr("Search archival entries"), self.browser.find_words, "Ctrl+F", "search"),
            *typing_actions(page, body, editing),
        )

    def _lay_out(self) -> None:
        page = self.browser.page
        page.add_buttons(self._edit_button, self._restore_button, self._delete_button)
        page.add_buttons(self._discard_button, self._save_button)
        page.below.addWidget(PlainLabel(tr("Tags"), tone="muted"))
        page.below.addWidget(self.tags_field)
        self.browser.add_to_bar(self.new_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.browser)

    def _connect(self) -> None:
        browser = self.browser
        browser.filtered.connect(self._soon.start)
        browser.moved.connect(self._show)
        browser.page.edited.connect(self._note_edit)
        self.tags_field.textEdited.connect(lambda _: self._note_edit())
        browser.table.entered.connect(browser.enter_page)
        self.offer_menu(browser.table, _MENU)
        self._edits.restored.connect(self._fill)
        self._edits.ended.connect(self._end_edit)
        self.review.changed.connect(self._tell)
        self.review.made.connect(lambda page: self.act_from_now(*self.review.actions_of_page(page)))
        self.services.bridge.changed.connect(self._note)
        self.follow_selection()
        self._edits.restore()
        self._soon.start()

    def _note(self, news: object) -> None:
        if isinstance(news, Change) and news.ref.kind in (RefKind.ARCHIVAL, RefKind.FILE):
            self._soon.start()

    def _read(self) -> None:
        workspace = self.services.workspace
        session, agent_id = workspace.live.session, workspace.file.agent_id
        if session is None or not agent_id:
            self._take(EntryList())
            return
        self.services.bridge.supersede(
            ("archival entries", self),
            read_entries(session, agent_id, self.browser.words_field.text()),
            name=tr("Reading the archival entries"),
            on_done=self._take,
        )

    def _take(self, read: EntryList) -> None:
        self._list = read
        self._fill()

    def _fill(self) -> None:
        """List the entries, and first those that are written and not saved yet."""
        deleted = self.browser.state == "deleted"
        self._entries = {entry.id: entry for entry in self._list.entries}
        new = [] if deleted else self._new()
        self._entries |= {entry.id: entry for entry in new}
        drafted = frozenset(edit.target.id for edit in self._edits.edits)
        keys = [*(entry.id for entry in new), *self._list.listed(deleted=deleted, drafted=drafted)]
        self.browser.set_keys(keys)
        self._tell_count(len(keys))
        self._go_to_awaited()
        self._show()

    def _new(self) -> list[ArchivalEntry]:
        now = self.services.workspace.now()
        new = new_entries(self._edits.edits, self._list.agent_id, now)
        return [entry for entry in new if entry.id not in self._entries]

    def _tell_count(self, listed: int) -> None:
        total = sum(not entry.is_deleted for entry in self._list.entries)
        self.browser.count_note.setText(tr_count("{count} entry", "{count} entries", listed))
        is_filtered = bool(total)
        self.browser.empty.tell(
            tr("Nothing matches") if is_filtered else tr("No archival entries"),
            ""
            if is_filtered
            else tr("An agent finds these by search. The Request never includes them by itself."),
        )

    def _row(self, key: str) -> RecordRow:
        entry, edit = self._entries[key], self._edits.get(key)
        return entry_row(drafted(entry, edit), self.services.workspace.now(), unsaved=edit is not None)

    @property
    def _entry(self) -> ArchivalEntry | None:
        key = self.browser.key
        return None if key is None else self._entries.get(key)

    def _show(self) -> None:
        """Show the current entry, with an unsaved edit of it."""
        entry, page = self._entry, self.browser.page
        self.browser.model.tell_changed()
        if entry is None:
            page.show_parts("", "", ())
            self._tell()
            return
        edit = self._edits.get(entry.id)
        base, now = self._edits.base(entry.id, entry), drafted(entry, edit)
        when = tr("written {when}", when=moment(entry.created_at, self.services.workspace.now()))
        title = tr("New archival entry") if self._is_new(edit) else tr("Archival entry")
        parts = (PagePart(tr("Text"), "" if self._is_new(edit) else base.content),)
        is_other = page.shown_key != entry.id
        page.show_parts(title, when, parts, (now.content,) if edit is not None else None, key=entry.id)
        if is_other or edit is not None:
            page.set_editing(edit is not None)
        tags = ", ".join(now.tags)
        if self.tags_field.text() != tags and not self.tags_field.hasFocus():
            self.tags_field.setText(tags)
        self._tell()
        if self.browser.table.hasFocus():
            self.services.selection.select(Ref(RefKind.ARCHIVAL, entry.id))
        self._show_pointed()

    def show_place(self, text: str, offset: int) -> None:
        """Go to the character that was pointed at, once its entry is shown."""
        selected = self.services.selection.selected
        if selected.ref is not None:
            self._pointed = selected.ref.id, selected.place or PointedPlace(text, offset)
            self._show_pointed()

    def _show_pointed(self) -> None:
        if self._pointed is None or self._entry is None or self._pointed[0] != self._entry.id:
            return
        (_, place), self._pointed = self._pointed, None
        if place.length:
            self.browser.page.show_place(0, lambda content: found_in(content, place), place.length)
        else:
            self.browser.page.show_place(0, lambda content: place_in(content, place.text, place.offset))

    def _is_new(self, edit: Edit | None) -> bool:
        return edit is not None and isinstance(edit.operation, InsertArchival)

    def reveal(self, ref: Ref | None, *, opened: bool = False) -> None:
        if ref is not None and ref.kind is RefKind.ARCHIVAL and ref.id != self.browser.key:
            self._awaited = ref.id, opened
            self._go_to_awaited()

    def _go_to_awaited(self) -> None:
        """Make a row current; what was opened is listed even if a filter keeps it back or it is deleted."""
        if self._awaited is None:
            return
        (id_, opened), entry = self._awaited, self._entries.get(self._awaited[0])
        if self.browser.select(id_):
            self._awaited = None
        elif opened and entry is not None:
            self.browser.set_filter("deleted" if entry.is_deleted else "all")

    def _tell(self) -> None:
        entry, page = self._entry, self.browser.page
        editing, writable = page.is_editing, not self.not_writable()
        deleted = entry is not None and entry.is_deleted
        for each, is_shown in (
            (self._edit_button, not editing and not deleted),
            (self._restore_button, deleted),
            (self._delete_button, not editing and not deleted),
            (self._discard_button, editing),
            (self._save_button, editing),
        ):
            each.setVisible(is_shown)
            each.setEnabled(writable)
        is_unsaved, refusal = entry is not None and self._edits.get(entry.id) is not None, self._refusal()
        self._save_button.setEnabled(
            writable and is_unsaved and not refusal and not self.review.why_not_saved()
        )
        safe_tooltip(self._save_button, refusal)
        self.review.tell(entry if editing else None, refusal)
        self.new_button.setEnabled(writable)
        self.tags_field.setReadOnly(not editing)
        self.set_heading(tr("Archival entries"), marked=bool(self._edits.edits))
        if self.isVisible():
            self.services.actions.refresh()

    def _not_chosen(self) -> str:
        return self.not_writable() or ("" if self.browser.chosen else tr("no entry is selected"))

    def _not_savable(self) -> str:
        return self._not_editing() or self._refusal() or self.review.why_not_saved()

    def _refusal(self) -> str:
        """Why the edit of the entry that is shown can't be saved as it is."""
        entry = self._entry
        if entry is None or not entry.is_deleted or self._edits.get(entry.id) is None:
            return ""
        return tr("This entry is deleted. Restore it to save your edit, or discard the edit.")

    def _not_editing(self) -> str:
        return "" if self.browser.page.is_editing else tr("no entry is being edited")

    def _add(self) -> None:
        """Begin a new entry: a draft at once, which saving stores."""
        workspace = self.services.workspace
        session, agent_id = workspace.live.session, workspace.file.agent_id
        if session is None or not agent_id or self.not_writable():
            return
        ref = Ref(RefKind.ARCHIVAL, session.engine.surroundings.ids("arc"))
        self.browser.set_filter("all")
        self._edits.put(Edit(ref, InsertArchival(agent_id, "")))
        self._awaited = ref.id, False
        self._fill()
        self.browser.enter_page()

    def _edit(self) -> None:
        entry = self._entry
        if entry is not None and not entry.is_deleted and not self.not_writable():
            self._edits.begin(entry.id, entry)
            self.browser.page.set_editing(True)
            self.browser.enter_page()
            self._tell()

    def _note_edit(self) -> None:
        entry = self._entry
        if entry is None:
            return
        base = self._edits.base(entry.id, entry)
        content, tags = self.browser.page.texts[0], self.tags_field.text()
        self.browser.page.tell("")
        operation: Operation
        if self._is_new(self._edits.get(entry.id)):
            operation = InsertArchival(self._list.agent_id, content, tags_of(tags))
        else:
            self._edits.begin(entry.id, entry)
            # A tag that has a comma in it stays one tag as long as nobody edits the line.
            same = tags == ", ".join(base.tags)
            operation = UpdateArchival(content, None if same else tags_of(tags))
        self._edits.put(Edit(Ref(RefKind.ARCHIVAL, entry.id), operation))
        self.browser.model.tell_changed()
        self._tell()

    def _save(self) -> None:
        if self.review.is_open:
            self.review.save("")
            return
        entry = self._entry
        edit = self._edits.get(entry.id) if entry is not None else None
        if entry is None or edit is None:
            self._discard()
            return
        if not drafted(entry, edit).content.strip():
            self.browser.page.tell(tr("Enter the text of the entry first."))
            return
        reading = self._stored(entry.id)
        if reading is not None:
            self._edits.save(edit, reading)

    def _discard(self) -> None:
        if self._entry is not None:
            self._edits.drop(self._entry.id)

    def _end_edit(self, entry_id: str) -> None:
        if self.browser.key == entry_id:
            self.browser.page.set_editing(False)
            self.browser.table.setFocus()
        self._soon.start()

    def _stored(self, entry_id: str) -> Coroutine[Any, Any, ArchivalEntry | None] | None:
        session = self.services.workspace.live.session
        return None if session is None else session.engine.blocks.archival_entry(entry_id)

    def _delete(self) -> None:
        """Delete the selected entries; one that was never saved is discarded."""
        for key in self.browser.chosen:
            if self._is_new(self._edits.get(key)):
                self._edits.drop(key)
        self._change(DeleteRow(), deleted=False)

    def _restore(self) -> None:
        self._change(RestoreRow(), deleted=True)

    def _change(self, operation: Operation, *, deleted: bool) -> None:
        stored = {entry.id for entry in self._list.entries if entry.is_deleted == deleted}
        edits = [Edit(Ref(RefKind.ARCHIVAL, key), operation) for key in self.browser.chosen if key in stored]
        if edits:
            self.services.workspace.apply(edits)


def _words() -> BrowserWords:
    return BrowserWords(
        tr("Archival entries"),
        tr("Search archival entries"),
        (("all", tr("All entries")), ("deleted", tr("Deleted"))),
        tr("Archival entry"),
        tr("Select an entry to read it"),
        RecordWidths(lead=32, figure=""),
    )
