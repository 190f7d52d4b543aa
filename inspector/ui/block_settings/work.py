"""The unsaved settings of one block: kept as a draft, previewed while they change, and saved as one change."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from inspector.domain.blocks import Block, UnreadableSchema
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Operation, Receipt
from inspector.domain.edits.block_rows import Rename
from inspector.domain.edits.items import EditParts
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, RequestSpec
from inspector.runtime.block_preview import BlockPreview, PreviewedRequest, preview_block
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.block_changes import operations, with_operations
from inspector.ui.presentation.block_clashes import clashing, settings_of, with_theirs
from inspector.ui.record_session import UnsavedRecords
from inspector.ui.wording import tr

_PREVIEW_MILLISECONDS = 150


@dataclass(frozen=True, slots=True)
class WantedSettings:
    """A block with other settings, and what has another name in its schema than in the stored one."""

    block: Block
    renames: tuple[Rename, ...] = ()


class SettingsWork(QObject):
    """Keeps the stored settings of a block and the wanted ones together.

    `shown` tells that the wanted ones are others by no doing of whoever edits them. `changed` tells of anything that
    can be seen: other work, a preview, a save. `refused` carries the refusal of a save. `clashed` tells that a save
    waits, as somebody else changed the same settings: `clashing` names them.
    """

    shown = Signal()
    changed = Signal()
    refused = Signal(object)
    clashed = Signal()

    def __init__(self, services: PanelServices, block_id: str, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._workspace = services.workspace
        self._ref = Ref(RefKind.BLOCK, block_id)
        self._state: BlockState | None = None
        self._stored: Block | None = None
        self._wanted: WantedSettings | None = None
        self._left: Sequence[Operation] = ()
        """What an earlier session left, until the block is there."""
        self.clashing: tuple[str, ...] = ()
        self.is_saving = False
        self.preview: BlockPreview | None = None
        self._previewed: tuple[object, ...] = ()
        self._failed_preview: tuple[object, ...] = ()
        self._soon = QTimer(self, singleShot=True, interval=_PREVIEW_MILLISECONDS)
        self._soon.timeout.connect(self._ask)
        # Whoever asked is in the midst of an edit, and what is edited can't be set then.
        self._shows = QTimer(self, singleShot=True, interval=0)
        self._shows.timeout.connect(self.shown)
        self._drafts: UnsavedRecords[Block] = UnsavedRecords(
            services.bridge, services.workspace, RefKind.SETTING, settings_of
        )
        self._drafts.setParent(self)
        self._drafts.restored.connect(self._take_draft)
        self._drafts.ended.connect(self._forget_draft)
        self._drafts.restore()

    @property
    def stored(self) -> Block | None:
        return self._stored

    @property
    def wanted(self) -> WantedSettings | None:
        return self._wanted

    @property
    def is_dirty(self) -> bool:
        return bool(self._operations())

    @property
    def changes_schema(self) -> bool:
        return (
            self._stored is not None
            and self._wanted is not None
            and self._stored.schema != self._wanted.block.schema
        )

    @property
    def is_previewed(self) -> bool:
        """Whether the preview is of what is wanted now, or none can be made of it."""
        asked = self._asked()
        return asked in (self._previewed, self._failed_preview)

    def take(self, state: BlockState) -> None:
        """Follow the stored block; what is unsaved stays, on the settings that are stored now."""
        made = self._left or self._operations()
        was, self._state = self._state, state
        if state.block != self._stored or self._left:
            base = self._base(state.block)
            self._stored, self._left = state.block, ()
            self._wanted = WantedSettings(*with_operations(state.block, made))
            self._note_clashes(base)
            self.shown.emit()
        if was is None or was.version != state.version or not self.is_previewed:
            self._soon.start()
        self.changed.emit()

    def put(self, wanted: WantedSettings) -> None:
        """Want other settings: they are a draft at once. What is wanted as it was before somebody else's is theirs."""
        self._wanted = self._with_theirs(wanted)
        if self._wanted is not wanted:
            self._shows.start()
        self._drop_settled()
        self._keep()

    def _with_theirs(self, wanted: WantedSettings) -> WantedSettings:
        if self._stored is None or not self.clashing:
            return wanted
        base = self._drafts.base(self._ref.id, self._stored)
        left = [name for name in self.clashing if getattr(wanted.block, name) == getattr(base, name)]
        if not left:
            return wanted
        renames = () if "schema" in left else wanted.renames
        return WantedSettings(with_theirs(wanted.block, self._stored, left), renames)

    def settle_clash(self, *, mine: bool) -> None:
        """Go on with the wanted values where somebody else changed the same settings, or with theirs."""
        if self._stored is None or self._wanted is None:
            return
        if not mine:
            block = with_theirs(self._wanted.block, self._stored, self.clashing)
            kept = self._wanted.renames if block.schema == self._wanted.block.schema else ()
            self._wanted = WantedSettings(block, kept)
        self.clashing = ()
        self._drafts.rebase(self._ref.id, self._stored)
        self._keep()
        self.shown.emit()

    def discard(self) -> None:
        """Want the stored settings again."""
        if self._stored is not None:
            self._wanted, self.clashing = WantedSettings(self._stored), ()
            self._keep()
            self.shown.emit()

    def save(self, reason: str, *, unlock: bool = False) -> None:
        """Save all changes as one, unless somebody else has set the same meanwhile."""
        session = self._workspace.live.session
        if session is None or self.is_saving or not self.is_dirty:
            return
        if self.clashing:
            self.clashed.emit()
            return
        self.is_saving = True
        self.changed.emit()

        def write(state: BlockState | None) -> None:
            self.is_saving = False
            if session is not self._workspace.live.session:
                return
            if isValid(self) and state is not None:
                self.take(state)
                if self.clashing:
                    self.clashed.emit()
                    return
            elif state is None or state.block != self._stored:
                # The tab was closed meanwhile: what it kept stays unsaved.
                return
            self._write(reason, unlock=unlock)

        # The window may not have noticed yet what another program set.
        work = session.engine.memory.get(self._ref.id)
        self._services.bridge.spawn(work, name=tr("Saving"), on_done=write, on_error=self._refuse)

    def _write(self, reason: str, *, unlock: bool) -> None:
        wanted = self._wanted
        is_seen = self._asked() == self._previewed
        edits = [Edit(self._ref, each) for each in self._operations(accept_loss=is_seen)]
        if wanted is None or not edits:
            # Somebody else has set the same meanwhile.
            self._keep()
            return
        self.is_saving = True
        saving = self._drafts.get(self._ref.id)

        def done(_: Sequence[Receipt]) -> None:
            if not isValid(self):
                # The tab was closed meanwhile: only what it kept is left.
                self._workspace.records.drop_saved(saving)
                return
            self.is_saving = False
            self._stored = wanted.block
            if self._wanted is not None:
                self._wanted = WantedSettings(self._wanted.block)
            self._keep()
            self.shown.emit()

        text = tr("Settings of {label} saved.", label=wanted.block.label)
        self._workspace.apply(edits, reason, done, text=text, unlock=unlock, on_error=self._refuse)
        if isValid(self):
            self.changed.emit()

    def _operations(self, *, accept_loss: bool = False) -> tuple[Operation, ...]:
        if self._stored is None or self._wanted is None:
            return ()
        wanted = self._wanted
        return operations(self._stored, wanted.block, wanted.renames, accept_loss=accept_loss)

    def _keep(self) -> None:
        made = self._operations()
        if made and self._stored is not None:
            self._drafts.begin(self._ref.id, self._stored)
            self._drafts.put(Edit(Ref(RefKind.SETTING, self._ref.id), EditParts(made)))
        elif self._drafts.get(self._ref.id) is not None:
            self._drafts.drop(self._ref.id)
        self._soon.start()
        self.changed.emit()

    def _base(self, present: Block) -> Block | None:
        """The settings that the unsaved ones were made of, None where an earlier session knew them."""
        if not self._left:
            return self._drafts.base(self._ref.id, self._stored or present)
        return (
            self._drafts.began_with(self._ref.id) if self._drafts.is_stale(self._ref.id, present) else present
        )

    def _note_clashes(self, base: Block | None) -> None:
        """Remember which settings both sides changed; with none, the draft is on the stored ones from here on."""
        if self._stored is None or self._wanted is None or self.is_saving:
            return
        found = clashing(base, self._stored, self._wanted.block)
        self.clashing = tuple(dict.fromkeys((*self.clashing, *found)))
        self._drop_settled()
        if not self.clashing:
            self._drafts.rebase(self._ref.id, self._stored)

    def _drop_settled(self) -> None:
        """Settings that are wanted as they are stored are in nobody's way."""
        if self._stored is not None and self._wanted is not None:
            still = clashing(None, self._stored, self._wanted.block)
            self.clashing = tuple(each for each in self.clashing if each in still)

    def _take_draft(self) -> None:
        draft = self._drafts.get(self._ref.id)
        if draft is None or not isinstance(draft.operation, EditParts) or self.is_dirty:
            return
        self._left = draft.operation.operations
        if self._state is not None:
            self.take(self._state)

    def _forget_draft(self, id_: str) -> None:
        """Go back to what is stored where a draft was saved or discarded elsewhere, as in the list of drafts."""
        if id_ == self._ref.id and self._stored is not None and self.is_dirty and not self.is_saving:
            self._wanted, self.clashing = WantedSettings(self._stored), ()
            self._soon.start()
            self.shown.emit()
            self.changed.emit()

    def _refuse(self, error: BaseException) -> bool:
        self.is_saving = False
        self.changed.emit()
        if isinstance(error, RefusedError):
            self.refused.emit(error)
            return True
        return False

    def _asked(self) -> tuple[object, ...]:
        version = None if self._state is None else self._state.version
        return version, self._stored, self._wanted

    def _ask(self) -> None:
        """Work out what the wanted settings do, unless they are the stored ones."""
        session, wanted = self._workspace.live.session, self._wanted
        if session is None or wanted is None or isinstance(wanted.block.schema, UnreadableSchema):
            return
        if not self.is_dirty:
            self.preview, self._previewed = None, ()
            self.changed.emit()
            return
        asked = self._asked()

        def done(preview: BlockPreview) -> None:
            if isValid(self):
                self.preview, self._previewed = preview, asked
                self.changed.emit()

        def failed(_: BaseException) -> bool:
            if isValid(self):
                self.preview, self._failed_preview = None, asked
                self.changed.emit()
            return True

        work = preview_block(session.engine, wanted.block, wanted.renames, self._request())
        key = ("settings preview", self._ref.id)
        self._services.bridge.supersede(key, work, name=tr("Previewing"), on_done=done, on_error=failed)

    def _request(self) -> PreviewedRequest:
        """What is asked of the Request that is shown."""
        file = self._workspace.file
        spec = RequestSpec(now=self._workspace.now(), zone=self._services.settings.text("time.zone"))
        drafts = {block_id: draft.content for block_id, draft in file.drafts.items()}
        settings = file.settings_edits(file.agent_id)
        return PreviewedRequest(file.agent_id, file.what_if.asked(spec), drafts, settings)
