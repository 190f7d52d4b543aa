"""Unsaved edits of messages or archival entries: kept as drafts, and saved unless somebody else wrote meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from inspector.domain.edits.base import Edit
from inspector.domain.ref import Ref, RefKind
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import What
from inspector.ui.presentation.unsaved import said_version
from inspector.ui.wording import tr
from inspector.ui.workspace import Workspace

Record = TypeVar("Record")


class RecordSession(QObject, Generic[Record]):
    """The unsaved edits of one kind of record by id, each with the record as it was when it began.

    The base version of such an edit is what the record said then. `restored` tells that there are others, `ended`
    carries the id of one that was saved or discarded and `conflicted` that of one which is not saved before it is
    asked for again, as somebody else wrote meanwhile.
    """

    restored = Signal()
    ended = Signal(str)
    conflicted = Signal(str)

    def __init__(
        self, bridge: Bridge, workspace: Workspace, kind: RefKind, said: Callable[[Record], object]
    ) -> None:
        """`said` gives what a record says: where that is another, somebody wrote."""
        super().__init__()
        self._bridge = bridge
        self._workspace = workspace
        self._kind = kind
        self._said = said
        self._bases: dict[str, Record] = {}
        self._listed = self._ids()
        workspace.changed.connect(self._follow)

    @property
    def edits(self) -> tuple[Edit, ...]:
        records = self._workspace.file.records
        return tuple(edit for ref, edit in records.items() if ref.kind is self._kind)

    def get(self, id_: str) -> Edit | None:
        return self._workspace.file.records.get(Ref(self._kind, id_))

    def base(self, id_: str, present: Record) -> Record:
        """The record as it was when its edit began, else as it is."""
        return self._bases.get(id_, present)

    def begin(self, id_: str, present: Record) -> None:
        self._bases.setdefault(id_, present)

    def put(self, edit: Edit) -> None:
        """Keep the edit that a save would make, with the version that it began with; on disk at once."""
        id_ = edit.target.id
        kept, began = self.get(id_), self._bases.get(id_)
        version = None if began is None else said_version(self._said(began))
        self._listed |= {id_}
        self._workspace.records.put(replace(edit, base=version if kept is None else kept.base))

    def drop(self, id_: str) -> None:
        """Forget an edit: it was saved or is not wanted."""
        self._bases.pop(id_, None)
        self._listed -= {id_}
        self._workspace.records.drop(Ref(self._kind, id_))
        self.ended.emit(id_)

    def save(self, edit: Edit, reading: Coroutine[Any, Any, Record | None]) -> None:
        """Apply an edit, unless what is stored says something else than when the edit began."""

        def read(stored: Record | None) -> None:
            id_ = edit.target.id
            kept = self.get(id_)
            version = None if stored is None else said_version(self._said(stored))
            if stored is not None and kept is not None and kept.base not in (None, version):
                self._bases[id_] = stored
                self._workspace.records.put(replace(kept, base=version))
                self.conflicted.emit(id_)
                return
            self._workspace.apply([replace(edit, base=None)], on_done=lambda _: self.drop(id_))

        self._bridge.spawn(reading, name=tr("Saving"), on_done=read)

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
            self._bases.pop(id_, None)
            self.ended.emit(id_)
        if self._listed - before:
            self.restored.emit()
