"""Drafts of blocks that answer an agent's request: which there are, kept as long as they, and how they are saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from inspector.domain.changes import Change
from inspector.domain.consent import ConsentRequest
from inspector.domain.edits.base import Edit, Intent, Receipt
from inspector.domain.edits.consent import AnswerConsent, ConsentDecision, ConsentState
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.session import FileSession
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import LiveFile, What
from inspector.ui.wording import tr

HOUR = timedelta(hours=1)
_CLOSED = "refused.consent_closed"


class ConsentDrafts:
    """Knows of which unsaved edits a save is the answer to a request, as the state of the open file has them.

    `note` writes down that the answer of a `Ref` is another or gone. A request that is answered elsewhere meanwhile
    stays with its draft, as closed, until a person says what becomes of that.
    """

    def __init__(self, bridge: Bridge, live: LiveFile, note: Callable[[Ref], None]) -> None:
        self._bridge = bridge
        self._live = live
        self._note = note
        self._sent: set[Ref] = set()
        """Answers that are being saved from here."""
        self._aside: dict[str, Edit] = {}
        """Answers whose draft is gone but may come back, by block."""
        bridge.changed.connect(self._follow)

    def of(self, block_id: str) -> Edit | None:
        """The answer that a save of a block's draft gives, with the edit that was asked for; None for a plain draft."""
        answers = self._live.state.answers.values()
        return next((each for each in answers if block_of(each) == block_id), None)

    def closed(self, block_id: str) -> ConsentRequest | None:
        """The request of a block's draft as it was answered elsewhere, None while the draft can answer it."""
        answer = self.of(block_id)
        return None if answer is None else self._live.state.closed_answers.get(answer.target)

    def begin(self, request_id: str, asked: Edit, decision: ConsentDecision) -> None:
        """Let the save of a block's draft, which begins with what was asked for, allow a request."""
        self._put(Edit(Ref(RefKind.CONSENT, request_id), AnswerConsent(decision, edited=asked)))

    def as_answer(self, edit: Edit) -> Edit:
        """What stores an edit of a block and answers its request with it; the edit itself where it is no answer."""
        answer = self.of(edit.target.id) if edit.target.kind is RefKind.BLOCK else None
        if answer is None or not isinstance(answer.operation, AnswerConsent):
            return edit
        self._sent.add(answer.target)
        operation, session = answer.operation, self._live.session
        is_timed = operation.decision is ConsentDecision.FOR_A_TIME and session is not None
        until = session.engine.surroundings.clock() + HOUR if is_timed and session is not None else None
        return replace(answer, operation=replace(operation, edited=edit, until=until))

    def set_aside(self, block_id: str) -> None:
        """The draft of a block is gone: with it its answer, until the draft is brought back."""
        answer = self.of(block_id)
        self._aside.pop(block_id, None)
        if answer is not None:
            self._aside[block_id] = answer
            self._drop(answer.target)

    def take_up(self, block_id: str) -> None:
        """The draft of a block that was discarded is there again: it answers what it answered before."""
        answer = self._aside.pop(block_id, None)
        if answer is not None and self.of(block_id) is None:
            self._put(answer)
            self._check(answer.target)

    def forget(self, block_id: str) -> None:
        """The draft of a block answers nothing any more: it was saved, or is to be an edit like every other."""
        self._aside.pop(block_id, None)
        answer = self.of(block_id)
        if answer is not None:
            self._drop(answer.target)

    def note_refused(self, block_id: str, error: BaseException) -> bool:
        """Note that a save failed; says whether the reason is that somebody else has answered meanwhile."""
        answer = self.of(block_id)
        if answer is None:
            return False
        self._sent.discard(answer.target)
        is_closed = isinstance(error, RefusedError) and error.code == _CLOSED
        if is_closed:
            self._check(answer.target)
        return is_closed

    def begin_file(self, kept: Sequence[Edit]) -> None:
        """Another file is open: let go of what was kept for drafts that aren't there any more."""
        self._aside.clear()
        self._sent.clear()
        for ref in self._live.state.answers:
            self._check(ref)
        for edit in kept:
            if edit.target.kind is RefKind.CONSENT and edit.target not in self._live.state.answers:
                self._note(edit.target)

    def _put(self, answer: Edit) -> None:
        answers = {**self._live.state.answers, answer.target: answer}
        self._live.put(replace(self._live.state, answers=answers), What.DRAFTS)
        self._note(answer.target)

    def _drop(self, ref: Ref) -> None:
        state = self._live.state
        rest = {each: answer for each, answer in state.answers.items() if each != ref}
        closed = {each: request for each, request in state.closed_answers.items() if each != ref}
        self._sent.discard(ref)
        self._live.put(replace(state, answers=rest, closed_answers=closed), What.DRAFTS)
        self._note(ref)

    def _follow(self, news: object) -> None:
        if isinstance(news, Change) and news.ref in self._live.state.answers and news.ref not in self._sent:
            self._check(news.ref)

    def _check(self, ref: Ref) -> None:
        """Find out whether a request still waits for its answer."""
        session = self._live.session
        if session is not None:
            self._bridge.supersede(
                ("answer", ref),
                _request_now(session, ref.id),
                name=tr("Reading the approvals"),
                on_done=self._take,
                on_error=lambda _: session is not self._live.session,
            )

    def _take(self, request: ConsentRequest) -> None:
        ref, state = Ref(RefKind.CONSENT, request.id), self._live.state
        if ref not in state.answers or ref in self._sent:
            return
        closed = {each: other for each, other in state.closed_answers.items() if each != ref}
        if request.state is not ConsentState.PENDING:
            closed[ref] = request
        if closed != state.closed_answers:
            self._live.put(replace(state, closed_answers=closed), What.DRAFTS)


def block_of(answer: Edit) -> str:
    """The id of the block whose draft an answer is given with, nothing where it is given without one."""
    operation = answer.operation
    edited = operation.edited if isinstance(operation, AnswerConsent) else None
    return "" if edited is None else edited.target.id


def restored_answers(kept: Sequence[Edit], drafts: Mapping[str, object]) -> dict[Ref, Edit]:
    """The answers among edits that an ended program kept, as far as the drafts of their blocks are there."""
    answers = (each for each in kept if each.target.kind is RefKind.CONSENT)
    return {each.target: each for each in answers if block_of(each) in drafts}


async def _request_now(session: FileSession, request_id: str) -> ConsentRequest:
    request = await session.engine.consent.get(request_id)
    return replace(request, state=request.state_at(session.engine.surroundings.clock()))


async def apply_answers(engine: Engine, intents: Sequence[Intent]) -> Sequence[Receipt]:
    """Apply intents as one changeset; the receipt of an answer with an edit is that of the block's change.

    Raises:
        RefusedError, NotFoundError, DocumentError, FileError: nothing was changed then.
    """
    receipts = [*await engine.apply(intents)]
    for place, intent in enumerate(intents):
        operation = intent.edit.operation
        if isinstance(operation, AnswerConsent) and operation.edited is not None:
            request = await engine.consent.get(intent.edit.target.id)
            state = await engine.memory.get(operation.edited.target.id)
            receipts[place] = replace(
                receipts[place],
                ref=operation.edited.target,
                seq=request.change,
                version=None if state is None else state.version,
            )
    return receipts
