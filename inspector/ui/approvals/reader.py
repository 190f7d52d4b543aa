"""Reads consent requests and grants of the open file, and what the edit of one request would do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from inspector.domain.changes import Change
from inspector.domain.consent import ConsentPreview, ConsentRequest, ConsentState
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Version
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.errors import Refusal
from inspector.domain.ref import RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.session import FileSession
from inspector.ui.models.lazy_reader import LazyReader
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.approvals import ApprovalList
from inspector.ui.presentation.difference import ShownDifference, shown_difference
from inspector.ui.wording import tr

_SOON_MILLISECONDS = 60
_KINDS = frozenset({RefKind.CONSENT, RefKind.GRANT, RefKind.FILE, RefKind.AGENT, RefKind.BLOCK})


@dataclass(frozen=True)
class ProposedEdit:
    """What a request's edit would make of the block as it is now, with those that are allowed with it.

    `together` are the ids of all of them, `growth` is what they come to in tokens, in all their `blocks`. `is_stale`
    says that the block was changed since the agent asked. `content` is the whole result, None where it is none that the
    block's editor could begin with. `barred` says why this person may not answer.
    """

    preview: ConsentPreview
    version: Version | None
    shown: ShownDifference
    is_stale: bool
    content: Content | None
    together: tuple[str, ...]
    growth: int
    blocks: int
    barred: Refusal | None = None


class ApprovalReader(LazyReader):
    """`changed` tells of another list. While nobody looks, nothing is read."""

    changed = Signal()

    def __init__(self, services: PanelServices, parent: QObject) -> None:
        super().__init__(parent, _SOON_MILLISECONDS)
        self._services = services
        self.list = ApprovalList()
        self.is_read = False
        services.bridge.changed.connect(self._note)

    def preview(
        self, request: ConsentRequest, together: tuple[str, ...], on_done: Callable[[ProposedEdit], None]
    ) -> None:
        """Work out what a request would change now, with those that are allowed with it, storing nothing."""
        session, agents = self._services.workspace.live.session, self._services.workspace.file.agents
        if session is None:
            return
        model = next((each.model for each in agents if each.id == request.agent_id), None) or ""
        work = _proposal(session, request, together, model)
        self._services.bridge.supersede(("approval", self), work, name=tr("Previewing"), on_done=on_done)

    def _note(self, news: object) -> None:
        if isinstance(news, Change) and news.ref.kind in _KINDS:
            self.refresh()

    def _start(self) -> None:
        session = self._services.workspace.live.session
        if session is None:
            self._take(ApprovalList())
            return
        self._services.bridge.supersede(
            ("approvals", self), _read(session), name=tr("Reading the approvals"), on_done=self._take
        )

    def _take(self, listed: ApprovalList) -> None:
        self.list, self.is_read = listed, True
        self.changed.emit()


async def _read(session: FileSession) -> ApprovalList:
    engine = session.engine
    # Its first use loads what reads documents.
    store = await asyncio.to_thread(lambda: engine.consent)
    requests, unreadable = await store.requests()
    grants, unreadable_grants = await store.grants(over=True)
    agents, _ = await engine.agents.list()
    asked = {each.edit.target.id for each in requests} | {each.block_id for each in grants if each.block_id}
    labels = {}
    for block_id in asked:
        state = await engine.blocks.get(block_id)
        if state is not None:
            labels[block_id] = state.block.label
    return ApprovalList(
        {each.id: each for each in reversed(requests)},
        {each.id: each for each in reversed(grants)},
        {each.id: each.name for each in agents},
        labels,
        len(unreadable) + len(unreadable_grants),
    )


async def _proposal(
    session: FileSession, request: ConsentRequest, together: tuple[str, ...], model: str
) -> ProposedEdit:
    engine = session.engine
    if len(together) > 1:
        all_of_them = await engine.consent.preview_together(together)
    else:
        all_of_them = (await engine.consent.preview(request.id),)
    preview = next(each for each in all_of_them if each.request.id == request.id)
    refusal = preview.refusal or next((each.refusal for each in all_of_them if each.refusal), None)
    preview = replace(preview, refusal=refusal)
    state = await engine.memory.get(request.edit.target.id)
    version = None if state is None else state.version
    if request.state is not ConsentState.PENDING:
        # What was answered is history: the present is no result of it.
        preview = replace(preview, refusal=None)
    compared = await engine.history.compare_texts(Version(request.id), preview.before, preview.after, model)
    growths = {request.edit.target.id: compared.growth}
    for each in all_of_them:
        if each.request.edit.target.id not in growths:
            other = await engine.history.compare_texts(
                Version(each.request.id), each.before, each.after, model
            )
            growths[each.request.edit.target.id] = other.growth
    edit = preview.request.edit
    return ProposedEdit(
        preview,
        version,
        await asyncio.to_thread(shown_difference, compared),
        edit.base is not None and edit.base != version,
        await _result(engine, edit) if preview.refusal is None else None,
        together,
        sum(growths.values()),
        len(growths),
        await engine.consent.answer_refusal(request),
    )


async def _result(engine: Engine, edit: Edit) -> Content | None:
    if type(edit.operation) not in CONTENT_OPERATIONS.values():
        return None
    return await engine.memory.preview(edit)
