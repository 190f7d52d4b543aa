"""The actions of a block's tab on what is in front: its text, its unsaved changes, and which view is shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QWidget

from inspector.ui.actions import Action
from inspector.ui.editors.draft_editor import DraftEditor
from inspector.ui.editors.text import TextEditor
from inspector.ui.editors.text_page import TextPage
from inspector.ui.notices.block_head import BlockHead, BlockTabView
from inspector.ui.wording import tr


class TextActions:
    """Find, replace, go to a line, undo of typing and steps through unsaved changes.

    `in_front` gives the page of text that is shown, `typed_in` what undo and redo are of, and `not_editable` why
    the block can't be written. Keys of undo hold while `editing` has the keyboard: in the other views they are
    those of the file.
    """

    def __init__(
        self,
        head: BlockHead,
        page: TextPage,
        editing: QWidget,
        in_front: Callable[[], TextPage | None],
        typed_in: Callable[[], DraftEditor | TextEditor],
        not_editable: Callable[[], str],
    ) -> None:
        self._head = head
        self._page = page
        self._editing = editing
        self._in_front = in_front
        self._typed_in = typed_in
        self._not_editable = not_editable

    def undo_actions(self, is_unsaved: Callable[[], bool]) -> tuple[Action, ...]:
        """Undo and redo of typing; `is_unsaved` says whether there is a draft."""
        scope = self._editing
        return (
            Action(
                "edit.undo",
                tr("Undo typing"),
                self._undo,
                "Ctrl+Z",
                "undo",
                self._not_undone,
                scope=scope,
                instead="change.undo",
                is_unsaved=is_unsaved,
            ),
            Action(
                "edit.redo",
                tr("Redo typing"),
                self._redo,
                "Ctrl+Shift+Z",
                "redo",
                self._not_redone,
                scope=scope,
                also=("Ctrl+Y",),
                instead="change.redo",
                is_unsaved=is_unsaved,
            ),
        )

    def search_actions(self) -> tuple[Action, ...]:
        """What is looked for in the text, and steps through what is changed and not saved."""
        page, no_text, no_change = self._page, self.no_text, self._no_change
        following, before = partial(page.step_change, 1), partial(page.step_change, -1)
        return (
            Action("edit.find", tr("Find in the block"), self._find, "Ctrl+F", "search", no_text),
            Action(
                "edit.replace", tr("Replace in the block"), self._replace, "Ctrl+H", "", self._not_replaceable
            ),
            Action("edit.go_to_line", tr("Go to line …"), self._ask_line, "Ctrl+G", "", no_text),
            Action("edit.next_change", tr("Next unsaved change"), following, "F8", "", no_change, scope=page),
            Action(
                "edit.previous_change",
                tr("Previous unsaved change"),
                before,
                "Shift+F8",
                "",
                no_change,
                scope=page,
            ),
        )

    def no_text(self) -> str:
        """Why nothing can be looked for in what is in front."""
        return "" if self._in_front() is not None else tr("this view has no text to search")

    def _not_undone(self) -> str:
        return self._not_editable() or ("" if self._typed_in().steps.can_undo else tr("no edit to undo"))

    def _not_redone(self) -> str:
        return self._not_editable() or ("" if self._typed_in().steps.can_redo else tr("no edit to redo"))

    def _not_replaceable(self) -> str:
        return self._not_editable() or self.no_text()

    def _no_change(self) -> str:
        return "" if self._page.isVisible() and len(self._page.editor.changes) else tr("no unsaved changes")

    def _undo(self) -> None:
        self._typed_in().undo_step()

    def _redo(self) -> None:
        self._typed_in().redo_step()

    def _find(self) -> None:
        page = self._in_front()
        if page is not None:
            page.ask()

    def _ask_line(self) -> None:
        page = self._in_front()
        if page is not None:
            page.ask_line()

    def _replace(self) -> None:
        if self._head.views.current == BlockTabView.RENDERED:
            self._head.views.choose(BlockTabView.EDIT)
        page = self._in_front()
        if page is not None:
            page.ask(replacing=True)


def view_actions(go: Callable[[int], None]) -> tuple[Action, ...]:
    """What brings each view of a block to the front by key; `go` does it."""
    return (
        Action("edit.settings", tr("Block settings"), partial(go, BlockTabView.SETTINGS), None, "settings"),
        *(
            Action(f"edit.view_{name}", title, partial(go, view))
            for name, view, title in (
                ("editor", BlockTabView.EDIT, tr("Edit the block")),
                ("rendered", BlockTabView.RENDERED, tr("Show the block as the model gets it")),
                ("raw", BlockTabView.RAW, tr("Edit the block's content as JSON")),
                ("history", BlockTabView.HISTORY, tr("Show the block's history")),
            )
        ),
    )
