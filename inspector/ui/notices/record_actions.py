"""Undo and redo of what is typed in the text of a message, a summary or an archival entry."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from inspector.ui.actions import Action
from inspector.ui.editors.record_page import RecordPage
from inspector.ui.wording import tr


def typing_actions(page: RecordPage, scope: QWidget, not_edited: Callable[[], str]) -> tuple[Action, Action]:
    """The two actions of a page; with nothing typed, their keys undo and redo changes of the file."""

    def no_undo() -> str:
        steps = page.page.editor.steps if page.page is not None else None
        return not_edited() or ("" if steps is not None and steps.can_undo else tr("no edit to undo"))

    def no_redo() -> str:
        steps = page.page.editor.steps if page.page is not None else None
        return not_edited() or ("" if steps is not None and steps.can_redo else tr("no edit to redo"))

    def is_unsaved() -> bool:
        return page.is_dirty

    return (
        Action(
            "edit.undo",
            tr("Undo typing"),
            page.undo_step,
            "Ctrl+Z",
            "undo",
            no_undo,
            scope=scope,
            instead="change.undo",
            is_unsaved=is_unsaved,
        ),
        Action(
            "edit.redo",
            tr("Redo typing"),
            page.redo_step,
            "Ctrl+Shift+Z",
            "redo",
            no_redo,
            scope=scope,
            also=("Ctrl+Y",),
            instead="change.redo",
            is_unsaved=is_unsaved,
        ),
    )
