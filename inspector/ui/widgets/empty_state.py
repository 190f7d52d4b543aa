"""What an empty panel shows: what belongs there, and the action that fills it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange


class EmptyState(QWidget):
    """A sentence in the middle, a remark under it, and buttons."""

    def __init__(self, text: str, remark: str = "", *buttons: QWidget) -> None:
        super().__init__()
        self._text = PlainLabel(_sentence(text), strong=True, wrap=True)
        self._remark = PlainLabel(_sentence(remark), tone="muted", wrap=True)
        for label in (self._text, self._remark):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout = QVBoxLayout(self)
        arrange(layout, None, self._text, self._remark, margins=16, spacing=8)
        for each in buttons:
            layout.addWidget(each, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(2)

    def tell(self, text: str, remark: str = "") -> None:
        """Change what it says."""
        self._text.setText(_sentence(text))
        self._remark.setText(_sentence(remark))


def _sentence(text: str) -> str:
    # A name in it may have a hundred lines, and the window would have to be as high.
    return " ".join(text.splitlines())
