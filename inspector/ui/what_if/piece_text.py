"""Another text for one piece of the Request, tried while it is typed; what is stored stays as it is."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from inspector.domain.ref import Ref
from inspector.ui.editors.text_page import TextPage
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.what_if import name_in
from inspector.ui.presentation.what_if_edits import SourceText, source_text
from inspector.ui.safe_text import PlainLabel, window_title
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.widgets.dialog_of_file import DialogOfFile
from inspector.ui.wording import tr

_WIDTH, _HEIGHT, _SHARE = 88, 24, 0.92
_READ_FOR = What.WRITTEN | What.AGENTS | What.BLOCKS | What.DRAFTS | What.SETTINGS


class PieceText(DialogOfFile):
    """The editor above the window, which goes on working.

    It closes when another agent or file is shown, and when its text isn't tried any more: it was applied or discarded.
    """

    def __init__(self, parent: QWidget, services: PanelServices, ref: Ref, source: SourceText) -> None:
        super().__init__(parent)
        self._services, self._ref, self._source = services, ref, source
        self._version = source.version
        self._is_tried = ref in services.workspace.file.what_if.edited
        self._agent_id = services.workspace.file.agent_id
        name = name_in(services.workspace.file, ref)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("What if {name} said …", name=name)))
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self.page = TextPage(services.appearance, services.icons)
        self.editor = self.page.editor
        self.editor.setAccessibleName(tr("Text of {name} in the what-if", name=name))
        self.editor.load(source.text)
        self.editor.edited.connect(self._try)
        self.reset = button(tr("Reset text"), self._reset)
        self.finish = button(tr("Close"), self.accept, role="primary")
        row, space = QHBoxLayout(), services.appearance.space
        note = PlainLabel(tr("Only the what-if changes. Nothing is saved."), tone="muted", wrap=True)
        arrange(row, note, self.reset, self.finish, spacing=space(2))
        row.setStretch(0, 1)
        row.setContentsMargins(space(4), space(3), space(4), space(3))
        arrange(QVBoxLayout(self), self.page, row)
        services.workspace.changed.connect(self._follow)
        self.editor.setFocus()

    def _try(self) -> None:
        workspace = self._services.workspace
        if workspace.file.agent_id == self._agent_id:
            what_if = workspace.file.what_if
            workspace.try_out(what_if.with_text(self._ref, self.editor.text, self._version))
            self._is_tried = True

    def _reset(self) -> None:
        """Try the stored text again, and show it."""
        workspace = self._services.workspace
        self._version, self._is_tried = self._source.stored_version, False
        self.editor.load(self._source.stored)
        workspace.try_out(workspace.file.what_if.without_text(self._ref))

    def _follow(self, what: What) -> None:
        file = self._services.workspace.file
        is_over = self._is_tried and self._ref not in file.what_if.edited
        if file.agent_id != self._agent_id or is_over:
            self.close()
        elif what & _READ_FOR:
            self._read()

    def _read(self) -> None:
        """Read what is stored by now, which Reset goes back to."""
        session = self._services.workspace.live.session

        def take(found: SourceText | None) -> None:
            if found is not None and isValid(self):
                self._source = found

        if session is not None:
            work = source_text(session, self._services.workspace.file, self._ref)
            key = ("what-if text", self)
            self._services.bridge.supersede(key, work, name=tr("Reading the text"), on_done=take)
