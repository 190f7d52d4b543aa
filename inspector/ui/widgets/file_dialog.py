"""The window's file dialog, which opens no file to find its icon or kind.

Qt's own icon provider reads files whose suffix it does not know. Closing a file drops every POSIX lock that this
process holds on it, so listing the folder of an open constellation would let another process write in the middle
of a write of ours; and a pipe would stop the window. Dialogs of the platform may read in this process too, so on
systems with such locks Qt's own is used.
"""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QEvent, QFileInfo, QObject, Qt
from PySide6.QtGui import QAbstractFileIconProvider, QIcon, QValidator
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QFileIconProvider,
    QLineEdit,
    QWidget,
)

from inspector.ui.safe_text import window_title
from inspector.ui.wording import tr

_PLATFORM_READS_HERE = os.name == "posix" and sys.platform != "darwin"
_Kind = QAbstractFileIconProvider.IconType


class KindsByName(QFileIconProvider):
    """Icons and kinds by what the folder says alone: a folder or a file."""

    def icon(self, of: QFileInfo | _Kind) -> QIcon:
        if isinstance(of, QFileInfo):
            of = _Kind.Folder if of.isDir() else _Kind.File
        return super().icon(of)

    def type(self, of: QFileInfo) -> str:
        return tr("Folder") if of.isDir() else tr("File")


class _WithoutNull(QValidator):
    """Takes the one character out of a pasted name that no system can have in a path, and Qt warns of."""

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        return QValidator.State.Acceptable, text.replace("\0", ""), at - text[:at].count("\0")


class FileDialog(QFileDialog):
    """A file dialog that reads nothing, takes no name for markup and changes nothing in the folder."""

    def __init__(self, parent: QWidget, title: str, folder: str, filters: str) -> None:
        super().__init__(parent, window_title(title), folder, filters)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # Its own questions before it deletes or renames would take a file's name for markup.
        self.setOption(QFileDialog.Option.ReadOnly)
        if _PLATFORM_READS_HERE:
            self.setOption(QFileDialog.Option.DontUseNativeDialog)
            self._kinds = KindsByName()
            self.setIconProvider(self._kinds)
            self._without_tool_tips()
            for field in self.findChildren(QLineEdit):
                field.setValidator(_WithoutNull(field))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show no tool tips of Qt's own: paths would be taken for markup there."""
        if event.type() == QEvent.Type.ToolTip:
            return True
        return super().eventFilter(watched, event)

    def _without_tool_tips(self) -> None:
        views = [
            *self.findChildren(QAbstractItemView),
            *(each.view() for each in self.findChildren(QComboBox)),
        ]
        for view in views:
            view.viewport().installEventFilter(self)
