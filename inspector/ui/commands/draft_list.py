"""The list of all unsaved drafts as it is shown: read anew with every change, and below it what a draft changes."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Sequence

from PySide6.QtCore import QObject

from inspector.domain.edits.base import Version
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref
from inspector.runtime.session import FileSession
from inspector.ui.file_state import FileState
from inspector.ui.history.difference_view import DifferenceView
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.difference import ShownDifference, shown_difference
from inspector.ui.presentation.draft_rows import DraftRow, draft_texts, read_rows
from inspector.ui.presentation.unsaved import edits_of
from inspector.ui.widgets.drafts_dialog import DraftsDialog, ListedDraft
from inspector.ui.wording import ago, tr

_READING, _COMPARING = "draft rows", "draft difference"


class DraftList(QObject):
    """The dialog with the rows of the drafts that there are now."""

    def __init__(self, services: PanelServices, window: MainWindow) -> None:
        super().__init__(window)
        self._services = services
        self._workspace = services.workspace
        self.owners: dict[Ref, str] = {}
        """Whose records are listed, by the agent's id."""
        self._rows: Sequence[DraftRow] = ()
        self._compared: object = None
        self.dialog = DraftsDialog(window, services.appearance)
        names = tr("What saving the draft changes"), tr("Stored"), tr("With the draft")
        self.difference = DifferenceView(services.appearance, names)
        self.dialog.show_below(self.difference)
        self.dialog.chosen.connect(self._compare)

    def tell_ages(self) -> None:
        """Say anew how long ago each was edited; one that was being kept has its time by now."""
        if all(row.at for row in self._rows):
            self._show(self._rows)
        else:
            self.read()

    def read(self) -> None:
        """List the drafts that there are now, with what they change of what is stored now."""
        self._compared = None
        session = self._workspace.live.session
        if session is None:
            self._show(())
            return
        work = read_rows(session, self._workspace.file)
        self._services.bridge.supersede(_READING, work, name=tr("Reading drafts"), on_done=self._show)

    def _show(self, rows: Sequence[DraftRow]) -> None:
        now, self._rows = self._workspace.now(), rows
        self.owners = {row.ref: row.agent_id for row in rows}
        listed = [
            ListedDraft(
                row.ref,
                row.name,
                row.kind,
                row.agent,
                row.change,
                row.exact,
                ago(row.at, now) if row.at else tr("just now"),
            )
            for row in rows
        ]
        is_read_only = self._workspace.file.read_only is not None
        self.dialog.show_drafts(listed, tr("The file is read-only.") if is_read_only else "")
        self._compare(self.dialog.current)

    def _compare(self, key: Hashable | None) -> None:
        """Read what saving the current draft changes; where nothing can be shown, the rows have the room."""
        session, file = self._workspace.live.session, self._workspace.file
        if session is None or not isinstance(key, Ref):
            self._compared = None
            self._take(None)
            return
        compared = (session, key, edits_of(file, key), file.unread_json.get(key.id))
        if compared != self._compared:
            self._compared = compared
            work = _difference(session, file, key)
            self._services.bridge.supersede(_COMPARING, work, name=tr("Comparing"), on_done=self._take)

    def _take(self, shown: ShownDifference | None) -> None:
        self.difference.setVisible(shown is not None)
        if shown is not None:
            self.difference.show_difference(shown)


async def _difference(session: FileSession, file: FileState, ref: Ref) -> ShownDifference | None:
    try:
        before, after = await draft_texts(session, file, ref)
    except InspectorError:
        # Such as a draft whose block is of another kind by now: the row can be opened, which says so.
        return None
    if before == after:
        return None
    model = file.request.model if file.request else file.agent.model if file.agent else ""
    compared = await session.engine.history.compare_texts(Version(str(ref)), before, after, model or "")
    return await asyncio.to_thread(shown_difference, compared)
