"""Drafts of blocks that answer an agent's request: which there are, kept as long as they, and how they are saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from inspector.domain.edits.base import Edit, Intent, Receipt
from inspector.domain.edits.consent import AnswerConsent, ConsentDecision
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.ui.file_state import LiveFile, What

HOUR = timedelta(hours=1)
_CLOSED = "refused.consent_closed"


class ConsentDrafts:
    """Knows of which unsaved edits a save is the answer to a request, as the state of the open file has them.

    `note` writes down that the answer of a `Ref` is another or gone.
    """

    def __init__(self, live: LiveFile, note: Callable[[Ref], None]) -> None:
        self._live = live
        self._note = note
        self._aside: dict[str, Edit] = {}
        """Answers whose draft is gone but may come back, by block."""

    def of(self, block_id: str) -> Edit | None:
        """The answer that a save of a block's draft gives, with the edit that was asked for; None for a plain draft."""
        answers = self._live.state.answers.values()
        return next((each for each in answers if block_of(each) == block_id), None)

    def begin(self, request_id: str, asked: Edit, decision: ConsentDecision) -> None:
        """Let the save of a block's draft, which begins with what was asked for, allow a request."""
        self._put(Edit(Ref(RefKind.CONSENT, request_id), AnswerConsent(decision, edited=asked)))

    def as_answer(self, edit: Edit) -> Edit:
        """What stores an edit of a block and answers its request with it; the edit itself where it is no answer."""
        answer = self.of(edit.target.id) if edit.target.kind is RefKind.BLOCK else None
        if answer is None or not isinstance(answer.operation, AnswerConsent):
            return edit
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

    def forget(self, block_id: str) -> None:
        """The draft of a block answers nothing any more: it was saved, or is to be an edit like every other."""
        self._aside.pop(block_id, None)
        answer = self.of(block_id)
        if answer is not None:
            self._drop(answer.target)

    def note_refused(self, block_id: str, error: BaseException) -> None:
        """Where somebody else has answered meanwhile, the next save is an edit like every other."""
        if isinstance(error, RefusedError) and error.code == _CLOSED:
            self.forget(block_id)

    def begin_file(self, kept: Sequence[Edit]) -> None:
        """Another file is open: let go of what was kept for drafts that aren't there any more."""
        self._aside.clear()
        for edit in kept:
            if edit.target.kind is RefKind.CONSENT and edit.target not in self._live.state.answers:
                self._note(edit.target)

    def _put(self, answer: Edit) -> None:
        answers = {**self._live.state.answers, answer.target: answer}
        self._live.put(replace(self._live.state, answers=answers), What.DRAFTS)
        self._note(answer.target)

    def _drop(self, ref: Ref) -> None:
        rest = {each: answer for each, answer in self._live.state.answers.items() if each != ref}
        self._live.put(replace(self._live.state, answers=rest), What.DRAFTS)
        self._note(ref)


def block_of(answer: Edit) -> str:
    """The id of the block whose draft an answer is given with, nothing where it is given without one."""
    operation = answer.operation
    edited = operation.edited if isinstance(operation, AnswerConsent) else None
    return "" if edited is None else edited.target.id


def restored_answers(kept: Sequence[Edit], drafts: Mapping[str, object]) -> dict[Ref, Edit]:
    """The answers among edits that an ended program kept, as far as the drafts of their blocks are there."""
    answers = (each for each in kept if each.target.kind is RefKind.CONSENT)
    return {each.target: each for each in answers if block_of(each) in drafts}


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
