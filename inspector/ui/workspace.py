"""The window's workspace: the state of the open file, and every verb that changes it.

Panels read `file`, listen to `changed`, and call the verbs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inspector.domain.actor import Actor
from inspector.domain.changes import Change, FileMoved, Health
from inspector.domain.content import Content
from inspector.domain.counts import Count
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.errors import RefusedError
from inspector.domain.redaction import RedactionPlan, RedactionResult
from inspector.domain.ref import Ref, RefKind
from inspector.domain.what_if import WhatIf
from inspector.runtime.recovered_drafts import RestoredDraft
from inspector.runtime.session import FileSession, SessionFactory
from inspector.ui.agent_runner import AgentRunner
from inspector.ui.bridge import Bridge, is_gone
from inspector.ui.call_maker import CallMaker
from inspector.ui.consent_drafts import ConsentDrafts, apply_answers, restored_answers
from inspector.ui.draft_comparison import (
    Comparison,
    DraftConflictError,
    Preview,
    compared,
    previewed,
    to_store,
)
from inspector.ui.draft_keeper import DraftKeeper, OpenEdits, RecordDrafts, UnreadDrafts
from inspector.ui.file_state import (
    FileState,
    LiveFile,
    SavedChange,
    UnsavedEdit,
    What,
    without,
)
from inspector.ui.finding_reader import FindingReader
from inspector.ui.journal_reader import JournalReader
from inspector.ui.key_ring import KeyRing
from inspector.ui.preferences import Preferences
from inspector.ui.refreshing import Refresher
from inspector.ui.send_gate import SendGate
from inspector.ui.sent_reader import SentReader
from inspector.ui.side_reader import SideReader
from inspector.ui.undo_steps import UndoSteps
from inspector.ui.unsaved_settings import SETTINGS_KINDS, SettingsDrafts, restored_settings
from inspector.ui.wording import tr

OnError = Callable[[BaseException], bool]
_NO_RECORDS = (*SETTINGS_KINDS, RefKind.CONSENT)
_MOST_TURNS = 100
"""How often what is typed is written down again before a file is left, while somebody types on."""
_FINAL = frozenset({RefKind.CONSENT, RefKind.GRANT})
"""What is said to an agent can't be unsaid."""


class Workspace:
    """The open file. `changed` carries `What` of its state is another."""

    def __init__(self, bridge: Bridge, files: SessionFactory, preferences: Preferences | None = None) -> None:
        self.files = files
        self._bridge = bridge
        self.live = LiveFile(bridge)
        self._writes: set[asyncio.Task[Any]] = set()
        self._keeper = DraftKeeper(bridge, self.live)
        self.open_edits = OpenEdits()
        self.unread = UnreadDrafts(self.live, self._keeper)
        """What is typed as JSON and can't be read yet."""
        self._fresh = Refresher(bridge, self.live, files.settings)
        self.records = RecordDrafts(self.live, self._keeper, self._fresh.refresh)
        self.answers = ConsentDrafts(bridge, self.live, self._keeper.note)
        self.changed = self.live.changed
        self.lengths = self.live.lengths
        self.load = self._fresh.load
        self.unsaved_work = self._fresh.unsaved_work
        self.count_others = self._fresh.count_others
        self._steps = UndoSteps(bridge, self.live)
        self.findings = FindingReader(bridge, self.live, files.settings)
        self.settings = SettingsDrafts(self.live, self._keeper.note, self._fresh.refresh)
        """Unsaved settings of agents."""
        self.past = JournalReader(bridge, self.live)
        """Reads versions and changes."""
        self.sides = SideReader(bridge, self.live, files.settings)
        """Reads Requests to compare."""
        self._sent = SentReader(bridge, self.live)
        self.keys = KeyRing(bridge, files.keys, self.live)
        """Knows where the keys of providers come from."""
        self.gate = SendGate(files.surroundings, preferences or Preferences(None), self.live)
        """Knows who may be sent to."""
        self.calls = CallMaker(bridge, self.live, self.gate, self._fresh.unsaved_work, self._write)
        """Prepares and makes model calls."""
        self.runner = AgentRunner(bridge, self.live, self.gate, self._write)
        """Runs agents."""
        bridge.changed.connect(self._note)

    @property
    def file(self) -> FileState:
        return self.live.state

    def now(self) -> datetime:
        session = self.live.session
        return session.engine.surroundings.clock() if session else datetime.now(UTC)

    def open(self, path: Path) -> None:
        self._show(self.files.open(path), tr("Opening {file}", file=path.name))

    def create(self, path: Path) -> None:
        self._show(self.files.create(path), tr("Creating {file}", file=path.name))

    def create_sample(self, path: Path) -> None:
        self._show(self.files.create_sample(path), tr("Creating the sample in {file}", file=path.name))

    def show(self, session: FileSession) -> None:
        self._show(_given(session), tr("Opening {file}", file=session.engine.path.name))

    def save_copy(self, path: Path, on_done: Callable[[None], None] | None = None) -> None:
        """Write everything to a new file."""
        session = self.live.session
        if session is not None:
            name = tr("Saving a copy as {file}", file=path.name)
            self._bridge.spawn(session.engine.save_copy(path), name=name, on_done=on_done)

    async def close(self) -> None:
        await self.settle()
        left = self._replace(None, FileState())
        self.live.put(self.file, What.EVERYTHING)
        await _closed(left)

    async def settle(self) -> None:
        """Wait until every save that was asked for has ended, and all unsaved work is written down.

        A running model call is stopped, and what came of it stored: it might take minutes more. So are all agents.
        """
        self.calls.stop()
        self.runner.end()
        # A save drops its draft when it is through; were it cut off, the draft would come back as new work.
        while self._writes:
            await asyncio.gather(*self._writes, return_exceptions=True)
            await asyncio.sleep(0)
        await self._hand_over()

    async def _hand_over(self) -> None:
        """Have all that is typed written down."""
        for _ in range(_MOST_TURNS):
            self.live.leaving.emit()
            if self._keeper.is_settled:
                return
            # Meanwhile somebody may type on.
            await self._keeper.settle()

    def show_agent(self, agent_id: str) -> None:
        if agent_id == self.file.agent_id or agent_id not in {each.id for each in self.file.agents}:
            return
        self.live.put(self.file.showing(agent_id), What.AGENT | What.REQUEST)
        self._fresh.refresh(contents=True, saved=True)

    def try_out(self, what_if: WhatIf) -> None:
        """Build the Request with other settings, pieces or texts, storing nothing; `WhatIf()` ends that."""
        if what_if != self.file.what_if:
            self.live.put(replace(self.file, what_if=what_if, tried=None), What.WHAT_IF)
            self._fresh.refresh(saved=True)

    def open_what_if(self, *, shown: bool) -> None:
        """Show where a what-if is put together, or hide that while nothing is tried."""
        if shown != self.file.what_if_open:
            self.live.put(replace(self.file, what_if_open=shown), What.WHAT_IF)

    def rebuild(self) -> None:
        self._fresh.refresh(contents=True, saved=True)

    def saw(self, block_id: str) -> None:
        if block_id in self.file.unseen:
            self.live.put(replace(self.file, unseen=self.file.unseen - {block_id}), What.BLOCKS)

    def edit(self, block_id: str, operation: Operation) -> None:
        """Apply an operation to a block."""
        session = self.live.session
        if session is not None:
            edit = Edit(Ref(RefKind.BLOCK, block_id), operation)
            work = session.engine.edit(block_id, operation)

            def done(receipt: Receipt) -> None:
                self._note_saved([edit], [receipt])

            self._write(self._bridge.spawn(work, name=self._saving(block_id), on_done=done))

    def undo(self, change: int | None = None, author: Actor | None = None) -> None:
        """Undo the newest change, or the step that a change belongs to: one's own, or what `author` did."""
        self._write(self._steps.turn(change, author, redo=False))

    def redo(self, change: int | None = None) -> None:
        """Redo what the person undid last, or the step that a change belongs to."""
        self._write(self._steps.turn(change, None, redo=True))

    def save(
        self,
        edit: Edit,
        on_done: Callable[[Receipt], None],
        on_error: OnError,
        *,
        reason: str = "",
        unlock: bool = False,
        before: Operation | None = None,
    ) -> None:
        """Save unsaved work. Why that was refused stays in the state until it is tried again or the work is gone.

        `on_error` answers whether it dealt with the error. With `unlock`, a person has said that a block may be
        written that is read-only for its agent. `before` is done to the block in the same changeset, ahead of it.
        """
        session, block_id = self.live.session, edit.target.id
        self._forget_refusal(block_id)
        if session is None:
            return

        def failed(error: BaseException) -> bool:
            dealt_with = not is_gone(on_error) and on_error(error)
            if dealt_with and isinstance(error, DraftConflictError):
                # It is being decided.
                return True
            # Of one that was answered elsewhere the draft itself says so, until a person has decided.
            if self.answers.note_refused(block_id, error):
                return True
            if isinstance(error, RefusedError):
                self.live.put(
                    replace(self.file, refusals={**self.file.refusals, block_id: error}), What.PROBLEMS
                )
                return True
            return dealt_with

        def done(receipt: Receipt) -> None:
            self.answers.forget(block_id)
            self._note_saved([edit], [receipt])
            if not is_gone(on_done):
                on_done(receipt)

        work = self._stored(session, edit, reason, unlock=unlock, before=before)
        self._write(self._bridge.spawn(work, name=self._saving(block_id), on_done=done, on_error=failed))

    async def _stored(
        self, session: FileSession, edit: Edit, reason: str, *, unlock: bool, before: Operation | None
    ) -> Receipt:
        """Store a draft as a review would show it with what others wrote.

        Raises:
            DraftConflictError: both changed the same place: nothing is stored.
        """
        ready, engine = await to_store(session, edit), session.engine
        if before is None and self.answers.of(edit.target.id) is None:
            block_id = edit.target.id
            return await engine.edit(block_id, ready.operation, reason=reason, base=ready.base, unlock=unlock)
        steps = [self.answers.as_answer(ready)]
        if before is not None:
            steps.insert(0, Edit(edit.target, before))
        intents = [Intent(each, engine.actor, reason, unlock=unlock) for each in steps]
        return await _last_of(apply_answers(engine, intents))

    def apply(
        self,
        edits: Sequence[Edit],
        reason: str = "",
        on_done: Callable[[Sequence[Receipt]], None] | None = None,
        *,
        text: str = "",
        unlock: bool = False,
        on_error: OnError | None = None,
    ) -> None:
        """Apply edits of any kind as one, as the person at this machine.

        `text` says in words what that did; `unlock` and `on_error` as in `save`.
        """
        session = self.live.session
        if session is None:
            return

        def done(receipts: Sequence[Receipt]) -> None:
            self._note_saved(edits, receipts, text)
            if on_done is not None and not is_gone(on_done):
                on_done(receipts)

        intents = [Intent(edit, session.engine.actor, reason, unlock=unlock) for edit in edits]
        work = apply_answers(session.engine, intents)
        self._write(self._bridge.spawn(work, name=tr("Saving"), on_done=done, on_error=on_error))

    def redact(
        self, plan: RedactionPlan, reason: str, on_done: Callable[[RedactionResult], None], on_error: OnError
    ) -> None:
        """Remove versions of a block for good, as the person at this machine; `on_error` as in `save`."""
        session = self.live.session
        if session is not None:
            work = session.engine.redaction.redact(plan.block_id, plan.numbers, session.engine.actor, reason)
            name = tr("Redacting versions of {label}", label=plan.label)
            self._write(self._bridge.spawn(work, name=name, on_done=on_done, on_error=on_error))

    def set_draft(self, edit: Edit, content: Content) -> None:
        """Keep unsaved work on a block; the figures follow at once."""
        block_id = edit.target.id
        what = What.NOTHING if block_id in self.file.drafts else What.DRAFTS
        drafts = {**self.file.drafts, block_id: UnsavedEdit(edit, content)}
        self.live.put(replace(self.file, drafts=drafts), what)
        self._keeper.note(block_id)
        self._fresh.refresh()

    def drop_draft(self, block_id: str) -> None:
        """Forget unsaved work on a block: it was saved or is not wanted."""
        self._forget_refusal(block_id)
        if block_id in self.file.drafts:
            self.live.put(replace(self.file, drafts=without(self.file.drafts, block_id)), What.DRAFTS)
            self._keeper.note(block_id)
            self.answers.set_aside(block_id)
            self._fresh.refresh()

    def discard_unfit(self, draft_id: str) -> None:
        """Forget a draft of an earlier session that does not fit, by the id in its `Health`."""
        self._keeper.note(draft_id)

    def preview(
        self, edit: Edit, on_done: Callable[[Preview], None], on_failed: OnError | None = None
    ) -> None:
        """Work out what an edit of a block would give, and of which state of it, storing nothing."""
        session = self.live.session

        def failed(error: BaseException) -> bool:
            if on_failed is not None and not is_gone(on_failed) and on_failed(error):
                return True
            # That a draft doesn't fit is said where it is shown.
            return session is not self.live.session or self.file.is_draft_unfit(edit.target.id)

        if session is not None:
            work = previewed(session, edit)
            key = ("preview", edit.target.id)
            self._bridge.supersede(key, work, name=tr("Previewing"), on_done=on_done, on_error=failed)

    def compare(
        self,
        edit: Edit,
        on_done: Callable[[Comparison], None],
        on_failed: Callable[[], None] | None = None,
        *,
        purpose: str = "",
    ) -> None:
        """Compare unsaved work on a block with what others have stored since its base version.

        The newest comparison for a purpose takes the place of the one before.
        """
        session = self.live.session

        def failed(_: BaseException) -> bool:
            if on_failed is not None and not is_gone(on_failed):
                on_failed()
            return True

        if session is not None:
            key = ("compare", purpose, edit.target.id)
            work = compared(session, edit)
            self._bridge.supersede(key, work, name=tr("Comparing"), on_done=on_done, on_error=failed)

    def new_id(self, prefix: str) -> str:
        """An id for something new in the open file."""
        session = self.live.session
        return session.engine.surroundings.ids(prefix) if session else ""

    def count(self, texts: Sequence[str], on_done: Callable[[Sequence[Count]], None]) -> None:
        """Count what texts cost by themselves, for the model of the Request that is shown."""
        session, request, agent = self.live.session, self.file.request, self.file.agent
        if session is not None:
            model = request.model if request else agent.model if agent else ""
            work = session.engine.context.counts(model or "", texts)
            self._bridge.spawn(work, name=tr("Counting tokens"), on_done=on_done)

    def _forget_refusal(self, block_id: str) -> None:
        if block_id in self.file.refusals:
            self.live.put(replace(self.file, refusals=without(self.file.refusals, block_id)), What.PROBLEMS)

    def _saving(self, block_id: str) -> str:
        is_read = block_id in self.file.blocks
        return tr("Saving {label}", label=self.file.label(block_id)) if is_read else tr("Saving")

    def _show(self, opening: Awaitable[FileSession], name: str) -> None:
        self._bridge.supersede("file", self._swap(opening), name=name)

    async def _swap(self, opening: Awaitable[FileSession]) -> None:
        session = await opening
        # From here on, so that nothing is missed that happens while it is read.
        news = session.news()
        try:
            state = FileState(
                path=session.engine.path,
                actor=session.engine.actor,
                read_only=session.read_only,
                models=await session.models(),
            ).with_agents(await session.agents(), await session.layouts(), await session.partner())
            # It may be the file that is open already: what is typed in it is to be found again.
            await self._hand_over()
            drafts = _drafts(await session.restore_drafts())
            kept = await session.restore_records()
            state = await restored_settings(session, state, kept)
            records = {edit.target: edit for edit in kept if edit.target.kind not in _NO_RECORDS}
            unread = {each.ref.id: each for each in await session.restore_unread()}
            state = replace(state, unread_json=unread, restored_unread=frozenset(unread))
            await self.settle()
        except BaseException:
            # Whatever was open stays open; this one is shown by nobody.
            await asyncio.shield(session.engine.close())
            raise
        # Nothing is awaited until the views show the new file: what is typed belongs to one or the other.
        answers = restored_answers(kept, drafts)
        state = replace(
            state, drafts=drafts, records=records, restored_records=frozenset(records), answers=answers
        )
        left = self._replace(session, state)
        self.answers.begin_file(kept)
        self._bridge.follow(news, name=tr("Following changes"), key="feed")
        # First, so that no view asks again for what is being read.
        self._fresh.refresh(contents=True, saved=True)
        self.live.put(self.file, What.EVERYTHING)
        self._steps.begin()
        await _closed(left)

    def _replace(self, session: FileSession | None, state: FileState) -> FileSession | None:
        """Take another session and its state, and give away the one that is left, to be closed."""
        self._fresh.end()
        self._bridge.cancel("feed")
        self._steps.end()
        self.lengths.forget()
        self.findings.end()
        self._sent.end()
        self.runner.forget()
        left, self.live.session, self.live.state = self.live.session, session, state
        return left

    def _write(self, task: asyncio.Task[Any] | None) -> None:
        if task is not None:
            self._writes.add(task)
            task.add_done_callback(self._writes.discard)

    def announce(self, saved: SavedChange) -> None:
        """Say what a service stored for this window, so that it can be undone."""
        self.live.put(replace(self.file, saved=saved), What.SAVED)

    def _note_saved(self, edits: Sequence[Edit], receipts: Sequence[Receipt], text: str = "") -> None:
        """Note what was written from here, so that it can be said and undone."""
        changed = [each for each in zip(edits, receipts, strict=True) if each[1].seq is not None]
        if changed:
            (edit, first), last = changed[0], changed[-1][1]
            seq = 0 if first.ref.kind in _FINAL else last.seq or 0
            saved = SavedChange(edit, first.ref, seq, len(changed), text)
            self.live.put(replace(self.file, saved=saved), What.SAVED)

    def _note(self, news: object) -> None:
        if isinstance(news, FileMoved):
            self.live.put(replace(self.file, moved=news), What.MOVED)
        elif isinstance(news, Health):
            self.live.put(self.file.with_health(news), What.PROBLEMS)
        elif isinstance(news, Change):
            self._note_change(news)

    def _note_change(self, change: Change) -> None:
        unseen = self.file.unseen
        if change.ref.kind is RefKind.BLOCK and not _is_own(change, self.file.actor):
            unseen |= {change.ref.id}
        self.live.put(replace(self.file, last_written=change, unseen=unseen), What.WRITTEN)
        self._fresh.note(change)
        if self.file.actor is not None and change.actor.id == self.file.actor.id:
            self._steps.read()


def _is_own(change: Change, actor: Actor | None) -> bool:
    return change.own and actor is not None and change.actor == actor


async def _last_of(receipts: Awaitable[Sequence[Receipt]]) -> Receipt:
    return (await receipts)[-1]


def _drafts(restored: Sequence[RestoredDraft]) -> dict[str, UnsavedEdit]:
    return {
        each.draft.edit.target.id: UnsavedEdit(each.draft.edit, each.content, restored=True)
        for each in restored
    }


async def _closed(session: FileSession | None) -> None:
    if session is not None:
        # Half closed it would keep the file; whoever has no time to wait lets it end by itself.
        await asyncio.shield(session.engine.close())


async def _given(session: FileSession) -> FileSession:
    return session
