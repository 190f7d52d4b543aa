"""Decides what is summarised next: whole batches of messages, then neighbouring summaries.

No range of a summary holds a message that it was not made of, but for stored prompts of other programs, which say
nothing of their own. So nothing is told twice and nothing is lost between two summaries.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable, Iterator, Sequence

from inspector.domain.coverage import Ranges, covered_ranges, holds, merged
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import Batch, Message, is_sendable
from inspector.domain.summaries import Summary
from inspector.domain.summarising import FoldOptions, FoldPlan, SummarySource


def fold_plan(
    agent_id: str,
    history: Sequence[Batch],
    summaries: Sequence[Summary],
    wanted: Collection[str],
    options: FoldOptions,
) -> FoldPlan:
    """What is to be summarised, and what goes with it since a stored summary speaks of it already.

    Args:
        agent_id: Whose history it is.
        history: All batches that are not deleted, oldest first.
        summaries: All summaries, in the order in which they were written.
        wanted: The ids of the batches that should be.
        options: How long a chunk is.
    """
    found = _Leaving.of(history, summaries, wanted)
    going, runs = found.going()
    chunks = tuple(tuple(_chunks(run, max(1, options.chunk_size))) for run in runs)
    gone = [each for batch in history if batch.id in going for each in batch.messages]
    covered = [each for each in gone if is_sendable(each) and holds(found.covered_positions, each.position)]
    staying = found.asked - going
    skipped = tuple(
        batch.id
        for batch in history
        if batch.id in staying
        and any(not each.is_archived and not each.compiled for each in batch.messages)
        and not all(holds(found.covered_positions, each.position) for each in batch.messages)
    )
    return FoldPlan(agent_id, chunks, skipped, tuple(sorted(covered, key=_position)))


@dataclass(frozen=True)
class _Leaving:
    """Which batches can leave the history: what is said of them in their place is never in doubt.

    Attributes:
        messages: All that are not stored prompts of other programs, in order.
        spans: Of each summary that is there, all that it speaks of, and the range that it covers itself.
        covered_positions: All that those speak of.
        asked: The ids of the batches that should leave.
        free: Those of them that hold nothing that is out untold, and nothing untold that cannot be read.
    """

    messages: Sequence[Message]
    spans: Sequence[tuple[Ranges, Ranges]]
    covered_positions: Ranges
    asked: frozenset[str]
    free: frozenset[str]

    @classmethod
    def of(cls, history: Sequence[Batch], summaries: Sequence[Summary], wanted: Collection[str]) -> _Leaving:
        ranges = covered_ranges(summaries)
        present = [each for each in summaries if not each.is_deleted]
        spans = [(ranges[each.id], () if each.covers is None else (each.covers,)) for each in present]
        covered_positions = merged(one for every, _ in spans for one in every)
        asked = [batch for batch in history if batch.id in wanted]
        free = frozenset(
            batch.id
            for batch in asked
            if any(not each.compiled for each in batch.messages)
            and not any(
                _is_barred(each) and not holds(covered_positions, each.position) for each in batch.messages
            )
        )
        messages = [each for batch in history for each in batch.messages if not each.compiled]
        messages.sort(key=_position)
        return cls(messages, spans, covered_positions, frozenset(batch.id for batch in asked), free)

    def going(self) -> tuple[frozenset[str], list[list[Message]]]:
        """The batches that leave, and the runs of their messages that no summary speaks of yet.

        A summary that speaks of a message that stays is not sent: what it was made of stays with that message.
        """
        going = self.free
        while True:
            lost = {each.batch_id for each in self._kept_back(going) if each.batch_id in going}
            left, runs = _unbroken(self.messages, going - lost, self.covered_positions)
            if left == going:
                return left, runs
            going = left

    def _kept_back(self, going: Collection[str]) -> Iterator[Message]:
        """The messages that summaries speak of, but none that would be sent when the batches have left."""
        staying = [
            each.position for each in self.messages if is_sendable(each) and each.batch_id not in going
        ]
        standing = merged(one for every, _ in self.spans if not _touches(every, staying) for one in every)
        torn = merged(one for every, own in self.spans if _touches(every, staying) for one in own)
        for each in self.messages:
            if holds(torn, each.position) or (
                holds(self.covered_positions, each.position) and not holds(standing, each.position)
            ):
                yield each


def batches_before(history: Sequence[Batch], keep: int) -> frozenset[str]:
    """The batches before the newest whole ones of at least `keep` messages; never one in progress."""
    live = [batch for batch in history if _in_history(batch)]
    older, kept = list(live), 0
    while older and (kept < keep or (older[-1] is live[-1] and not live[-1].is_complete)):
        kept += _in_history(older.pop())
    return frozenset(batch.id for batch in older)


def kept_beside(history: Sequence[Batch], wanted: Collection[str]) -> int:
    """The number of messages in the conversation that are in none of the wanted batches."""
    return sum(_in_history(batch) for batch in history if batch.id not in wanted)


def _in_history(batch: Batch) -> int:
    return sum(not each.is_archived for each in batch.messages)


def covered_with(chunk: Sequence[Message], covered: Sequence[Message]) -> tuple[Message, ...]:
    """What of the covered messages goes with a chunk: what began before its end, in whole batches."""
    going = {each.batch_id for each in chunk}
    going |= {each.batch_id for each in covered if each.position < chunk[-1].position}
    return tuple(each for each in covered if each.batch_id in going)


class StandingSummaries:
    """An agent's summaries by depth and place: one more costs itself alone, however many stand there.

    Args:
        agent_id: Whose they are.
        summaries: All of the agent's, in the order in which they were written.
    """

    def __init__(self, agent_id: str, summaries: Iterable[Summary]) -> None:
        self._agent_id = agent_id
        self._summaries = list(summaries)
        self._ranges = dict(covered_ranges(self._summaries))
        self._ends: dict[int, list[tuple[int, int]]] = {}
        self._free: dict[int, list[tuple[int, int]]] = {}
        standing = [each for each in self._summaries if not each.is_deleted and self._ranges[each.id]]
        self._taken = {child for each in standing for child in each.children}
        for at, each in enumerate(self._summaries):
            self._place(at, each)

    def add(self, summary: Summary) -> None:
        """Take the one that was written last."""
        own = () if summary.covers is None else (summary.covers,)
        below = (each for child in summary.children for each in self._ranges.get(child, ()))
        self._ranges[summary.id] = merged((*own, *below))
        self._summaries.append(summary)
        if summary.children and self._ranges[summary.id]:
            self._taken.update(summary.children)
            for depth, free in self._free.items():
                self._free[depth] = [row for row in free if self._summaries[row[1]].id not in self._taken]
        self._place(len(self._summaries) - 1, summary)

    def source_of(self, messages: Sequence[Message], options: FoldOptions) -> SummarySource:
        """The source of a summary of messages, behind the newest one before them."""
        previous = self._before(0, messages[0].position)
        return SummarySource(self._agent_id, 0, tuple(messages), (), previous, options.query)

    def deeper(self, options: FoldOptions) -> SummarySource | None:
        """The oldest that stand side by side in too great a number, None where there are none."""
        fan_in = max(2, options.fan_in)
        for depth in sorted(self._free):
            free = self._free[depth]
            if len(free) > fan_in:
                children = tuple(self._summaries[at] for _, at in free[:fan_in])
                previous = self._before(depth + 1, free[0][0])
                return SummarySource(self._agent_id, depth + 1, (), children, previous, options.query)
        return None

    def _place(self, at: int, summary: Summary) -> None:
        ranges = self._ranges[summary.id]
        if summary.is_deleted or not ranges:
            return
        insort(self._ends.setdefault(summary.depth, []), (ranges[-1].last, at))
        if summary.id not in self._taken:
            insort(self._free.setdefault(summary.depth, []), (ranges[0].first, at))

    def _before(self, depth: int, position: int) -> Summary | None:
        """The summary of a depth that ends nearest before a position; of equals the one written last."""
        ends = self._ends.get(depth, [])
        place = bisect_left(ends, (position, 0))
        return self._summaries[ends[place - 1][1]] if place else None


def _is_barred(message: Message) -> bool:
    """Whether a message keeps its batch from being summarised: it is out already, or says nothing that we can read."""
    return message.problem is not None or (message.is_archived and not message.compiled)


def _touches(ranges: Ranges, positions: Sequence[int]) -> bool:
    """Whether one of the positions, which are in order, lies in one of the ranges."""
    return any(bisect_left(positions, each.first) < bisect_right(positions, each.last) for each in ranges)


def _unbroken(
    messages: Sequence[Message], usable: frozenset[str], covered_positions: Ranges
) -> tuple[frozenset[str], list[list[Message]]]:
    """Runs of untold messages of usable batches with no other between; a batch in two runs is not usable."""
    while True:
        runs: list[list[Message]] = [[]]
        place: dict[str, int] = {}
        torn: set[str] = set()
        for message in messages:
            if message.batch_id not in usable or holds(covered_positions, message.position):
                if runs[-1]:
                    runs.append([])
                continue
            if place.setdefault(message.batch_id, len(runs)) != len(runs):
                torn.add(message.batch_id)
            runs[-1].append(message)
        if not torn:
            return usable, [run for run in runs if run]
        usable = usable - torn


def _chunks(run: Sequence[Message], size: int) -> list[tuple[Message, ...]]:
    """A run cut between batches, each piece of at least `size` messages; a rest of less than half joins the last."""
    last = {message.batch_id: at for at, message in enumerate(run)}
    chunks: list[tuple[Message, ...]] = []
    start = end = 0
    for at, message in enumerate(run):
        end = max(end, last[message.batch_id])
        if at == end and at + 1 - start >= size:
            chunks.append(tuple(run[start : at + 1]))
            start = at + 1
    rest = tuple(run[start:])
    if rest and chunks and 2 * len(rest) < size:
        chunks[-1] = (*chunks[-1], *rest)
    elif rest:
        chunks.append(rest)
    return chunks


def _position(message: Message) -> int:
    return message.position
