"""Unsaved edits of messages or archival entries: kept as drafts, and saved unless somebody else wrote meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from inspector.domain.edits.base import Draft, Edit
from inspector.domain.ref import RefKind
from inspector.ui.bridge import Bridge
from inspector.ui.wording import tr
from inspector.ui.workspace import Workspace

Record = TypeVar("Record")


class RecordSession(QObject, Generic[Record]):
    """The unsaved edits of one kind of record by id, each with the record as it was when it began.

    `restored` tells that earlier ones were read, `ended` carries the id of one that was saved or discarded and
    `conflicted` that of one which is not saved before it is asked for again, as somebody else wrote meanwhile.
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
        self._edits: dict[str, Edit] = {}
        self._bases: dict[str, Record] = {}

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(self._edits.values())

    def get(self, id_: str) -> Edit | None:
        return self._edits.get(id_)

    def base(self, id_: str, present: Record) -> Record:
        """The record as it was when its edit began, else as it is."""
        return self._bases.get(id_, present)

    def begin(self, id_: str, present: Record) -> None:
        self._bases.setdefault(id_, present)

    def put(self, edit: Edit) -> None:
        """Keep the edit that a save would make; on disk at once."""
        session = self._workspace.live.session
        self._edits[edit.target.id] = edit
        if session is not None:
            self._keep(edit.target.id, session.engine.drafts.keep(edit))

    def drop(self, id_: str) -> None:
        """Forget an edit: it was saved or is not wanted."""
        session, edit = self._workspace.live.session, self._edits.pop(id_, None)
        self._bases.pop(id_, None)
        if session is not None and edit is not None:
            self._keep(id_, session.engine.drafts.drop(edit.target))
        self.ended.emit(id_)

    def save(self, edit: Edit, reading: Coroutine[Any, Any, Record | None]) -> None:
        """Apply an edit, unless what is stored says something else than when the edit began."""

        def read(stored: Record | None) -> None:
            id_ = edit.target.id
            base = self._bases.get(id_)
            if stored is not None and base is not None and self._said(stored) != self._said(base):
                self._bases[id_] = stored
                self.conflicted.emit(id_)
                return
            self._workspace.apply([edit], on_done=lambda _: self.drop(id_))

        self._bridge.spawn(reading, name=tr("Saving"), on_done=read)

    def restore(self) -> None:
        """Read what this program or an ended one has kept."""
        session = self._workspace.live.session
        if session is not None:
            work = session.engine.drafts.take_over(self._kind)
            self._bridge.spawn(work, name=tr("Reading drafts"), on_done=self._take)

    def _keep(self, id_: str, work: Coroutine[Any, Any, None]) -> None:
        self._bridge.supersede(("record draft", self._kind, id_), work, name=tr("Keeping a draft"))

    def _take(self, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            self._edits.setdefault(draft.edit.target.id, draft.edit)
        if drafts:
            self.restored.emit()
