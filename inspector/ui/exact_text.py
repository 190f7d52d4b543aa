"""Copies every character of a text between the window's clipboard and drag and drop.

Qt takes a byte-order mark at the beginning for a sign of the encoding and drops it, so the text travels a second
time as bytes under a name of our own.
"""

from __future__ import annotations

from typing import cast

import shiboken6
from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication, QTextDocument

_FORMAT = "application/x-context-inspector-text"


def carrying(text: str) -> QMimeData:
    """Make the clipboard data that carries a text exactly."""
    data = QMimeData()
    data.setText(text)
    data.setData(_FORMAT, QByteArray(text.encode("utf-8")))
    return data


def carried(data: QMimeData) -> str:
    """The text that something carries."""
    if data.hasFormat(_FORMAT):
        return bytes(data.data(_FORMAT).data()).decode("utf-8", "replace")
    return data.text()


def document_text(document: QTextDocument) -> str:
    """All text of a document, with the characters that Qt's own way of asking for it replaces."""
    return document.toRawText().replace("\u2029", "\n").replace("\u2028", "\n")


def copy_text(text: str) -> None:
    """Put a text on the clipboard."""
    QGuiApplication.clipboard().setMimeData(carrying(text))


def leave_text() -> None:
    """Leave what was copied to the clipboard for good; to be called once, at the program's end."""
    clipboard = QGuiApplication.clipboard()
    data = cast("QMimeData | None", clipboard.mimeData())
    # Without a display server Qt deletes it when the interpreter has gone already, and what was made in Python with
    # it. The end of the text's second way is no loss: this program is the only one that takes it.
    if data is not None and shiboken6.createdByPython(data):
        clipboard.setText(carried(data))
