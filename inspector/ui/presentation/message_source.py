"""Reads an agent's messages for their list: where they stand at once, what they say when they come into sight."""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.changes import Change
from inspector.domain.dataclass import dataclass
from inspector.domain.message_outline import MessageOutline
from inspector.domain.ref import RefKind
from inspector.domain.requests import Request
from inspector.domain.search import LARGEST_PAGE, FoundState, SearchQuery
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.session import FileSession
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import LiveFile
from inspector.ui.models.lazy_reader import LazyReader
from inspector.ui.presentation.messages import BatchLines, SentFigures
from inspector.ui.widgets.record_rows import RecordRow
from inspector.ui.wording import number, tr, tr_count

CUT = -1
"""The key of the line behind which everything is sent. A message's key is twice its position, even; that of a
batch's heading is odd. Whole numbers, as a hundred thousand tuples would keep the collector of garbage busy."""
_MOST_KEPT = 4_000
"""Messages that are kept while they are out of sight."""
_SOON_MILLISECONDS = 60


def is_heading(key: int) -> bool:
    """Whether a row is a batch's heading, or the line of the cut."""
    return bool(key & 1)


class MessagesShown(StrEnum):
    """Which of an agent's messages are listed."""

    ALL = "all"
    SENT = "sent"
    OUTSIDE = "outside"
    ARCHIVED = "archived"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """What is listed: of which state, and with which words."""

    shown: MessagesShown = MessagesShown.ALL
    words: str = ""


class PlacesOfBatches:
    """The place of its batch in an outline, by message position. A million entries of a mapping would be 100 MB."""

    def __init__(self, outline: MessageOutline) -> None:
        positions, places = array("q"), array("q")
        for place, batch in enumerate(outline.batches):
            positions.extend(batch.positions)
            places.extend([place] * len(batch.positions))
        if any(later < earlier for earlier, later in pairwise(positions)):
            # One batch stands inside another, which hardly ever is so.
            order = sorted(range(len(positions)), key=positions.__getitem__)
            positions, places = (array("q", (each[at] for at in order)) for each in (positions, places))
        self._positions, self._places = positions, places

    def __getitem__(self, position: int) -> int:
        at = bisect_left(self._positions, position)
        if at == len(self._positions) or self._positions[at] != position:
            raise KeyError(position)
        return self._places[at]


@dataclass(frozen=True)
class MessageList:
    """The rows of a list, and what they were made of. `capped` says that more were found than are listed."""

    agent_id: str = ""
    outline: MessageOutline = MessageOutline()
    sent: SentFigures = SentFigures()
    places: Mapping[str, int] = field(default_factory=dict)
    """The positions of what is sent, by message id."""
    keys: Sequence[int] = ()
    listed: int = 0
    batch_of: PlacesOfBatches = field(default_factory=lambda: PlacesOfBatches(MessageOutline()))
    place_of: Mapping[str, int] = field(default_factory=dict)
    """The places of the batches, by id."""
    capped: bool = False

    @property
    def note(self) -> str:
        """How many messages there are, are sent and are listed."""
        total = self.outline.count
        text = tr_count("{count} message", "{count} messages", total)
        note = tr("{text} · {sent} sent", text=text, sent=number(len(self.places)))
        if self.listed != total:
            note = tr("{count} of {text}", count=number(self.listed), text=note)
        return tr("{text} · too many matches, type more", text=note) if self.capped else note


class MessageSource(LazyReader):
    """Makes the list of the agent that is shown. `changed` tells of other rows, `read` of rows that were read."""

    changed = Signal()
    read = Signal()

    def __init__(self, bridge: Bridge, live: LiveFile, parent: QObject) -> None:
        super().__init__(parent, _SOON_MILLISECONDS)
        self._bridge = bridge
        self._live = live
        self._filter = MessageFilter()
        self._list = MessageList()
        self._batches: dict[str, BatchLines] = {}
        self._stale: set[str] = set()
        self._wanted: dict[str, None] = {}
        self._reading = False
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._read_wanted)
        bridge.changed.connect(self._note)

    @property
    def list(self) -> MessageList:
        return self._list

    @property
    def filter(self) -> MessageFilter:
        return self._filter

    def show(self, filter_: MessageFilter) -> None:
        """List only what a filter lets through."""
        if filter_ != self._filter:
            self._filter = filter_
            self.refresh()

    def lines(self, key: int) -> BatchLines | None:
        """The batch of a row, None while it is read, which this asks for."""
        place = key >> 1 if is_heading(key) else self._list.batch_of[key >> 1]
        batch_id = self._list.outline.batches[place].id
        found = self._batches.get(batch_id)
        if found is None or batch_id in self._stale:
            self._wanted[batch_id] = None
            self._next.start()
        return found

    def row(self, key: int, now: datetime, is_unsaved: Callable[[str], bool]) -> RecordRow:
        """The line of a row; while it is read, one that says so."""
        listed = self._list
        if key == CUT:
            count = len(listed.places)
            text = tr_count("Sent from here: {count} message", "Sent from here: {count} messages", count)
            return RecordRow(text, heading=True, cut=True, spoken=text)
        lines = self.lines(key)
        if lines is not None and is_heading(key):
            return lines.heading(listed.sent, now)
        message = lines.message_at(key >> 1) if lines is not None else None
        if lines is None or message is None:
            return RecordRow(tr("Loading …"), heading=is_heading(key), quiet=True)
        return lines.row(message, listed.sent, now, unsaved=is_unsaved(message.id))

    def batch_ids(self, keys: Iterable[int]) -> dict[str, set[int]]:
        """The positions of some messages by batch."""
        found: dict[str, set[int]] = {}
        for position in (key >> 1 for key in keys if not is_heading(key)):
            batch = self._list.outline.batches[self._list.batch_of[position]]
            found.setdefault(batch.id, set()).add(position)
        return found

    def messages_from(self, batch_id: str) -> int:
        """How many messages stand in a batch and behind it that are neither deleted nor archived."""
        outline, place = self._list.outline, self._list.place_of.get(batch_id, 0)
        away = outline.deleted | outline.archived
        return sum(at not in away for each in outline.batches[place:] for at in each.positions)

    def _note(self, news: object) -> None:
        if not isinstance(news, Change) or news.owner not in (None, self._list.agent_id):
            return
        kind = news.ref.kind
        if kind is RefKind.MESSAGE:
            for batch_id, lines in self._batches.items():
                if any(message.id == news.ref.id for message in lines.batch.messages):
                    self._stale.add(batch_id)
            self.refresh()
        elif kind in (RefKind.BATCH, RefKind.FILE, RefKind.AGENT):
            self._stale.update(self._batches)
            self.refresh()

    def _start(self) -> None:
        session, agent_id = self._live.session, self._live.state.agent_id
        if session is None or not agent_id:
            self._take(MessageList())
            return
        state = self._live.state
        drafted = [ref.id for ref in state.records if ref.kind is RefKind.MESSAGE]
        work = _read_list(session, agent_id, state.request, self._filter, drafted)
        self._bridge.supersede(
            ("message list", self), work, name=tr("Reading the messages"), on_done=self._take
        )

    def _take(self, read: MessageList) -> None:
        if read.agent_id != self._list.agent_id:
            self._batches.clear()
            self._stale.clear()
        self._list = read
        # One that has more messages now was written to.
        self._stale.update(
            id_ for id_, lines in self._batches.items() if self._length(id_) != len(lines.batch.messages)
        )
        self.changed.emit()

    def _length(self, batch_id: str) -> int:
        place = self._list.place_of.get(batch_id)
        return 0 if place is None else len(self._list.outline.batches[place].positions)

    def _read_wanted(self) -> None:
        session, agent_id = self._live.session, self._list.agent_id
        if self._reading or not self._wanted or session is None:
            return
        wanted, self._wanted = [*self._wanted], {}
        self._reading = True
        self._stale.difference_update(wanted)
        what_if = self._live.state.what_if
        spec = what_if.asked(RequestSpec(now=session.engine.surroundings.clock()))
        task = self._bridge.spawn(
            _read_batches(session, agent_id, wanted, spec),
            name=tr("Reading the messages"),
            on_done=lambda lines: self._keep(agent_id, lines, wanted),
        )
        if task is not None:
            task.add_done_callback(lambda _: self._go_on())

    def _go_on(self) -> None:
        self._reading = False
        if self._wanted:
            self._next.start()

    def _keep(self, agent_id: str, lines: Sequence[BatchLines], wanted: Sequence[str]) -> None:
        if agent_id != self._list.agent_id:
            return
        for id_ in wanted:
            self._batches.pop(id_, None)
        self._batches.update((each.batch.id, each) for each in lines)
        kept = sum(len(each.batch.messages) for each in self._batches.values())
        for id_ in [*self._batches][: -len(lines) or None]:
            if kept <= _MOST_KEPT:
                break
            kept -= len(self._batches.pop(id_).batch.messages)
        self.read.emit()


async def _read_list(
    session: FileSession,
    agent_id: str,
    request: Request | None,
    filter_: MessageFilter,
    drafted: Sequence[str],
) -> MessageList:
    conversation = session.engine.conversation
    sent = await asyncio.to_thread(SentFigures.of, request)
    outline = await conversation.outline(agent_id)
    places = await conversation.places([*sent.counts])
    found, capped = None, False
    if filter_.words.strip():
        query = SearchQuery(
            filter_.words,
            owners=frozenset({agent_id}),
            kinds=frozenset({RefKind.MESSAGE}),
            states=frozenset(FoundState),
            limit=LARGEST_PAGE,
        )
        result = await session.engine.search.find(query)
        positions = await conversation.places([hit.ref.id for hit in result.hits])
        found, capped = frozenset(positions.values()), result.total > len(result.hits)
    kept = await _deleted_of(session, agent_id, drafted)
    picked = _Listed(outline, frozenset(places.values()), filter_.shown, found, kept)
    keys, listed = await asyncio.to_thread(picked.keys)
    batch_of, place_of = await asyncio.to_thread(_places, outline)
    return MessageList(agent_id, outline, sent, places, keys, listed, batch_of, place_of, capped)


async def _deleted_of(session: FileSession, agent_id: str, message_ids: Sequence[str]) -> frozenset[int]:
    """The positions of those messages that are an agent's and deleted."""
    found = [await session.engine.conversation.message(each) for each in message_ids]
    return frozenset(
        each.position for each in found if each is not None and each.is_deleted and each.agent_id == agent_id
    )


def _places(outline: MessageOutline) -> tuple[PlacesOfBatches, dict[str, int]]:
    return PlacesOfBatches(outline), {batch.id: place for place, batch in enumerate(outline.batches)}


async def _read_batches(
    session: FileSession, agent_id: str, batch_ids: Sequence[str], spec: RequestSpec
) -> tuple[BatchLines, ...]:
    batches = await session.engine.conversation.whole_batches(agent_id, batch_ids)
    counts = await session.engine.context.count_messages(agent_id, batches, spec)
    return tuple(BatchLines(batch, counts) for batch in batches)


@dataclass(frozen=True)
class _Listed:
    """Picks what is listed of an outline; `drafted` are deleted messages with an unsaved edit."""

    outline: MessageOutline
    sent: frozenset[int]
    shown: MessagesShown
    found: frozenset[int] | None
    drafted: frozenset[int] = frozenset()

    def keys(self) -> tuple[Sequence[int], int]:
        """The rows with headings and the line where the history is cut; and how many messages they are."""
        keys = array("q")
        count, cut, hidden, wanted = 0, self._cut(), self._hidden(), self._wanted()
        for place, batch in enumerate(self.outline.batches):
            positions: Sequence[int] = batch.positions
            if wanted is not None:
                positions = [each for each in positions if each in wanted]
            if not hidden.isdisjoint(positions):
                positions = [each for each in positions if each not in hidden]
            if not positions:
                continue
            if cut is not None and batch.positions[-1] >= cut:
                if keys:
                    keys.append(CUT)
                cut = None
            keys.append(2 * place + 1)
            keys.extend(2 * position for position in positions)
            count += len(positions)
        return keys, count

    def _hidden(self) -> frozenset[int]:
        if self.shown is MessagesShown.OUTSIDE:
            return self.sent | (self.outline.deleted - self.drafted)
        return frozenset() if self.shown is MessagesShown.DELETED else self.outline.deleted - self.drafted

    def _wanted(self) -> frozenset[int] | None:
        """What is listed besides what is hidden; None for all of it."""
        states = {
            MessagesShown.SENT: self.sent,
            MessagesShown.ARCHIVED: self.outline.archived,
            MessagesShown.DELETED: self.outline.deleted,
        }
        wanted = states.get(self.shown)
        return self.found if wanted is None else wanted if self.found is None else wanted & self.found

    def _cut(self) -> int | None:
        """The first position of the unbroken run of sent batches at the end; None where no other is listed before."""
        if not self.sent or self.shown not in (MessagesShown.ALL, MessagesShown.ARCHIVED):
            return None
        first: int | None = None
        for batch in reversed(self.outline.batches):
            live = [each for each in batch.positions if not self._is_away(each)]
            if live and self.sent.isdisjoint(live):
                break
            if live:
                first = batch.positions[0]
        return first

    def _is_away(self, position: int) -> bool:
        return position in self.outline.deleted or position in self.outline.archived
