"""What a block's tab says above its text: that it is deleted or read-only, and what became of unsaved work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from inspector.domain.edits.block_rows import RestoreBlock
from inspector.domain.errors import RefusedError
from inspector.domain.snapshot import BlockState
from inspector.ui.drafts import Work
from inspector.ui.failures import failure_of
from inspector.ui.text_work import TextWork
from inspector.ui.widgets.banner import Banners, Notice, failure_notice
from inspector.ui.wording import tr, tr_code
from inspector.ui.workspace import Workspace

_UNLOCK, _MET, _REFUSED, _DISCARDED = "unlock", "met", "refused", "discarded"
_LOCKED = "refused.locked"


class BlockNotices(QObject):
    """Keeps a tab's banners true. `unlock` saves with a person's word that the block may be written."""

    def __init__(
        self,
        banners: Banners,
        workspace: Workspace,
        work: TextWork,
        block_id: str,
        unlock: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._banners = banners
        self._workspace = workspace
        self._work = work
        self._id = block_id
        self._unlock = unlock
        self._earlier = workspace.refusal(block_id)
        work.met.connect(self._tell_met)
        work.refused.connect(self._tell_refused)
        work.discarded.connect(self._offer_back)

    def tell(self, state: BlockState, *, drafted: bool) -> None:
        """Say what is so now; `drafted`, whether there is unsaved work."""
        read_only = self._workspace.read_only
        if not state.block.is_active:
            restore = () if read_only else ((tr("Restore"), self._restore),)
            text = tr("This block is deleted; no agent sees it.")
            remark = tr("Your draft is kept: restore the block to save it, or discard it.") if drafted else ""
            self._put(Notice("deleted", text, remark, choices=restore, closable=False))
        else:
            self._banners.close_notice("deleted")
        if read_only is not None:
            told = tr_code(read_only.code, read_only.parameters)
            text = tr("The file is open for reading only.")
            self._put(Notice("read_only", text, told, "warning", closable=False))
        else:
            self._banners.close_notice("read_only")
        # Each speaks of a draft that is there, or of none.
        for key in (_DISCARDED,) if drafted else (_MET, _UNLOCK, _REFUSED):
            self._banners.close_notice(key)
        earlier, self._earlier = self._earlier, None
        if earlier is not None and drafted:
            # It was refused after the tab in which it was asked for had been closed.
            self._tell_refused(earlier)

    def begin_saving(self) -> None:
        """What came of the last try is out of date."""
        self._banners.close_notice(_UNLOCK)
        self._banners.close_notice(_REFUSED)

    def _put(self, notice: Notice) -> None:
        """Show a notice, unless it is there with the same words."""
        there = (each for each in self._banners.notices if each.key == notice.key)
        if next(((each.text, each.remark) for each in there), None) != (notice.text, notice.remark):
            self._banners.show_notice(notice)

    @property
    def _label(self) -> str:
        state = self._workspace.block(self._id)
        return state.block.label if state else self._id

    def _tell_refused(self, error: RefusedError) -> None:
        if error.code == _LOCKED:
            self._ask_unlock()
            return
        failure = failure_of(error, doing=tr("Saving {label}", label=self._label))
        self._banners.show_notice(replace(failure_notice(failure), key=_REFUSED))

    def _ask_unlock(self) -> None:
        text = tr("{label} is read-only for its agent.", label=self._label)
        remark = tr("Unlock to edit as human?")
        choices = ((tr("Unlock and save"), self._unlock),)
        self._banners.show_notice(Notice(_UNLOCK, text, remark, "warning", choices=choices))

    def _offer_back(self, work: Work) -> None:
        choices = ((tr("Bring it back"), lambda: self._work.bring_back(work)),)
        self._banners.show_notice(Notice(_DISCARDED, tr("Your draft was discarded."), choices=choices))

    def _tell_met(self, state: BlockState) -> None:
        name = state.written.actor.name if state.written else tr("Somebody else")
        text = tr("{name} wrote meanwhile; saving merges both.", name=name)
        self._put(Notice(_MET, text, tr("Your draft stays as it is."), "info"))

    def _restore(self) -> None:
        self._workspace.edit(self._id, RestoreBlock())
