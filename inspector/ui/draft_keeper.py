"""Keeps every unsaved edit of the open file on disk, and knows which editors hold one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Receipt, UnreadJson
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.session import FileSession
from inspector.ui.bridge import Bridge, is_gone
from inspector.ui.file_state import LiveFile, UnsavedEdit, What, without
from inspector.ui.wording import tr


@dataclass(frozen=True, slots=True)
class UnreadOf:
    """The JSON of a block that can't be read yet, as what is kept."""

    block: Ref


Kept: TypeAlias = str | Ref | UnreadOf
"""What is kept: the unsaved edit of a block by its id, that of a record by its Ref, or unread JSON."""


class DraftKeeper:
    """Writes unsaved edits down, one write at a time for each target and always the newest state last."""

    def __init__(self, bridge: Bridge, live: LiveFile) -> None:
        self._bridge = bridge
        self._live = live
        self._stale: set[Kept] = set()
        self._writing: dict[Kept, asyncio.Task[None]] = {}

    def note(self, target: Kept) -> None:
        """What is kept of a target has changed or is gone."""
        session = self._live.session
        if session is None:
            return
        self._stale.add(target)
        if target not in self._writing:
            task = self._bridge.spawn(self._write(session, target), name=tr("Keeping a draft"))
            if task is not None:
                self._writing[target] = task

    @property
    def is_settled(self) -> bool:
        """Whether everything that was noted is on disk."""
        return not self._stale and not self._writing

    async def settle(self) -> None:
        """Wait until everything is written."""
        while self._writing:
            await asyncio.gather(*self._writing.values(), return_exceptions=True)
            # One that was cancelled before it began has not taken itself out.
            self._writing = {id_: task for id_, task in self._writing.items() if not task.done()}

    async def _write(self, session: FileSession, target: Kept) -> None:
        try:
            while target in self._stale:
                self._stale.discard(target)
                if isinstance(target, UnreadOf):
                    await self._write_unread(session, target.block)
                    continue
                edit = self._edit(target)
                if edit is not None:
                    await session.engine.drafts.keep(edit)
                elif isinstance(target, Ref):
                    await session.engine.drafts.drop(target)
                else:
                    await session.drop_draft(target)
        finally:
            self._writing.pop(target, None)

    async def _write_unread(self, session: FileSession, block: Ref) -> None:
        unread = self._live.state.unread_json.get(block.id)
        if unread is None:
            await session.engine.drafts.drop_unread(block)
        else:
            await session.engine.drafts.keep_unread(unread)

    def _edit(self, target: str | Ref) -> Edit | None:
        if isinstance(target, Ref):
            state = self._live.state
            return state.records.get(target) or state.settings_drafts.get(target) or state.answers.get(target)
        draft = self._live.state.drafts.get(target)
        return None if draft is None else draft.edit


class RecordDrafts:
    """The unsaved edits of messages, archival entries and other records, in the state of the open file.

    `rebuild` lets the figures follow those that the Request shows: layouts and messages. `bases` holds each record
    as it was when its edit began, for as long as the file is open: a closed tab does not forget it.
    """

    def __init__(self, live: LiveFile, keeper: DraftKeeper, rebuild: Callable[[], None]) -> None:
        self._live = live
        self._keeper = keeper
        self._rebuild = rebuild
        self.bases: dict[Ref, Any] = {}
        live.changed.connect(self._follow)

    def put(self, edit: Edit) -> None:
        """Keep the edit that a save would make."""
        ref, records = edit.target.whole, self._live.state.records
        what = What.NOTHING if ref in records else What.DRAFTS
        self._live.put(replace(self._live.state, records={**records, ref: edit}), what)
        self._note(ref)

    def drop(self, ref: Ref) -> None:
        """Forget an edit: it was saved or is not wanted."""
        self.bases.pop(ref.whole, None)
        records = self._live.state.records
        if ref.whole in records:
            rest = {each: edit for each, edit in records.items() if each != ref.whole}
            restored = self._live.state.restored_records - {ref.whole}
            self._live.put(replace(self._live.state, records=rest, restored_records=restored), What.DRAFTS)
            self._note(ref.whole)

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            self.bases.clear()

    def _note(self, ref: Ref) -> None:
        self._keeper.note(ref)
        if ref.kind in (RefKind.LAYOUT, RefKind.MESSAGE):
            self._rebuild()

    def drop_saved(self, edit: Edit | None) -> None:
        """Forget an edit that was saved, unless there is another one by now."""
        if edit is not None and self._live.state.records.get(edit.target.whole) == edit:
            self.drop(edit.target)


class UnreadDrafts:
    """What is typed as JSON and can't be read yet, in the state of the open file."""

    def __init__(self, live: LiveFile, keeper: DraftKeeper) -> None:
        self._live = live
        self._keeper = keeper

    def get(self, block_id: str) -> UnreadJson | None:
        """What is typed of a block, None while all of it can be read."""
        return self._live.state.unread_json.get(block_id)

    def put(self, unread: UnreadJson) -> None:
        """Keep what is typed of a block."""
        block_id, there = unread.ref.id, self._live.state.unread_json
        if there.get(block_id) != unread:
            what = What.NOTHING if block_id in there else What.DRAFTS
            self._put({**there, block_id: unread}, block_id, what)

    def drop(self, block_id: str) -> None:
        """Forget it: it can be read by now, or isn't wanted."""
        there = self._live.state.unread_json
        if block_id in there:
            self._put(without(there, block_id), block_id, What.DRAFTS)

    def _put(self, unread: Mapping[str, UnreadJson], block_id: str, what: What) -> None:
        restored = self._live.state.restored_unread & unread.keys()
        self._live.put(replace(self._live.state, unread_json=unread, restored_unread=restored), what)
        self._keeper.note(UnreadOf(Ref(RefKind.BLOCK, block_id)))


class OpenEdit(Protocol):
    """The unsaved edit of a block in its editor, as whoever saves several at once uses it."""

    def hand_over(self) -> Edit | None:
        """The edit to save, which nobody else saves meanwhile; None where that cannot begin now."""

    def take_receipt(self, receipt: Receipt) -> None:
        """Take in that it was saved."""

    def take_error(self, error: BaseException) -> bool:
        """It was not saved: everything is as before."""

    def discard(self, *, quiet: bool = False) -> None:
        """Go back to the stored content; `quiet` where somebody else says so."""

    def bring_back(self, draft: UnsavedEdit) -> None:
        """Take up again what was discarded."""


class OpenEdits:
    """The editors that are open, by block."""

    def __init__(self) -> None:
        self._open: dict[str, OpenEdit] = {}

    def add(self, block_id: str, editor: OpenEdit) -> None:
        """Know an editor; it takes the place of an earlier one of that block."""
        self._open[block_id] = editor

    def get(self, block_id: str) -> OpenEdit | None:
        """The editor of a block, None where none is open any more."""
        editor = self._open.get(block_id)
        if editor is not None and is_gone(editor.discard):
            del self._open[block_id]
            return None
        return editor
