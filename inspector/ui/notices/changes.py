"""The notice after every change that is written from the window, with its undo."""

from __future__ import annotations

from PySide6.QtCore import QObject

from inspector.domain.errors import RefusedError
from inspector.domain.ref import RefKind
from inspector.ui.file_state import SavedChange, TurnedStep, What
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.changes import saved_text, turned_text
from inspector.ui.widgets.banner import Notice
from inspector.ui.widgets.toast import Toast
from inspector.ui.wording import tr, tr_error

_KEY = "change"


class ChangeNotices(QObject):
    """Says what was saved, undone or redone, and offers the way back."""

    def __init__(self, services: PanelServices, toast: Toast, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._workspace = services.workspace
        self._toast = toast
        self._unsaved: set[object] = set()
        services.workspace.changed.connect(self._follow)
        services.bridge.noticed.connect(self._note)

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            self._toast.dismiss()
        if what & (What.FILE | What.DRAFTS | What.SETTINGS):
            unsaved: set[object] = {*self._workspace.file.drafts, *self._workspace.file.records}
            if unsaved - self._unsaved:
                # What was saved before is no news to whoever types on, and would lie over what they need now.
                self._toast.dismiss()
            self._unsaved = unsaved
        saved = self._workspace.file.saved
        if what & What.SAVED and saved is not None:
            self._toast.show_notice(self._notice(saved))

    def _note(self, sentence: str) -> None:
        self._toast.show_notice(Notice(_KEY, sentence, tone="ok"))

    def _notice(self, saved: SavedChange | TurnedStep | RefusedError) -> Notice:
        workspace = self._workspace
        if isinstance(saved, RefusedError):
            return Notice(_KEY, tr_error(saved), tr("Nothing was changed."), "warning")
        if isinstance(saved, SavedChange):
            undo = ((tr("Undo"), lambda: workspace.undo(saved.seq, saved.author)),) if saved.seq else ()
            return Notice(_KEY, saved_text(saved, workspace.file), tone="ok", choices=undo)
        self._select(saved)
        seq = saved.result.step.seq
        back = (
            (tr("Undo"), lambda: workspace.undo(seq))
            if saved.redone
            else (tr("Redo"), lambda: workspace.redo(seq))
        )
        return Notice(_KEY, turned_text(saved, workspace.file), tone="ok", choices=(back,))

    def _select(self, turned: TurnedStep) -> None:
        """Show what was undone, so that it is seen."""
        ref = turned.result.step.ref.whole
        if ref.kind is RefKind.BLOCK:
            self._services.selection.select(ref)
