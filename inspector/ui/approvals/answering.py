"""Stores a person's answers to consent requests, and says how each is taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inspector.domain.consent import ConsentDecision, ConsentRequest
from inspector.domain.content import Content
from inspector.domain.edits.base import Edit, Receipt
from inspector.domain.edits.consent import AnswerConsent, RevokeGrant
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.session import FileSession
from inspector.ui.approvals.answer_bar import HOUR, TURN
from inspector.ui.consent_drafts import HOUR as HOUR_LENGTH
from inspector.ui.file_state import SavedChange, UnsavedEdit
from inspector.ui.panel import PanelServices
from inspector.ui.wording import tr, tr_count


class Answering:
    """Answers as one change each: what is allowed is stored in the transaction that stores the answer."""

    def __init__(self, services: PanelServices, on_done: Callable[[], None]) -> None:
        self._services = services
        self._on_done = on_done
        self._sent: set[Ref] = set()
        """What is being answered, or was: its list may not have been read again yet."""

    def is_sent(self, request: ConsentRequest) -> bool:
        """Whether a request was answered here already."""
        return _ref(request) in self._sent

    def forget(self) -> None:
        """Begin anew with another file."""
        self._sent.clear()

    def allow(self, requests: Sequence[ConsentRequest], scope: str) -> None:
        """Allow requests in a scope: all of a turn together, else the first of them."""
        decision = decision_of(scope)
        is_timed = decision is ConsentDecision.FOR_A_TIME
        until = self._services.workspace.now() + HOUR_LENGTH if is_timed else None
        operation = AnswerConsent(decision, until)
        text = tr_count("Allowed.", "Allowed {count} requests.", len(requests))
        if decision is not ConsentDecision.ONCE:
            text = tr("Allowed. Undo takes the edit back. Revoke the standing approval in its list.")
        self._apply([Edit(_ref(each), operation) for each in requests], text)

    def edit_first(self, request: ConsentRequest, content: Content, scope: str) -> None:
        """Open what is asked for as a draft in the block's editor; saving it there allows the request."""
        workspace, edit = self._services.workspace, request.edit
        block_id = edit.target.id
        if _ref(request) not in workspace.file.answers:
            workspace.answers.begin(request.id, edit, decision_of(scope))
            editor, draft = workspace.open_edits.get(block_id), UnsavedEdit(edit, content)
            if editor is None:
                workspace.set_draft(edit, content)
            else:
                editor.bring_back(draft)
        self._services.selection.open(Ref(RefKind.BLOCK, block_id))

    def say(self, request: ConsentRequest, words: str) -> None:
        """Answer in words; the edit is not made."""
        text = tr("Answered. This can't be undone: the agent may have read it.")
        self._apply([Edit(_ref(request), AnswerConsent(ConsentDecision.DENY, words=words))], text)

    def ignore(self, request: ConsentRequest) -> None:
        """Close a request without an answer; the edit is not made."""
        text = tr("Ignored. This can't be undone: the agent can ask again.")
        self._apply([Edit(_ref(request), AnswerConsent(ConsentDecision.DENY))], text)

    def revoke(self, grant_ids: Sequence[str]) -> None:
        """End standing approvals, so that the agent asks again."""
        text = tr("Revoked. The agent asks again from now on.")
        self._apply([Edit(Ref(RefKind.GRANT, each), RevokeGrant()) for each in grant_ids], text)

    def _apply(self, edits: Sequence[Edit], text: str) -> None:
        workspace, sent = self._services.workspace, {each.target for each in edits}

        def done(_: Sequence[Receipt]) -> None:
            self._announce(edits[0], text)
            self._on_done()

        def failed(_: BaseException) -> bool:
            self._sent -= sent
            self._on_done()
            return False

        self._sent |= sent
        workspace.apply(edits, text=text, on_done=done, on_error=failed)

    def _announce(self, edit: Edit, text: str) -> None:
        """Offer to take back the edit that was allowed, which is the agent's own change."""
        session = self._services.workspace.live.session
        if session is None:
            return

        def read(saved: SavedChange) -> None:
            self._services.workspace.announce(saved)

        work = _saved(session, edit, text)
        self._services.bridge.spawn(work, name=tr("Saving"), on_done=read)


async def _saved(session: FileSession, edit: Edit, text: str) -> SavedChange:
    plain = SavedChange(edit, edit.target, 0, text=text)
    if edit.target.kind is not RefKind.CONSENT:
        return plain
    request = await session.engine.consent.get(edit.target.id)
    if request.change is None:
        return plain
    author = session.engine.actor if request.is_edited else request.asked_by
    return SavedChange(edit, request.edit.target, request.change, text=text, author=author)


def decision_of(scope: str) -> ConsentDecision:
    """What allowing in a scope of the answer bar says: all of a turn are allowed once each."""
    if scope == HOUR:
        return ConsentDecision.FOR_A_TIME
    return ConsentDecision.ONCE if scope == TURN else ConsentDecision(scope)


def _ref(request: ConsentRequest) -> Ref:
    return Ref(RefKind.CONSENT, request.id)
