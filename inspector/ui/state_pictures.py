"""Brings about, in a copy of a file, what its window only shows while somebody works, and has pictures taken."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import EditMessage
from inspector.domain.errors import InspectorError
from inspector.domain.exchange import ExportFormat, ExportOptions
from inspector.domain.messages import TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.session import SessionFactory
from inspector.ui.block_states import BlockStates, Picture
from inspector.ui.driven_window import comes, file_shown, settle
from inspector.ui.widgets.drafts_dialog import DraftsDialog
from inspector.ui.widgets.import_preview import ImportPreview
from inspector.ui.widgets.model_picker import ModelPicker
from inspector.ui.window_setup import WindowContents


class StatePictures:
    """Works in a window with a file open, on a copy of it in a folder. The copy is what is open afterwards.

    What the file has nothing for, such as a block that two agents see, is left out.
    """

    def __init__(
        self, contents: WindowContents, opener: SessionFactory, folder: Path, picture: Picture
    ) -> None:
        self._contents = contents
        self._opener = opener
        self._folder = folder
        self._picture = picture

    async def draw(self, block: Ref | None) -> None:
        """Draw every state; those of a text in `block`, where that is one."""
        copy = await self._open_copy()
        await self._choices()
        if self._contents.workspace.file.read_only is not None:
            return
        other = await Engine.open(copy, self._opener.surroundings)
        try:
            await self._work(BlockStates(self._contents, other, self._picture), block)
        finally:
            await other.close()

    async def _open_copy(self) -> Path:
        workspace = self._contents.workspace
        session = workspace.live.session
        if session is None:
            raise LookupError("no file is open")
        copy = self._folder / session.engine.path.name
        await session.engine.save_copy(copy)
        workspace.show(await self._opener.open(copy))
        await file_shown(self._contents, copy)
        return copy

    async def _choices(self) -> None:
        """What is chosen from, and what is selected: nothing of it writes."""
        contents, agent = self._contents, self._contents.workspace.file.agent
        if agent is None:
            return
        contents.window.top_bar.model.click()
        picker = QApplication.activePopupWidget()
        if isinstance(picker, ModelPicker):
            await self._picture(picker, "model-picker")
            picker.hide()
        await self._select_message()
        await self._import(agent.id)

    async def _select_message(self) -> None:
        message = self._message()
        if message is None:
            return
        self._contents.services.selection.select(message)
        self._contents.window.go_to_panel("detail")
        await self._picture(self._contents.window.dock("detail"), "detail-message")

    async def _import(self, agent_id: str) -> None:
        """The preview of an agent's file, which is exported for it."""
        contents, path = self._contents, self._folder / "agent.af"
        session = contents.workspace.live.session
        if session is None:
            return
        try:
            await session.engine.exchange.export(path, ExportOptions(ExportFormat.LETTA, agent_id=agent_id))
        except InspectorError:
            # An agent that can't be read whole.
            return
        contents.files.import_(path)
        if await comes(lambda: self._preview() is not None) and (preview := self._preview()) is not None:
            await self._picture(preview, "import")
            preview.reject()

    def _preview(self) -> ImportPreview | None:
        found = self._contents.window.findChildren(ImportPreview)
        return next((each for each in found if each.isVisible()), None)

    async def _work(self, states: BlockStates, block: Ref | None) -> None:
        contents = self._contents
        texts = states.texts
        text = block if block in texts else next(iter(texts), None)
        if text is not None:
            await states.draft(text)
        await states.effects(text)
        await self._draft_message()
        await self._drafts()
        if text is not None:
            await states.notice(text)
            if await states.conflict(text):
                await self._refused()
                if await states.settle_conflict(text):
                    await self._picture(contents.window, "main-undo")
                    await self._undo()
        await states.conflict_of_fields()
        await states.losses()
        if text is not None:
            await states.redaction(text)
        if contents.services.actions.run("drafts.discard_all"):
            await self._picture(contents.window, "main-discarded")

    async def _undo(self) -> None:
        """What was just saved is undone: a passing notice offers the way back, and Changes has it as undone."""
        window, workspace = self._contents.window, self._contents.workspace
        notice = window.toast.notice
        workspace.undo()
        if await comes(lambda: window.toast.notice not in (None, notice)):
            window.go_to_panel("changes")
            await self._picture(window, "main-undone")
        window.toast.dismiss()

    async def _draft_message(self) -> None:
        """Leave a draft of a message, besides those of blocks."""
        workspace, ref = self._contents.workspace, self._message()
        session = workspace.live.session
        if session is None or ref is None or ref.kind is not RefKind.MESSAGE:
            return
        message = await session.engine.conversation.message(ref.id)
        if message is not None and all(isinstance(each, TextPart) for each in message.content):
            workspace.records.put(Edit(ref, EditMessage((*message.content, TextPart("Checked again.")))))

    async def _drafts(self) -> None:
        """The list of drafts, where there is one."""
        dialog = await self._list()
        if dialog is not None:
            await self._picture(dialog, "drafts")
            dialog.reject()

    async def _refused(self) -> None:
        """The list after a save that a conflict is against."""
        dialog = await self._list()
        if dialog is None:
            return
        dialog.save_checked()
        if await comes(lambda: dialog.has_refusals):
            await self._picture(dialog, "drafts-refused")
        dialog.reject()

    async def _list(self) -> DraftsDialog | None:
        drafts = self._contents.drafts
        if not self._contents.services.actions.run("drafts.save_all") or drafts.dialog is None:
            return None
        await settle(self._contents)
        return drafts.dialog

    def _message(self) -> Ref | None:
        """The newest message that is in the Request."""
        request = self._contents.workspace.file.request
        refs = [
            piece.source.ref
            for section in (request.sections if request else ())
            for piece in section.pieces
            if piece.source.ref is not None and piece.source.ref.kind is RefKind.MESSAGE
        ]
        return refs[-1] if refs else None
