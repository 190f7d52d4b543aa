"""A dialog above the window that acts on the open file."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QWidget


class DialogOfFile(QDialog):
    """It is about the file that was open when it came, and would act on any other: it goes with that file."""


def close_dialogs_of_file(window: QWidget) -> None:
    """Close what is about the file that a window has shown so far."""
    for dialog in window.findChildren(DialogOfFile):
        dialog.reject()
