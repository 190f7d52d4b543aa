"""Actions on the selected block: open, copy, pin, rename, delete, restore, and create."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QTimer

from inspector.domain.edits.base import Edit, Operation, Receipt
from inspector.domain.edits.block_rows import (
    CreateBlock,
    DeleteBlock,
    RestoreBlock,
    SetDescription,
    SetLabel,
    SetPinned,
)
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.ui.actions import Action
from inspector.ui.block_settings.new_block import ask_new_block
from inspector.ui.file_state import What
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.card import has_pieces, pieces_of
from inspector.ui.presentation.labels import label_fault
from inspector.ui.presentation.request_output import RequestOutput
from inspector.ui.presentation.what_if import is_prompt
from inspector.ui.widgets.prompt import FormDialog, FormField
from inspector.ui.wording import tr

_SOON_MILLISECONDS = 50
_TABS = {
    RefKind.MESSAGE: "messages",
    RefKind.BATCH: "messages",
    RefKind.ARCHIVAL: "archival",
    RefKind.SUMMARY: "summaries",
    RefKind.EVENT: "activity",
    RefKind.QUEUE: "queue",
    RefKind.WAKEUP: "queue",
    RefKind.CONSENT: "consent",
    RefKind.GRANT: "consent",
}
"""The tabs that show things of a kind."""


class BlockCommands:
    """Registers the actions on what is selected."""

    def __init__(self, services: PanelServices, window: MainWindow) -> None:
        self._services = services
        self._window = window
        self._made: Ref | None = None
        active, pinned, loose, gone = self._not_active, self._not_pinned, self._not_loose, self._not_deleted
        selection = services.selection
        services.actions.add(
            Action("selection.open", tr("Go to source"), self._open, "Ctrl+Return", "open", self._not_opened),
            Action(
                "selection.copy_text",
                tr("Copy as sent"),
                self._copy,
                None,
                "copy",
                self._not_in,
            ),
            Action("selection.back", tr("Back"), selection.go_back, "Alt+Left", "back", self._no_past),
            Action(
                "selection.forward",
                tr("Forward"),
                selection.go_forward,
                "Alt+Right",
                "forward",
                self._no_future,
            ),
            Action(
                "block.new", tr("New block …"), self._ask_new, "Ctrl+Shift+N", "add", self._no_place_for_new
            ),
            Action("block.rename", tr("Rename block …"), self._ask_rename, "F2", "rename", active),
            Action("block.describe", tr("Describe block …"), self._ask_description, None, "block", active),
            Action("block.pin", tr("Pin"), lambda: self._do(SetPinned(True)), None, "pin", loose),
            Action("block.unpin", tr("Unpin"), lambda: self._do(SetPinned(False)), None, "unpin", pinned),
            Action(
                "block.delete", tr("Delete block"), lambda: self._do(DeleteBlock()), None, "delete", active
            ),
            Action(
                "block.restore", tr("Restore block"), lambda: self._do(RestoreBlock()), None, "restore", gone
            ),
            Action(
                "agent.show",
                tr("Show this agent's Request"),
                self._show_agent,
                None,
                "request",
                self._not_other,
            ),
            Action("request.rebuild", tr("Rebuild"), self._rebuild, "F5", "refresh", self._no_agent),
        )
        selection.changed.connect(lambda _: services.actions.refresh())
        window.centre.shown.connect(lambda _: services.actions.refresh())
        services.workspace.changed.connect(self._follow)
        self._soon = QTimer(window, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(services.actions.refresh)

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            self._made = None
        elif what & What.BLOCKS:
            self._open_made()
        if what & (What.FILE | What.AGENT | What.BLOCKS | What.DRAFTS):
            self._services.actions.refresh()
        elif what & What.REQUEST and not self._soon.isActive():
            # There is another with every key, and to ask all actions takes a third of a frame.
            self._soon.start()

    def _state(self) -> BlockState | None:
        ref = self._services.selection.ref
        return self._services.workspace.file.blocks.get(ref.id) if ref and ref.kind is RefKind.BLOCK else None

    def _not_opened(self) -> str:
        """What has no view of its own is shown in the Request, if it is in it."""
        ref, request = self._services.selection.ref, self._services.workspace.file.request
        if ref is None:
            return tr("nothing is selected")
        if ref.kind is RefKind.BLOCK or ref.part in _TABS.values():
            return ""
        if ref.kind in _TABS:
            is_in_front = self._window.centre.current_key == (_TABS[ref.kind], None)
            return tr("it is shown in the tab in front") if is_in_front else ""
        if ref.kind in (RefKind.AGENT, RefKind.TOOL) or (ref.kind is RefKind.LITERAL and is_prompt(ref)):
            return ""
        whole = ref.kind is RefKind.SECTION and ref.part is None
        if not whole and not has_pieces(ref, request):
            return tr("it has no page of its own")
        in_front = self._window.centre.current_key == ("request", None)
        return tr("it is shown in the Request") if in_front else ""

    def _no_past(self) -> str:
        return "" if self._services.selection.can_go_back else tr("this is the first selection")

    def _no_future(self) -> str:
        return "" if self._services.selection.can_go_forward else tr("this is the latest selection")

    def _not_in(self) -> str:
        ref = self._services.selection.ref
        found = ref is not None and has_pieces(ref, self._services.workspace.file.request)
        return "" if found else tr("it is not in the Request")

    def _not_writable(self) -> str:
        workspace = self._services.workspace
        if workspace.file.path is None:
            return tr("no file is open")
        return tr("the file is read-only") if workspace.file.read_only else ""

    def _no_agent(self) -> str:
        return "" if self._services.workspace.file.agent else tr("no agent is shown")

    def _no_place_for_new(self) -> str:
        return self._not_writable() or self._no_agent()

    def _not_other(self) -> str:
        ref, shown = self._services.selection.ref, self._services.workspace.file.agent
        if ref is None or ref.kind is not RefKind.AGENT:
            return tr("no agent is selected")
        return tr("it is already shown") if shown and shown.id == ref.id else ""

    def _not_active(self) -> str:
        state = self._state()
        if state is None:
            return tr("no block is selected")
        return self._not_writable() if state.block.is_active else tr("the block is deleted")

    def _not_deleted(self) -> str:
        state = self._state()
        if state is None:
            return tr("no block is selected")
        return tr("the block is not deleted") if state.block.is_active else self._not_writable()

    def _not_pinned(self) -> str:
        state = self._state()
        return self._not_active() or ("" if state and state.block.pinned else tr("the block is not pinned"))

    def _not_loose(self) -> str:
        state = self._state()
        return self._not_active() or (
            tr("the block is already pinned") if state and state.block.pinned else ""
        )

    def _open(self) -> None:
        ref = self._services.selection.ref
        if ref is not None:
            self._services.selection.open(ref)

    def _copy(self) -> None:
        ref = self._services.selection.ref
        if ref is not None:
            pieces = pieces_of(ref, self._services.workspace.file.request)
            output = RequestOutput(self._services.bridge, self._services.workspace.live)
            output.copy_text("".join(piece.text for piece in pieces))

    def _rebuild(self) -> None:
        self._services.workspace.rebuild()

    def _show_agent(self) -> None:
        ref = self._services.selection.ref
        if ref is not None:
            self._services.workspace.show_agent(ref.id)

    def _do(self, operation: Operation) -> None:
        ref = self._services.selection.ref
        if ref is not None:
            self._services.workspace.edit(ref.id, operation)

    def _ask_rename(self) -> None:
        state = self._state()
        if state is not None:
            blocks = self._services.workspace.file.blocks.values()
            fault = label_fault(blocks, state.block.owner, state.block.id)
            field = FormField("label", tr("Label"), state.block.label, required=True, fault=fault)
            self._ask(
                tr("Rename block"),
                (field,),
                tr("Rename"),
                lambda answers: self._services.workspace.edit(state.block.id, SetLabel(answers["label"])),
            )

    def _ask_description(self) -> None:
        state = self._state()
        if state is not None:
            field = FormField("text", tr("Description"), state.block.description)
            self._ask(
                tr("Describe block"),
                (field,),
                tr("Save"),
                lambda answers: self._services.workspace.edit(
                    state.block.id, SetDescription(answers["text"])
                ),
            )

    def _ask_new(self) -> None:
        workspace = self._services.workspace
        agent = workspace.file.agent
        if agent is not None:
            ask_new_block(self._window, agent, workspace.file.blocks, self._make)

    def _make(self, operation: CreateBlock) -> None:
        def made(receipts: Sequence[Receipt]) -> None:
            self._made = receipts[0].ref
            self._open_made()

        self._services.workspace.apply([Edit(Ref(RefKind.BLOCK, ""), operation)], on_done=made)

    def _open_made(self) -> None:
        """Open the block that was made, once it has been read: its editor gets the keyboard."""
        made = self._made
        if made is not None and made.id in self._services.workspace.file.blocks:
            self._made = None
            self._services.selection.open(made)

    def _ask(
        self,
        title: str,
        fields: tuple[FormField, ...],
        do: str,
        answered: Callable[[Mapping[str, str]], None],
    ) -> None:
        FormDialog(self._window, title, fields, do, answered).show()
