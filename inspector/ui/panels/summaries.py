"""The summaries panel: the tree of an agent's summaries, which messages they cover, and each one to read and edit."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import Summary
from inspector.domain.summary_findings import NOTES
from inspector.ui.actions import SEPARATOR, Action
from inspector.ui.file_state import What
from inspector.ui.notices.record_actions import typing_actions
from inspector.ui.notices.record_review import RecordReview
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.record_merge import merged_summary
from inspector.ui.presentation.summaries import (
    SummaryRow,
    SummaryRowKind,
    edit_of,
    parts_of,
    said_by_summary,
    sentence,
    texts_of,
    title_of,
    with_edit,
)
from inspector.ui.record_session import RecordSession
from inspector.ui.safe_text import PlainLabel, safe_tooltip
from inspector.ui.summaries.again_dialog import offer_again
from inspector.ui.summaries.coverage import CoverageStrip, coverage_of_messages, covered_text
from inspector.ui.summaries.page import COVERAGE, HISTORY, LOSSES, TEXT, SummaryPage
from inspector.ui.summaries.reader import SummaryReader
from inspector.ui.summaries.summarise_dialog import offer_summaries
from inspector.ui.summaries.tree import SummaryTree
from inspector.ui.widgets.controls import EmptyState, arrange, button
from inspector.ui.wording import moment, number, tokens, tr, tr_count

_MENU = (
    "summary.edit",
    "summary.delete",
    "summary.restore",
    SEPARATOR,
    "summary.again",
    "summary.losses",
    "summary.history",
)
_BESIDE_STEPS = 230
"""Steps of width from which on the pages stand beside the tree, and not below it."""
_EQUAL = 1_000


class SummariesPanel(Panel):
    """A centre tab. It follows the selection and makes it."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self.reader = SummaryReader(services, self)
        self._edits: RecordSession[Summary] = RecordSession(
            services.bridge, services.workspace, RefKind.SUMMARY, said_by_summary, merged_summary
        )
        self._shown: Summary | None = None
        self._awaited: str | None = None
        self.tree = SummaryTree(services, self.reader)
        self.page = SummaryPage(services)
        self.review = RecordReview(self, self._edits, self.page.record, self._stored, self._save)
        self.strip = CoverageStrip(services.appearance)
        self.count_note = PlainLabel("", tone="muted", size="small")
        self.now_button = button(tr("Summarise now …"), self._summarise)
        self.empty = EmptyState(tr("Reading summaries …"))
        self._again_button = button(tr("Summarise again …"), self._again)
        self._edit_button = button(tr("Edit"), self._edit)
        self._restore_button = button(tr("Restore"), self._restore)
        self._delete_button = button(tr("Delete"), self._delete)
        self._discard_button = button(tr("Discard"), self._discard)
        self._save_button = button(tr("Save"), self._save, role="primary")
        self._stack, self._splitter = QStackedWidget(), QSplitter(Qt.Orientation.Vertical)
        self.act(*self._actions(), *self.review.actions_of_tab())
        self._lay_out()
        self._connect()
        self.reveal(services.selection.ref)

    def first_focus(self) -> QWidget:
        return self.tree.view

    def views_to_draw(self) -> Iterator[str]:
        """The first summary opened, its loss check, the coverage as a table, and its history."""
        self.tree.select_first()
        self.tree.view.expand(self.tree.view.currentIndex())
        for page, name in (
            (TEXT, "reading"),
            (LOSSES, "losses"),
            (COVERAGE, "coverage"),
            (HISTORY, "history"),
        ):
            self.page.go_to(page)
            yield name
        self.page.go_to(TEXT)

    def follow(self, what: What) -> None:
        """List again when another agent or file is shown."""
        if what & (What.FILE | What.AGENT):
            self.reader.refresh()
        if what & (What.FILE | What.PROBLEMS):
            self._tell()

    def came(self) -> None:
        self.reader.resume()

    def went(self) -> None:
        self.review.settle()
        self.reader.pause()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_beside = self.width() >= self.services.appearance.space(_BESIDE_STEPS)
        orientation = Qt.Orientation.Horizontal if is_beside else Qt.Orientation.Vertical
        if self._splitter.orientation() is not orientation:
            self._splitter.setOrientation(orientation)
            self._splitter.setSizes([_EQUAL, _EQUAL])
        self.tree.fit(self.width() // 2 if is_beside else self.width())

    def _actions(self) -> tuple[Action, ...]:
        keys, view, record = QKeySequence.StandardKey, self.tree.view, self.page.record
        shown, editing = self._not_shown, self._not_editing
        return (
            Action(
                "summary.now", tr("Summarise now …"), self._summarise, None, "summary", self._not_summarised
            ),
            Action(
                "summary.again",
                tr("Summarise again from here …"),
                self._again,
                None,
                "refresh",
                self._not_changeable,
            ),
            Action("summary.edit", tr("Edit summary"), self._edit, "Ctrl+E", "rename", self._not_changeable),
            Action(
                "summary.delete",
                tr("Delete summary"),
                self._delete,
                "Del",
                "delete",
                self._not_changeable,
                scope=view,
            ),
            Action(
                "summary.restore", tr("Restore summary"), self._restore, None, "restore", self._not_deleted
            ),
            Action(
                "summary.losses", tr("Check for losses"), lambda: self.page.go_to(LOSSES), None, "ok", shown
            ),
            Action(
                "summary.coverage",
                tr("Coverage as a table"),
                lambda: self.page.go_to(COVERAGE),
                None,
                "timeline",
            ),
            Action(
                "summary.history",
                tr("History of the summary"),
                lambda: self.page.go_to(HISTORY),
                None,
                "history",
                shown,
            ),
            Action("edit.save", tr("Save summary"), self._save, keys.Save, "save", self._not_savable),
            Action("edit.discard", tr("Discard edit"), self._discard, None, "delete", editing),
            Action("edit.find", tr("Find in the summary"), self._find, "Ctrl+F", "search", shown),
            *typing_actions(record, record, editing),
        )

    def _lay_out(self) -> None:
        reading = (self._again_button, self._edit_button, self._restore_button, self._delete_button)
        self.page.record.add_buttons(*reading, self._discard_button, self._save_button)
        head = QFrame()
        head.setProperty("role", "dock_title")
        row = QHBoxLayout(head)
        arrange(row, self.count_note, None, self.now_button, spacing=8)
        row.setContentsMargins(12, 8, 12, 8)
        body = QWidget()
        column = QVBoxLayout(body)
        arrange(column, self.strip, self._splitter)
        column.setStretch(1, 1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.tree)
        self._splitter.addWidget(self.page)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([_EQUAL, _EQUAL])
        self._splitter.splitterMoved.connect(lambda *_: self.tree.fit(self.tree.width()))
        self._stack.addWidget(body)
        self._stack.addWidget(self.empty)
        self._stack.setCurrentIndex(1)
        whole = QVBoxLayout(self)
        arrange(whole, head, self._stack)
        whole.setStretch(1, 1)

    def _connect(self) -> None:
        selection = self.services.selection
        self.reader.changed.connect(self._fill)
        self.reader.read.connect(self._show_tree)
        self.tree.moved.connect(self._show)
        self.tree.entered.connect(self._enter)
        self.offer_menu(self.tree.view, _MENU)
        self.strip.pointed.connect(self._go_to)
        self.page.coverage.pointed.connect(self._go_to)
        self.page.losses.pointed.connect(selection.open)
        self.page.turned.connect(self._tell)
        self.page.record.edited.connect(self._note_edit)
        self._edits.restored.connect(self._show)
        self._edits.ended.connect(self._end_edit)
        self.review.changed.connect(self._tell)
        self.review.made.connect(lambda page: self.act_from_now(*self.review.actions_of_page(page)))
        self.follow_selection()
        self._edits.restore()
        self.reader.refresh()

    def _fill(self) -> None:
        """Show the list that was read, and where its summaries lie."""
        listed = self.reader.list
        stretches = coverage_of_messages(listed.facts)
        self.strip.show_coverage(listed.facts, stretches)
        self.page.coverage.show_coverage(listed.facts, stretches)
        self.count_note.setText(self._count_text())
        is_empty = not listed.by_id
        self.empty.tell(
            tr("No summaries"),
            tr(
                "A summary stands for older messages, so that they need less room. Summarise now shows them first."
            ),
        )
        self._stack.setCurrentIndex(int(is_empty))
        self._show_tree()
        if self._awaited is not None:
            self._go_to(self._awaited)
        if not is_empty and self.tree.row is None and self._awaited is None:
            self.tree.select_first()
        self._show()

    def _count_text(self) -> str:
        listed = self.reader.list
        text = tr_count("{count} summary", "{count} summaries", len(listed.present))
        text += covered_text(listed.facts)
        warned = sum(any(each.warning not in NOTES for each in found) for found in listed.findings.values())
        if warned:
            text += " · " + tr_count("{count} with a warning", "{count} with warnings", warned)
        if listed.unreadable:
            text += " · " + tr_count("{count} unreadable", "{count} unreadable", listed.unreadable)
        return text if listed.by_id or listed.unreadable else ""

    def _show_tree(self) -> None:
        self.reader.keep_edited(frozenset(edit.target.id for edit in self._edits.edits))
        self.tree.show_rows(self.services.workspace.now())

    @property
    def _summary(self) -> Summary | None:
        path = self.tree.path
        return self.reader.list.by_id.get(path[-1]) if path else None

    def _show(self) -> None:
        """Show the summary of the current row, with an unsaved edit of it."""
        summary, record = self._summary, self.page.record
        self._shown = summary
        self.page.show_summary(summary)
        self.strip.select(self._ranges(summary))
        if summary is None:
            record.show_parts("", "", ())
            self._tell()
            return
        edit = self._edits.get(summary.id)
        base = self._edits.base(summary.id, summary)
        is_other = record.shown_key != summary.id
        texts = texts_of(with_edit(base, edit)) if edit is not None else None
        record.show_parts(title_of(base), self._note(summary), parts_of(base), texts, key=summary.id)
        if is_other or edit is not None:
            record.set_editing(edit is not None)
        findings = self.reader.list.findings.get(summary.id, ())
        record.tell("\n".join(sentence(each) for each in findings))
        self._tell()
        row = self.tree.row
        if self.tree.view.hasFocus() and row is not None and row.ref is not None:
            self.services.selection.select(row.ref)

    def _note(self, summary: Summary) -> str:
        count, source = self.reader.list.counts.get(summary.id), self.reader.list.source_tokens(summary)
        sizes = tokens(count) if count is not None else ""
        if count is not None and source:
            sizes = tr("{source} → {count}", source=number(source), count=tokens(count))
        messages = tr_count("{count} message", "{count} messages", summary.message_count)
        depth = tr("depth {depth}", depth=summary.depth)
        when = moment(summary.created_at, self.services.workspace.now())
        deleted = tr("deleted") if summary.is_deleted else ""
        return " · ".join(each for each in (deleted, depth, messages, sizes, when) if each)

    def _ranges(self, summary: Summary | None) -> tuple[tuple[int, int], ...]:
        facts = self.reader.list.facts
        if summary is None or facts is None:
            return ()
        found = facts.coverage.by_summary.get(summary.id, ())
        return tuple((each.first, each.last) for each in found)

    def _enter(self, row: SummaryRow) -> None:
        if row.kind is SummaryRowKind.SUMMARY:
            self.page.go_to(TEXT)
            page = self.page.record.page
            if page is not None:
                page.editor.setFocus()
        elif row.kind is SummaryRowKind.REPEATED:
            self._go_to(row.summary_id)
        elif row.ref is not None:
            self.services.selection.open(row.ref)

    def reveal(self, ref: Ref | None, *, opened: bool = False) -> None:
        if ref is not None and ref.kind is RefKind.SUMMARY:
            self._awaited = ref.id
            if self.reader.is_read:
                self._go_to(ref.id)

    def _go_to(self, summary_id: str) -> None:
        shown = self._shown
        is_there = shown is not None and shown.id == summary_id
        if is_there or self.tree.reveal(summary_id, self.services.workspace.now()):
            self._awaited = None

    def _tell(self) -> None:
        """Say and enable what is so now."""
        summary, editing = self._shown, self.page.record.is_editing
        writable = not self.not_writable()
        away = summary is not None and summary.is_deleted
        for each, is_shown in (
            (self._again_button, not editing and not away),
            (self._edit_button, not editing and not away),
            (self._restore_button, away),
            (self._delete_button, not editing and not away),
            (self._discard_button, editing),
            (self._save_button, editing),
        ):
            each.setVisible(is_shown)
            each.setEnabled(writable)
        is_unsaved, refusal = summary is not None and self._edits.get(summary.id) is not None, self._refusal()
        self._save_button.setEnabled(
            writable and is_unsaved and not refusal and not self.review.why_not_saved()
        )
        safe_tooltip(self._save_button, refusal)
        self.review.tell(summary if editing else None, refusal)
        self.now_button.setEnabled(not self._not_summarised())
        self.set_heading(tr("Summaries"), marked=bool(self._edits.edits))
        if self.isVisible():
            self.services.actions.refresh()

    def _not_summarised(self) -> str:
        return self.not_writable() or ("" if self.services.workspace.file.agent else tr("no agent is shown"))

    def _not_shown(self) -> str:
        return "" if self._shown else tr("no summary is selected")

    def _not_changeable(self) -> str:
        if self._shown is None or self.not_writable():
            return self._not_shown() or self.not_writable()
        return tr("the summary is deleted") if self._shown.is_deleted else ""

    def _not_deleted(self) -> str:
        if self._shown is None or self.not_writable():
            return self._not_shown() or self.not_writable()
        return "" if self._shown.is_deleted else tr("the summary isn't deleted")

    def _not_savable(self) -> str:
        return self._not_editing() or self._refusal() or self.review.why_not_saved()

    def _refusal(self) -> str:
        """Why the edit of the summary that is shown can't be saved as it is."""
        summary = self._shown
        if summary is None or not summary.is_deleted or self._edits.get(summary.id) is None:
            return ""
        return tr("This summary is deleted. Restore it to save your edit, or discard the edit.")

    def _not_editing(self) -> str:
        return "" if self.page.record.is_editing else tr("no summary is being edited")

    def _summarise(self) -> None:
        offer_summaries(self.window(), self.services, None)

    def _again(self) -> None:
        if self._shown is not None:
            offer_again(self.window(), self.services, self._shown)

    def _find(self) -> None:
        self.page.go_to(TEXT)
        page = self.page.record.page
        if page is not None:
            page.ask()

    def _edit(self) -> None:
        if self._shown is None or self._not_changeable():
            return
        self.page.go_to(TEXT)
        self._edits.begin(self._shown.id, self._shown)
        self.page.record.set_editing(True)
        page = self.page.record.page
        if page is not None:
            page.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self._tell()

    def _note_edit(self) -> None:
        summary = self._shown
        if summary is None:
            return
        self._edits.begin(summary.id, summary)
        base = self._edits.base(summary.id, summary)
        self._edits.put(Edit(Ref(RefKind.SUMMARY, summary.id), edit_of(base, self.page.record.texts)))
        self._tell()

    def _save(self) -> None:
        if self.review.is_open:
            self.review.save("")
            return
        edit = self._edits.get(self._shown.id) if self._shown is not None else None
        if edit is None:
            self._discard()
            return
        reading = self._stored(edit.target.id)
        if reading is not None:
            self._edits.save(edit, reading)

    def _discard(self) -> None:
        if self._shown is not None:
            self._edits.drop(self._shown.id)

    def _end_edit(self, summary_id: str) -> None:
        if self._shown is not None and self._shown.id == summary_id:
            self.page.record.set_editing(False)
            self.tree.view.setFocus()
        self.reader.refresh()

    def _stored(self, summary_id: str) -> Coroutine[Any, Any, Summary | None] | None:
        session = self.services.workspace.live.session
        return None if session is None else session.engine.summaries.store.get(summary_id)

    def _delete(self) -> None:
        self._change(DeleteRow())

    def _restore(self) -> None:
        self._change(RestoreRow())

    def _change(self, operation: Operation) -> None:
        if self._shown is not None:
            self.services.workspace.apply([Edit(Ref(RefKind.SUMMARY, self._shown.id), operation)])
