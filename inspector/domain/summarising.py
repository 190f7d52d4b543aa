"""The source of one summary, the result, and what it lost of its source."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import cached_property

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.rows import StoreSummary
from inspector.domain.errors import Problem
from inspector.domain.messages import (
    ImagePart,
    Message,
    Part,
    ProviderPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.summaries import PositionRange, Summary, SummaryDetails


@dataclass(frozen=True)
class SummarySource:
    """What one summary is to be made of: messages in whole batches, or the summaries of one depth.

    Attributes:
        agent_id: Whose they are.
        depth: Of the summary that is to be made.
        messages: In order, for depth 0.
        children: In order, for a deeper one.
        previous: The summary before it of the same depth. It is what the new one follows on; it is not told again.
        query: What the reader will ask, if that is known.
    """

    agent_id: str
    depth: int
    messages: tuple[Message, ...] = ()
    children: tuple[Summary, ...] = ()
    previous: Summary | None = None
    query: str = ""

    @property
    def covers(self) -> PositionRange | None:
        """The messages' positions; None for a deeper one, which speaks of what its children speak of."""
        return PositionRange(self.messages[0].position, self.messages[-1].position) if self.messages else None

    @property
    def start(self) -> datetime:
        times = [each.created_at for each in self.messages] + [each.start for each in self.children]
        return min(times)

    @property
    def end(self) -> datetime:
        times = [each.created_at for each in self.messages] + [each.end for each in self.children]
        return max(times)

    @property
    def message_count(self) -> int:
        return len(self.messages) + sum(each.message_count for each in self.children)

    @cached_property
    def text(self) -> str:
        """All of it as text, one paragraph a message or a summary."""
        return "\n\n".join((*map(message_text, self.messages), *map(summary_source_text, self.children)))

    @property
    def decisions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item for each in self.children for item in each.details.decisions))


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """The text and facts that a summariser returns."""

    content: str
    topics: tuple[str, ...] = ()
    details: SummaryDetails = SummaryDetails()

    @property
    def is_empty(self) -> bool:
        details = self.details
        kept = (details.decisions, details.facts, details.tasks, details.entities)
        return not self.content.strip() and not any(kept)


@dataclass(frozen=True, slots=True)
class Losses:
    """What a source says and its summary does not, each once, in the order of the source."""

    numbers: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(self.numbers) + len(self.paths) + len(self.names) + len(self.decisions)


@dataclass(frozen=True)
class Proposal:
    """A checked summary that is not stored yet. Tokens are counted by the agent's model.

    Attributes:
        source: What it was made of.
        draft: It itself, with what was pinned put back.
        losses: What it does not say.
        source_tokens: Of the source's text.
        tokens: Of the summary as a model reads it.
        made_by: The summariser's name.
        put_back: What was pinned and lost, and stands in the summary word for word now.
        method: How the tokens were found.
    """

    source: SummarySource
    draft: SummaryDraft
    losses: Losses
    source_tokens: int
    tokens: int
    made_by: str
    put_back: tuple[str, ...] = ()
    method: Method = Method.ESTIMATE

    @property
    def operation(self) -> StoreSummary:
        source, draft = self.source, self.draft
        return StoreSummary(
            source.agent_id,
            draft.content,
            draft.topics,
            source.start,
            source.end,
            source.message_count,
            source.depth,
            None if source.previous is None else source.previous.id,
            source.covers,
            tuple(each.id for each in source.children),
            draft.details,
        )

    def as_summary(self, summary_id: str, at: datetime) -> Summary:
        """The summary that it would become."""
        operation = self.operation
        return Summary(
            id=summary_id,
            agent_id=operation.agent_id,
            content=operation.content,
            topics=operation.topics,
            start=operation.start,
            end=operation.end,
            message_count=operation.message_count,
            depth=operation.depth,
            previous_summary_id=operation.previous_summary_id,
            covers=operation.covers,
            children=operation.children,
            details=operation.details,
            created_at=at,
        )


@dataclass(frozen=True, slots=True)
class FoldedSummary:
    """A summary that was stored, and the ids of the messages that were archived with it.

    Those are what it was made of, and older ones that a stored summary spoke of already.
    """

    summary: Summary
    archived: tuple[str, ...]
    changeset: str


@dataclass(frozen=True, slots=True)
class ArchivedMessages:
    """Messages, by their ids, that were archived because stored summaries speak of them."""

    archived: tuple[str, ...]
    changeset: str


@dataclass(frozen=True)
class FoldPlan:
    """What is to be summarised at once, before any of it is.

    Attributes:
        agent_id: Whose messages they are.
        runs: Unbroken runs of messages in order, each cut into chunks.
        skipped: The ids of batches that cannot be: what lies between their messages is kept, or cannot be read.
        covered: Messages that stored summaries speak of and that are in the conversation still, in order. They are
            older than what stays, and are archived together with what lies around them.
        kept: The newest messages that `FoldOptions.keep` leaves, in whole batches; None where it isn't set.
    """

    agent_id: str
    runs: tuple[tuple[tuple[Message, ...], ...], ...] = ()
    skipped: tuple[str, ...] = ()
    covered: tuple[Message, ...] = ()
    kept: int | None = None

    @property
    def chunks(self) -> tuple[tuple[Message, ...], ...]:
        return tuple(chunk for run in self.runs for chunk in run)

    @property
    def message_count(self) -> int:
        return sum(map(len, self.chunks))


@dataclass(frozen=True)
class Summarised:
    """What a run did: the proposals in order and, unless it was only tried, what was stored of them.

    Attributes:
        plan: What it began with.
        proposals: What came of it.
        folded: What of that was stored.
        put_away: What was archived last, with no summary of its own.
        problems: What came to nothing. Messages whose summary is no smaller stay as they are, and so do summaries
            that a deeper one was to be made of.
    """

    plan: FoldPlan
    proposals: tuple[Proposal, ...] = ()
    folded: tuple[FoldedSummary, ...] = ()
    put_away: ArchivedMessages | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class FoldOptions:
    """The settings by which messages are summarised.

    Attributes:
        chunk_size: Messages that one summary is made of, about: batches stay whole, and a small rest joins the last.
        fan_in: Summaries of one depth that stand side by side; when there is one more, so many of the oldest become
            a deeper one.
        keep: Leave at least so many of the newest messages, in whole batches, and summarise all before them; None:
            what a Request would leave out now.
        only_due: Only what the history's strategy has folded already and no summary stands for.
        query: What the reader will ask, if that is known.
        share: The part of its source that a summary should take at most.
        pinned: Texts that must survive word for word; what a summary has lost of them is put back.
    """

    chunk_size: int = 20
    fan_in: int = 4
    keep: int | None = None
    only_due: bool = False
    query: str = ""
    share: float = 0.3
    pinned: tuple[str, ...] = field(default=())


def message_text(message: Message) -> str:
    """A message as text: who, and each part; thinking is not told."""
    who = message.name or message.role.value
    lines = [line for line in map(_part_text, message.content) if line]
    return f"{who}: " + "\n".join(lines) if lines else ""


def summary_source_text(summary: Summary) -> str:
    """A summary as the source of a deeper one: its text and what it keeps apart."""
    details = summary.details
    kept = (*details.decisions, *details.facts, *details.tasks, *details.entities)
    return "\n".join((summary.content, *(f"- {item}" for item in kept)))


def spoken(message: Message) -> str:
    """What people and the agent say in a message: its text parts, without calls and results.

    Of a text that is a JSON object, as programs wrap what a person said, the texts in it.
    """
    if message.role is Role.TOOL:
        return ""
    return "\n".join(_unwrapped(part.text) for part in message.content if isinstance(part, TextPart))


def _unwrapped(text: str) -> str:
    if not text.lstrip().startswith("{"):
        return text
    try:
        return "\n".join(_texts_in(json.loads(text))) or text
    except (ValueError, RecursionError):
        return text


def unescaped_text(message: Message) -> str:
    """As `message_text`, with the words that stand in JSON as they are: by their names, and none of them escaped."""
    return message_text(replace(message, content=tuple(map(_unescaped, message.content))))


def _unescaped(part: Part) -> Part:
    match part:
        case TextPart():
            return replace(part, text=_readable(part.text))
        case ToolCallPart():
            return replace(part, arguments=_readable(part.arguments))
        case ToolResultPart():
            return replace(part, content=_readable(part.content))
    return part


def _readable(text: str) -> str:
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return "\n".join(_named(json.loads(text))) or text
    except (ValueError, RecursionError):
        return text


def _named(value: object, name: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _named(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from _named(each, name)
    else:
        plain = value if isinstance(value, str) else json.dumps(value)
        yield f"{name}: {plain}" if name else plain


def _texts_in(value: object) -> Iterator[str]:
    """The texts of a JSON value that are more than one word."""
    if isinstance(value, str):
        yield from [_unwrapped(value)] if " " in value.strip() else []
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(each)


def joined_details(children: Sequence[Summary]) -> SummaryDetails:
    """All that summaries keep apart, each once, in order."""
    found: Mapping[str, dict[str, None]] = {"decisions": {}, "facts": {}, "tasks": {}, "entities": {}}
    for each in children:
        for name, items in found.items():
            items.update(dict.fromkeys(getattr(each.details, name)))
    return SummaryDetails(**{name: tuple(items) for name, items in found.items()})


def with_facts(draft: SummaryDraft, facts: Sequence[str]) -> SummaryDraft:
    """The draft with more facts behind its own."""
    details = replace(draft.details, facts=(*draft.details.facts, *facts))
    return replace(draft, details=details)


def _part_text(part: Part) -> str:
    match part:
        case TextPart():
            return part.text
        case ToolCallPart():
            return f"[call {part.name} {part.arguments}]"
        case ToolResultPart():
            return f"[{'error' if part.is_error else 'result'}] {part.content}"
        case ImagePart():
            return f"[image {part.media_type} {part.width}x{part.height}]"
        case ProviderPart():
            return f"[{part.kind}]"
    return ""
