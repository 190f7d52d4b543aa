"""The notices above a block's editor: deleted, read-only, and what became of its draft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject

from inspector.domain.consent import ConsentRequest, ConsentState
from inspector.domain.content import TextContent
from inspector.domain.edits.base import UnreadJson
from inspector.domain.edits.block_rows import RestoreBlock, SetCharLimit
from inspector.domain.errors import RefusedError, Severity
from inspector.domain.limit_violations import OVER_LIMIT
from inspector.domain.snapshot import BlockState
from inspector.ui.edit_session import EditSession
from inspector.ui.editors.raw_json import raw_text
from inspector.ui.exact_text import copy_text
from inspector.ui.failures import failure_of
from inspector.ui.file_state import UnsavedEdit
from inspector.ui.presentation.limits import limit_needed, round_limit
from inspector.ui.widgets.banner import Banners, Notice, failure_notice
from inspector.ui.wording import number, tr, tr_code, tr_error
from inspector.ui.workspace import Workspace

_UNLOCK, _MET, _REFUSED, _DISCARDED = "unlock", "met", "refused", "discarded"
_UNFIT, _ANSWER, _PARTNER = "unfit", "answer", "partner"
_EXCESS = "excess"
_LOCKED = "refused.locked"
_CLOSED = "refused.consent_closed"
_REDACTED = "refused.redacted_version"


class BlockNotices(QObject):
    """Keeps a tab's banners true. `unlock` saves with a person's word that the block may be written."""

    def __init__(
        self,
        banners: Banners,
        workspace: Workspace,
        session: EditSession,
        block_id: str,
        unlock: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._banners = banners
        self._workspace = workspace
        self._session = session
        self._id = block_id
        self._unlock = unlock
        self._reviewing = False
        self._earlier = workspace.file.refusals.get(block_id)
        session.met.connect(self._tell_met)
        session.refused.connect(self._tell_refused)
        session.discarded.connect(self._offer_back)

    def tell(self, state: BlockState, *, drafted: bool, reviewing: bool = False) -> None:
        """Say what is so now; `drafted`, whether there is unsaved work, `reviewing`, whether it is compared."""
        read_only = self._workspace.file.read_only
        if not state.block.is_active:
            restore = () if read_only else ((tr("Restore"), self._restore),)
            text = tr("This block is deleted. Agents don't see it.")
            remark = tr("Your draft is kept. Restore the block to save it, or discard it.") if drafted else ""
            self._put(Notice("deleted", text, remark, choices=restore, closable=False))
        else:
            self._banners.close_notice("deleted")
        self._tell_partner(state)
        self._tell_excess(state)
        self._tell_unfit()
        self._tell_answer()
        # Each speaks of a draft that is there, or of none.
        for key in (_DISCARDED,) if drafted else (_MET, _UNLOCK, _REFUSED):
            self._banners.close_notice(key)
        if reviewing:
            self._banners.close_notice(_MET)
        elif self._reviewing and drafted and self._session.is_stale:
            self._tell_met(state)
        self._reviewing = reviewing
        earlier, self._earlier = self._earlier, None
        if earlier is not None and drafted:
            # It was refused after the tab in which it was asked for had been closed.
            self._tell_refused(earlier)

    def _tell_partner(self, state: BlockState) -> None:
        """Say whose block it is where that is somebody else."""
        file = self._workspace.file
        if not state.block.is_active or not file.is_for_partner(state.block):
            self._banners.close_notice(_PARTNER)
            return
        partner = file.partner
        text = tr("Only the file's partner can edit this block, and the file names nobody as partner.")
        remark = ""
        if partner is not None:
            text = tr("Only {name}, the file's partner, can edit this block.", name=partner.name)
            remark = tr(
                "If that is you, set ID to {id} in Settings, Identity, and open the file again.",
                id=partner.id,
            )
        self._put(Notice(_PARTNER, text, remark, "info", closable=False))

    def _tell_excess(self, state: BlockState) -> None:
        """Say that the block holds more than it may, and offer the limit that would do."""
        problem = state.problem if state.block.is_active else None
        # A refused save says as much, and more.
        is_said = any(each.key == _REFUSED for each in self._banners.notices)
        if problem is None or problem.severity is Severity.ERROR or is_said:
            self._banners.close_notice(_EXCESS)
            return
        length = problem.parameters.get("length")
        choices: tuple[tuple[str, Callable[[], None]], ...] = ()
        if problem.code == OVER_LIMIT and isinstance(length, int) and self._workspace.file.read_only is None:
            raised = round_limit(length)
            edit = partial(self._workspace.edit, self._id, SetCharLimit(raised))
            choices = ((tr("Raise limit to {limit}", limit=number(raised)), edit),)
        text = tr_code(problem.code, problem.parameters)
        self._put(Notice(_EXCESS, text, tone="warning", choices=choices, closable=False))

    def _tell_unfit(self) -> None:
        """Say that a draft doesn't fit, as somebody has changed the kind of this block or its schema."""
        draft, misfit = self._workspace.file.drafts.get(self._id), self._session.misfit
        is_unfit = self._workspace.file.is_draft_unfit(self._id)
        if draft is None or (misfit is None and not is_unfit):
            self._banners.close_notice(_UNFIT)
            return
        choices = ((tr("Copy draft"), partial(_copy, draft)),)
        text = tr("The kind of this block was changed while you were editing. Your draft doesn't fit it.")
        remark = tr("Your draft is kept. Copy it to use it elsewhere, or discard it.")
        if misfit is not None and not is_unfit:
            text = tr(
                "The schema of this block was changed while you were editing. Your draft doesn't fit it."
            )
            remark = f"{tr_error(misfit)} {remark}"
            self._banners.close_notice(_MET)
        self._put(Notice(_UNFIT, text, remark, "warning", choices=choices, closable=False))

    def _tell_answer(self) -> None:
        """Say that the draft is an agent's wish, and that a save allows it."""
        if self._workspace.answers.of(self._id) is None:
            self._banners.close_notice(_ANSWER)
            return
        closed = self._workspace.answers.closed(self._id)
        if closed is not None:
            self._tell_closed(closed)
            return
        choices = ((tr("Save as my own edit instead"), partial(self._workspace.answers.forget, self._id)),)
        text = tr("This draft is what an agent asks to write. Saving it allows the request with your edits.")
        remark = tr("The request waits until you save. Discard the draft to leave it as it was.")
        self._put(Notice(_ANSWER, text, remark, "info", choices=choices, closable=False))

    def _tell_closed(self, request: ConsentRequest) -> None:
        """Say that the request was answered elsewhere, and let a person say what becomes of the draft."""
        who = request.answerer.name if request.answerer else tr("Someone else")
        remark = tr("Your draft is kept. Save it as your own edit, or discard it.")
        if request.state is ConsentState.GRANTED:
            text = tr("{name} allowed this request while you were editing.", name=who)
            remark = tr(
                "The agent's edit is already in the block. Keep your draft to change it, or discard it."
            )
        elif request.state is ConsentState.DENIED:
            text = tr("{name} denied this request while you were editing.", name=who)
        else:
            text = tr("This request timed out while you were editing.")
        choices = (
            (tr("Keep as my own edit"), partial(self._workspace.answers.forget, self._id)),
            (tr("Discard draft"), self._session.discard),
        )
        self._put(Notice(_ANSWER, text, remark, "warning", choices=choices, closable=False))

    def begin_saving(self) -> None:
        """What came of the last try is out of date."""
        self._banners.close_notice(_UNLOCK)
        self._banners.close_notice(_REFUSED)

    def _put(self, notice: Notice) -> None:
        """Show a notice, unless it is there with the same words."""
        there = (each for each in self._banners.notices if each.key == notice.key)
        if next(((each.text, each.remark) for each in there), None) != (notice.text, notice.remark):
            self._banners.show_notice(notice)

    def _tell_refused(self, error: RefusedError) -> None:
        if error.code == _LOCKED:
            self._ask_unlock()
            return
        if error.code == _CLOSED:
            # What became of the request is read, and said with what can be done.
            return
        if error.code == _REDACTED:
            self._tell_redacted(error)
            return
        raised = limit_needed(error.refusal)
        if raised is not None:
            self._offer_limit(error, raised)
            return
        failure = failure_of(error, doing=tr("Saving {label}", label=self._workspace.file.label(self._id)))
        self._banners.show_notice(replace(failure_notice(failure), key=_REFUSED))

    def _tell_redacted(self, error: RefusedError) -> None:
        """Say that a draft can't be merged any more. It isn't laid over the block: it may hold what was redacted."""
        draft = self._workspace.file.drafts.get(self._id)
        if draft is None:
            return
        text = tr(
            "Can't save {label}: {name} redacted the version that your draft began with.",
            label=self._workspace.file.label(self._id),
            name=str(error.parameters["by"]),
        )
        remark = tr(
            "Your draft is kept. Copy it, discard it and write your changes again. Leave out what was redacted."
        )
        choices = (
            (tr("Copy draft"), partial(_copy, draft)),
            (tr("Discard draft"), self._session.discard),
        )
        self._banners.show_notice(Notice(_REFUSED, text, remark, "warning", choices=choices))

    def _offer_limit(self, error: RefusedError, raised: int) -> None:
        failure = failure_of(error, doing="")
        figures = {name: number(int(str(error.parameters[name]))) for name in ("length", "limit")}
        text = tr(
            "Can't save {label}: {length} characters, limit {limit}.",
            label=self._workspace.file.label(self._id),
            **figures,
        )
        remark = f"{failure.meaning} {failure.advice}"
        choice = tr("Raise limit to {limit}", limit=number(raised))
        choices = ((choice, lambda: self._raise_limit(raised)),)
        self._banners.close_notice(_EXCESS)
        self._banners.show_notice(Notice(_REFUSED, text, remark, "warning", choices=choices))

    def _raise_limit(self, char_limit: int) -> None:
        self.begin_saving()
        self._session.raise_limit(char_limit)

    def _ask_unlock(self) -> None:
        text = tr("{label} is read-only for its agent.", label=self._workspace.file.label(self._id))
        remark = tr("Save your edit anyway?")
        choices = ((tr("Unlock and save"), self._unlock),)
        self._banners.show_notice(Notice(_UNLOCK, text, remark, "warning", choices=choices))

    def _offer_back(self, draft: UnsavedEdit) -> None:
        self.offer_back(draft, None)

    def offer_back(self, draft: UnsavedEdit | None, unread: UnreadJson | None) -> None:
        """Offer to take up again what was discarded: a draft, JSON that can't be read, or both."""

        def bring_back() -> None:
            if draft is not None:
                self._session.bring_back(draft)
            if unread is not None and self._workspace.unread.get(self._id) is None:
                self._workspace.unread.put(unread)

        choices = ((tr("Restore draft"), bring_back),)
        self._banners.show_notice(Notice(_DISCARDED, tr("Draft discarded."), choices=choices))

    def _tell_met(self, state: BlockState) -> None:
        if self._reviewing or self._session.misfit is not None:
            return
        writer = state.written.actor if state.written else None
        text = tr(
            "{name} changed this block while you were editing.",
            name=writer.name if writer else tr("Someone else"),
        )
        if writer is not None and writer == self._workspace.file.actor:
            text = tr("You changed this block elsewhere while you were editing it here.")
        if self._session.is_stale:
            choices = ((tr("Review"), self._session.review),)
            if self._session.is_in_conflict:
                remark = tr("You both changed the same place. Review it before you save.")
                self._put(Notice(_MET, text, remark, "warning", choices=choices))
            else:
                self._put(Notice(_MET, text, tr("Saving merges both."), "info", choices=choices))
        else:
            # Fields and rows are merged as they come.
            self._put(Notice(_MET, text, tr("Both versions are merged here."), "info"))

    def _restore(self) -> None:
        self._workspace.edit(self._id, RestoreBlock())


def _copy(draft: UnsavedEdit) -> None:
    content = draft.content
    text = content.text if isinstance(content, TextContent) else raw_text(content)
    copy_text(text)
