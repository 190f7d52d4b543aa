"""Actions that undo and redo the person's changes of the file, named by what they would do."""

from __future__ import annotations

from inspector.domain.undo import UndoStep
from inspector.ui.actions import Action
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.changes import step_text
from inspector.ui.wording import tr


class ChangeCommands:
    """Registers undo and redo of the file. In an editor their keys are the editor's own."""

    def __init__(self, services: PanelServices) -> None:
        self._services = services
        workspace = services.workspace
        services.actions.add(
            Action("change.undo", tr("Undo"), workspace.undo, "Ctrl+Z", "undo", self._no_undo),
            Action(
                "change.redo",
                tr("Redo"),
                workspace.redo,
                "Ctrl+Shift+Z",
                "redo",
                self._no_redo,
                also=("Ctrl+Y",),
            ),
        )
        workspace.changed.connect(self._follow)

    def _follow(self, what: What) -> None:
        if what & (What.FILE | What.UNDO | What.BLOCKS):
            file, actions = self._services.workspace.file, self._services.actions
            for id_, word, step in (
                ("change.undo", tr("Undo"), file.next_undo),
                ("change.redo", tr("Redo"), file.next_redo),
            ):
                actions.retitle(id_, self._title(word, step))
            actions.refresh()

    def _title(self, word: str, step: UndoStep | None) -> str:
        if step is None:
            return word
        return tr("{verb}: {what}", verb=word, what=step_text(step, self._services.workspace.file))

    def _no_undo(self) -> str:
        file = self._services.workspace.file
        if file.path is None:
            return tr("no file is open")
        # What a person allowed is the agent's own change.
        return (
            "" if file.next_undo else tr("no change of yours to undo, those of agents are undone in Changes")
        )

    def _no_redo(self) -> str:
        file = self._services.workspace.file
        if file.path is None:
            return tr("no file is open")
        return "" if file.next_redo else tr("no change of yours to redo")
