"""Reads an agent's summaries for their tree: facts at once, tokens after that, messages of what is opened."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from inspector.domain.agents import Agent
from inspector.domain.changes import Change
from inspector.domain.counts import Count
from inspector.domain.messages import Message
from inspector.domain.ref import RefKind
from inspector.domain.summaries import Summary
from inspector.domain.summary_findings import findings_of, top_level
from inspector.runtime.session import FileSession
from inspector.ui.models.lazy_reader import LazyReader
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.summaries import MESSAGES_SHOWN, OpenedSummaries, Path, SummaryList
from inspector.ui.wording import tr

_SOON_MILLISECONDS = 60
_KINDS = frozenset({RefKind.SUMMARY, RefKind.MESSAGE, RefKind.BATCH, RefKind.FILE, RefKind.AGENT})
_GROWTH = 10


class SummaryReader(LazyReader):
    """Makes the list of the agent that is shown. `changed` tells of another list, `read` of messages that were read."""

    changed = Signal()
    read = Signal()

    def __init__(self, services: PanelServices, parent: QObject) -> None:
        super().__init__(parent, _SOON_MILLISECONDS)
        self._services = services
        self._list = SummaryList()
        self._opened = OpenedSummaries()
        self._counted: dict[str, tuple[Summary, Count]] = {}
        self.is_read = False
        """Whether the list is of the agent that is shown."""
        services.bridge.changed.connect(self._note)

    @property
    def list(self) -> SummaryList:
        return self._list

    @property
    def opened(self) -> OpenedSummaries:
        return self._opened

    def open(self, path: Path) -> None:
        """Show what is under a row, and read the messages that stand there."""
        self._opened = replace(self._opened, paths=self._opened.paths | {path})
        summary = self._list.by_id.get(path[-1])
        if summary is not None and summary.covers is not None:
            self._read_messages([summary])
        self.read.emit()

    def keep_edited(self, ids: frozenset[str]) -> None:
        """Have these listed when they are deleted, too: somebody edits them."""
        if ids != self._list.edited:
            self._list = replace(self._list, edited=ids)

    def close(self, path: Path) -> None:
        self._opened = replace(self._opened, paths=self._opened.paths - {path})

    def show_more(self, summary_id: str) -> None:
        """List more of a summary's messages."""
        limit = self._opened.limits.get(summary_id, MESSAGES_SHOWN) * _GROWTH
        self._opened = replace(self._opened, limits={**self._opened.limits, summary_id: limit})
        summary = self._list.by_id.get(summary_id)
        if summary is not None:
            self._read_messages([summary])

    def _note(self, news: object) -> None:
        is_ours = isinstance(news, Change) and news.owner in (None, self._list.agent_id)
        if is_ours and isinstance(news, Change) and news.ref.kind in _KINDS:
            self.refresh()

    def _start(self) -> None:
        session, agent = self._services.workspace.live.session, self._services.workspace.file.agent
        if session is None or agent is None:
            self._take(SummaryList())
            return
        if agent.id != self._list.agent_id:
            self.is_read = False
        self._services.bridge.supersede(
            ("summaries", self),
            _read_list(session, agent),
            name=tr("Reading the summaries"),
            on_done=self._take,
        )

    def _take(self, listed: SummaryList) -> None:
        if listed.agent_id != self._list.agent_id:
            self._opened = OpenedSummaries()
            self._counted.clear()
        kept = {
            id_: count for id_, (summary, count) in self._counted.items() if listed.by_id.get(id_) == summary
        }
        self._list = replace(listed, counts=kept, edited=self._list.edited)
        self.is_read = True
        opened = {path[-1] for path in self._opened.paths}
        self._read_messages([each for each in listed.present if each.id in opened and each.covers])
        self.changed.emit()
        self._count(
            [each for each in (listed.facts.summaries if listed.facts else ()) if each.id not in kept]
        )

    def _count(self, summaries: Sequence[Summary]) -> None:
        session, agent = self._services.workspace.live.session, self._services.workspace.file.agent
        if session is None or agent is None or not summaries:
            return

        def done(counts: Mapping[str, Count]) -> None:
            if agent.id != self._list.agent_id:
                return
            self._counted.update((each.id, (each, counts[each.id])) for each in summaries)
            self._list = replace(self._list, counts={**self._list.counts, **counts})
            self.changed.emit()

        work = session.engine.summary_checks.tokens(agent, summaries)
        self._services.bridge.supersede(
            ("summary tokens", self), work, name=tr("Counting tokens"), on_done=done
        )

    def _read_messages(self, summaries: Sequence[Summary]) -> None:
        session = self._services.workspace.live.session
        if session is None or not summaries:
            return
        limits = {each.id: self._opened.limits.get(each.id, MESSAGES_SHOWN) for each in summaries}

        def done(messages: Mapping[str, tuple[Message, ...]]) -> None:
            self._opened = replace(self._opened, messages={**self._opened.messages, **messages})
            self.read.emit()

        self._services.bridge.spawn(
            _read_messages(session, summaries, limits), name=tr("Reading the messages"), on_done=done
        )


async def _read_list(session: FileSession, agent: Agent) -> SummaryList:
    facts, problems = await session.engine.summary_checks.facts(agent.id)
    findings = await asyncio.to_thread(findings_of, facts)
    top = await asyncio.to_thread(top_level, facts)
    by_id = {each.id: each for each in facts.summaries}
    return SummaryList(agent.id, facts, findings, top, {}, len(problems), by_id)


async def _read_messages(
    session: FileSession, summaries: Sequence[Summary], limits: Mapping[str, int]
) -> Mapping[str, tuple[Message, ...]]:
    checks = session.engine.summary_checks
    return {each.id: await checks.messages(each, limits[each.id] + 1) for each in summaries}
