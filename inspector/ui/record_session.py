"""Unsaved edits of messages or archival entries: kept as drafts, and saved unless somebody else wrote meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Generic, TypeAlias, TypeVar

from PySide6.QtCore import QObject, Signal

from inspector.domain.blocks import ArchivalEntry
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.messages import Message
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import Summary
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import What
from inspector.ui.presentation.record_merge import RecordMerge, rebased
from inspector.ui.presentation.unsaved import on_saved, said_version
from inspector.ui.wording import tr
from inspector.ui.workspace import Workspace

Kept = TypeVar("Kept")
Record = TypeVar("Record", bound=Message | ArchivalEntry | Summary)
Merge: TypeAlias = Callable[[Record | None, Record, Edit], RecordMerge[Record]]
"""Merges an edit, of the record as it was when the edit began if that is known, with the record as it is stored."""


class UnsavedRecords(QObject, Generic[Kept]):
    """The unsaved edits of one kind of record by id, each with the record as it was when it began.

    The base version of such an edit is what the record said then. `restored` tells that there are others, and `ended`
    carries the id of one that was saved or discarded.
    """

    restored = Signal()
    ended = Signal(str)

    def __init__(
        self, bridge: Bridge, workspace: Workspace, kind: RefKind, said: Callable[[Kept], object]
    ) -> None:
        """`said` gives what a record says: where that is another, somebody wrote."""
        super().__init__()
        self._bridge = bridge
        self._workspace = workspace
        self._kind = kind
        self._said = said
        self._bases: dict[Ref, Kept] = workspace.records.bases
        self._listed = self._ids()
        workspace.changed.connect(self._follow)

    @property
    def edits(self) -> tuple[Edit, ...]:
        records = self._workspace.file.records
        return tuple(edit for ref, edit in records.items() if ref.kind is self._kind)

    def get(self, id_: str) -> Edit | None:
        return self._workspace.file.records.get(Ref(self._kind, id_))

    def base(self, id_: str, present: Kept) -> Kept:
        """The record as it was when its edit began, else as it is."""
        return self._bases.get(Ref(self._kind, id_), present)

    def began_with(self, id_: str) -> Kept | None:
        """The record as it was when its edit began, None where an earlier run of the program kept that edit."""
        kept, base = self.get(id_), self._bases.get(Ref(self._kind, id_))
        if kept is None or base is None or said_version(self._said(base)) != kept.base:
            return None
        return base

    def begin(self, id_: str, present: Kept) -> None:
        self._bases.setdefault(Ref(self._kind, id_), present)

    def put(self, edit: Edit) -> None:
        """Keep the edit that a save would make, with the version that it began with; on disk at once."""
        id_ = edit.target.id
        kept, began = self.get(id_), self._bases.get(edit.target.whole)
        version = None if began is None else said_version(self._said(began))
        self._listed |= {id_}
        self._workspace.records.put(replace(edit, base=version if kept is None else kept.base))

    def rebase(self, id_: str, present: Kept) -> None:
        """Count an edit from the record as it is by now: nothing that somebody else wrote is in its way."""
        kept = self.get(id_)
        if kept is not None:
            self._bases[kept.target.whole] = present
            version = said_version(self._said(present))
            if version != kept.base:
                self._workspace.records.put(replace(kept, base=version))

    def drop(self, id_: str) -> None:
        """Forget an edit: it was saved or is not wanted."""
        self._listed -= {id_}
        self._workspace.records.drop(Ref(self._kind, id_))
        self.ended.emit(id_)

    def is_stale(self, id_: str, present: Kept) -> bool:
        """Whether somebody else wrote since the unsaved edit of a record began."""
        kept = self.get(id_)
        return kept is not None and kept.base not in (None, said_version(self._said(present)))

    def restore(self) -> None:
        """Tell of what this program or an ended one has kept."""
        if self._listed:
            self.restored.emit()

    def _ids(self) -> frozenset[str]:
        return frozenset(edit.target.id for edit in self.edits)

    def _follow(self, what: What) -> None:
        """Tell of edits that were saved, discarded or brought back elsewhere."""
        if not what & What.DRAFTS or what & What.FILE:
            return
        before, self._listed = self._listed, self._ids()
        for id_ in before - self._listed:
            self._bases.pop(Ref(self._kind, id_), None)
            self.ended.emit(id_)
        if self._listed - before:
            self.restored.emit()


class RecordSession(UnsavedRecords[Record]):
    """The unsaved edits of messages, archival entries or summaries, and how they are saved.

    Where somebody else wrote meanwhile, nothing is saved before `merged` carries the id of an edit in which both are,
    or `compared` that of one about which a person decides, with its merge.
    """

    merged = Signal(str)
    compared = Signal(str, object)

    def __init__(
        self,
        bridge: Bridge,
        workspace: Workspace,
        kind: RefKind,
        said: Callable[[Record], object],
        merge: Merge[Record],
    ) -> None:
        super().__init__(bridge, workspace, kind, said)
        self._merge = merge

    def save(self, edit: Edit, reading: Coroutine[Any, Any, Record | None]) -> None:
        """Apply an edit; where what is stored says something else than when it began, both are merged first."""
        id_, begun = edit.target.id, self.get(edit.target.id)

        def saved(_: object) -> None:
            kept = self.get(id_)
            if kept is None or begun is None or kept.operation == begun.operation:
                self.drop(id_)
            else:
                # Typed in meanwhile: it begins with what was saved.
                self._bases.pop(kept.target.whole, None)
                self._workspace.records.put(on_saved(kept))

        def read(found: RecordMerge[Record] | None) -> None:
            if found is None:
                self._workspace.apply([replace(edit, base=None)], on_done=saved)
            elif found.quiet is None:
                self.compared.emit(id_, found)
            elif self.resolve(id_, found, found.quiet):
                self.merged.emit(id_)

        self._bridge.spawn(self._compared(id_, reading), name=tr("Saving"), on_done=read)

    def compare(self, id_: str, reading: Coroutine[Any, Any, Record | None]) -> None:
        """Show an unsaved edit beside what somebody else wrote since it began, and save nothing."""

        def read(found: RecordMerge[Record] | None) -> None:
            if found is not None:
                self.compared.emit(id_, found)

        self._bridge.spawn(self._compared(id_, reading), name=tr("Comparing both versions"), on_done=read)

    def resolve(self, id_: str, found: RecordMerge[Record], operation: Operation) -> bool:
        """Make a merged operation the unsaved edit, on the record that it was merged with; False if it is gone."""
        kept = self.get(id_)
        if kept is None:
            return False
        self._bases[kept.target.whole] = found.stored
        self._workspace.records.put(rebased(kept, found, operation))
        self.restored.emit()
        return True

    async def _compared(
        self, id_: str, reading: Coroutine[Any, Any, Record | None]
    ) -> RecordMerge[Record] | None:
        """The merge of an edit with what is stored, None where nobody else wrote."""
        stored, kept = await reading, self.get(id_)
        if stored is None or kept is None or not self.is_stale(id_, stored):
            return None
        return await asyncio.to_thread(self._merge, self.began_with(id_), stored, kept)
