"""The review of a message or archival entry that somebody else changed too, in place of its text."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Generic

from inspector.ui.editors.record_page import RecordPage
from inspector.ui.notices.review import TabReview
from inspector.ui.panel import Panel
from inspector.ui.presentation.record_merge import RecordMerge
from inspector.ui.record_session import Record, RecordSession
from inspector.ui.widgets.controls import button
from inspector.ui.wording import tr


class RecordReview(TabReview, Generic[Record]):
    """Covers a page's text while it is open, and closes when another record is shown.

    `read` reads the stored record by its id, `save` saves what is shown.
    """

    def __init__(
        self,
        panel: Panel,
        session: RecordSession[Record],
        page: RecordPage,
        read: Callable[[str], Coroutine[Any, Any, Record | None] | None],
        save: Callable[[], None],
    ) -> None:
        super().__init__(panel.services, panel)
        self._session = session
        self._record_page = page
        self._read = read
        self._save = save
        self._found: RecordMerge[Record] | None = None
        self._is_met = False
        self._noted = "", ""
        self.button = button(tr("Review"), self.compare)
        page.add_buttons(self.button)
        session.compared.connect(self._show)
        session.merged.connect(self._save_merged)
        session.ended.connect(self._follow)
        page.moved.connect(self.close)
        self.changed.connect(self._cover)

    def tell(self, present: Record | None, fault: str = "") -> None:
        """Say above the text that somebody else changed what is edited, and why it can't be saved as it is."""
        self._is_met = (
            present is not None
            and not present.is_deleted
            and not self.is_open
            and self._session.is_stale(present.id, present)
        )
        self.button.setVisible(self._is_met)
        merges = tr(
            "Someone else changed this while you were editing. Saving merges both versions where they don't conflict."
        )
        noted = self._record_page.shown_key, " ".join(filter(None, (merges if self._is_met else "", fault)))
        # What others say there stays while there is nothing to say here.
        if noted[1] or noted != self._noted:
            self._record_page.tell(noted[1])
        self._noted = noted

    def take_decision(self) -> None:
        if self._found is not None:
            operation = self._found.finish(self.page.content)
            self._session.resolve(self._found.stored.id, self._found, operation)

    def save_decision(self, reason: str) -> None:
        """Save what is shown; a message or archival entry is saved without a reason."""
        self._save()

    def compare(self) -> None:
        id_ = self._record_page.shown_key
        reading = self._read(id_)
        if reading is not None:
            self._session.compare(id_, reading)

    def why_not_compared(self) -> str:
        return "" if self._is_met else tr("nobody else changed this")

    def _show(self, id_: str, found: RecordMerge[Record]) -> None:
        if id_ == self._record_page.shown_key:
            self._found = found
            self.open_with(found.sides, tr("Someone else"))

    def _save_merged(self, id_: str) -> None:
        if id_ == self._record_page.shown_key:
            self._save()

    def _follow(self, id_: str) -> None:
        if id_ == self._record_page.shown_key:
            self.close()

    def _cover(self) -> None:
        self._record_page.cover(self.page if self.is_open else None)
